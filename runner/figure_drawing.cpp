// gnuplot draws in a folder of its own; what is whole is then put in place, so that nobody reads half a picture.
#include "runner/figure_drawing.hpp"

#include <fmt/format.h>

#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "runner/ask_program.hpp"
#include "storage/atomic_file.hpp"
#include "storage/error.hpp"
#include "storage/printable.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;

/// Beside the report's figures, and gone at the end.
class Workshop {
 public:
  explicit Workshop(const fs::path& report) : path_(storage::temporary_beside(report / "figures")) {
    std::error_code error;
    fs::create_directories(path_, error);
    if (error) throw storage::Error(fmt::format("{}: cannot be made: {}", path_.string(), error.message()));
  }
  ~Workshop() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string run_gnuplot(const fs::path& folder, const std::vector<results::Figure>& figures,
                        const std::chrono::duration<double>& deadline) {
  // -d: nothing of the user's own settings changes a report.
  std::vector<std::string> command = {"gnuplot", "-d"};
  for (const results::Figure& figure : figures) command.push_back(figure.name + ".gp");
  AskLimits limits;
  limits.deadline = deadline;
  const Answer answer = ask_program(command, {"LC_ALL=C.UTF-8", "GNUPLOT_LIB="}, limits, folder);
  if (!answer.found)
    return "gnuplot is not installed (Debian's package gnuplot-nox); `plume-bench report` draws them once it is";
  return answer.why;
}

bool is_whole(const std::string& svg) {
  const std::size_t end = svg.find_last_not_of(" \r\n");
  return end != std::string::npos && std::string_view(svg).substr(0, end + 1).ends_with("</svg>");
}

std::map<std::string, std::string> drawn_in(const fs::path& folder, const std::vector<results::Figure>& figures) {
  std::map<std::string, std::string> drawn;
  for (const results::Figure& figure : figures) {
    const fs::path file = folder / (figure.name + ".svg");
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) continue;
    std::string svg = storage::read_file(file);
    if (is_whole(svg)) drawn.emplace(figure.name, std::move(svg));
  }
  return drawn;
}

bool is_of_a_figure(const fs::path& file) {
  return file.extension() == ".csv" || file.extension() == ".gp" || file.extension() == ".svg";
}

/// Whether the script of a file's figure names its data as ours do; a figure of somebody else is none of ours.
bool is_ours(const fs::path& file) {
  constexpr std::uintmax_t kMostBytes = 16 << 20;
  const std::string name = file.stem().string();
  try {
    const auto script = storage::read_regular_file(fs::path(file).replace_extension(".gp"), kMostBytes);
    return script.starts_with("#") && script.substr(0, 1000).find(name + ".csv") != std::string::npos;
  } catch (const storage::Error&) {
    return false;
  }
}

/// What an earlier report left; files that none writes stay.
void remove_others(const fs::path& folder, const std::set<std::string>& kept) {
  std::error_code ignored;
  std::vector<fs::path> others;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (is_of_a_figure(entry.path()) && !kept.contains(entry.path().filename().string()) && is_ours(entry.path()))
      others.push_back(entry.path());
  }
  for (const fs::path& file : others) fs::remove(file, ignored);
  if (!fs::is_symlink(folder, ignored)) fs::remove(folder, ignored);  // where nothing is left in it
}

void put_in_place(const fs::path& folder, const DrawnFigures& drawn) {
  std::set<std::string> kept;
  const auto write = [&](const std::string& name, const std::string& bytes) {
    storage::write_atomically(folder / name, bytes);
    kept.insert(name);
  };
  for (const results::Figure& figure : drawn.figures) {
    write(figure.name + ".csv", figure.data);
    write(figure.name + ".gp", figure.script);
    const auto svg = drawn.svg.find(figure.name);
    if (svg != drawn.svg.end()) write(figure.name + ".svg", svg->second);
  }
  remove_others(folder, kept);
}

}  // namespace

DrawnFigures draw_figures(const fs::path& report, std::vector<results::Figure> figures,
                          const std::chrono::duration<double>& deadline) {
  DrawnFigures drawn;
  drawn.figures = std::move(figures);
  if (!drawn.figures.empty()) {
    const Workshop workshop(report);
    for (const results::Figure& figure : drawn.figures) {
      storage::replace_view(workshop.path() / (figure.name + ".csv"), figure.data);
      storage::replace_view(workshop.path() / (figure.name + ".gp"), figure.script);
    }
    drawn.why_not = run_gnuplot(workshop.path(), drawn.figures, deadline);
    drawn.svg = drawn_in(workshop.path(), drawn.figures);
  }
  put_in_place(report / "figures", drawn);
  return drawn;
}

std::string figures_index(const DrawnFigures& drawn) {
  const std::string of_rows = "- where rows lie, by the keys of the runs: ";
  std::string text, table;
  bool has_rows = false;
  for (const results::Figure& figure : drawn.figures) {
    if (!drawn.svg.contains(figure.name)) continue;
    if (figure.table.empty()) {  // of a dump; these are the last
      text += fmt::format("{}[{}](figures/{}.svg)",
                          has_rows       ? ", "
                          : text.empty() ? of_rows
                                         : "\n" + of_rows,
                          figure.name, figure.name);
      has_rows = true;
      continue;
    }
    text += figure.table == table ? ", " : fmt::format("{}- figures of {}: ", text.empty() ? "" : "\n", figure.table);
    table = figure.table;
    text += fmt::format("[{}](figures/{}.svg)", figure.name.substr(figure.table.size() + 1), figure.name);
  }
  if (!text.empty()) text += "\n";
  if (drawn.why_not.empty()) return text;
  return text + fmt::format("{}Note: {} figures are drawn: {}. Their numbers and scripts lie in figures/.\n",
                            text.empty() ? "" : "\n", drawn.svg.empty() ? "no" : "not all",
                            storage::printable_line(drawn.why_not, 500));
}

}  // namespace runner
