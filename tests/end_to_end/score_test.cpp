// `score` of detectors that real trainings saved: the training's own scores, images that it never saw, and refusals.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "datasets/dataset.hpp"
#include "datasets/png_encoder.hpp"
#include "results/dump.hpp"
#include "tests/datasets/jpeg_writer.hpp"
#include "tests/end_to_end/npy_bytes.hpp"
#include "tests/end_to_end/program.hpp"
#include "tests/temporary_folder.hpp"

namespace tests {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

/// A detector behind a backbone, one that takes images themselves.
constexpr const char* kSweep = R"({"version": 1, "name": "kept",
  "datasets": {"pictures": {"kind": "image-folder"}},
  "blocks": [{"dataset": "pictures", "classes": ["ring"], "backbone": "efficientnet-lite0", "perturbation": "linear-map",
              "guidance": "full", "lambda": 5, "lr": 1e-3, "dimension": 96, "batch_size": 8, "epochs": 3, "seeds": 1,
              "save": "classifier", "dump": 10},
             {"dataset": "pictures", "classes": ["ring"], "method": "plad", "lr": 1e-4, "batch_size": 8, "epochs": 2,
              "seeds": 1, "save": "all", "dump": 10}]})";

/// The drawn images of one class as PNG files.
void write_images(const fs::path& folder, const datasets::Images& images, datasets::Split split, int label) {
  for (std::int64_t i = 0; i < images.size(split); ++i) {
    if (images.label(split, i) == label)
      write_text(folder / fmt::format("{:03}.png", i), datasets::encode_png(images.read(split, i)));
  }
}

struct Line {
  std::string path, score, threshold, verdict;
};

/// Lines of a CSV file without quotes.
std::vector<Line> lines_of(const std::string& csv) {
  std::istringstream text(csv);
  std::string header;
  std::getline(text, header);
  EXPECT_EQ(header, "path,score,threshold,verdict");
  std::vector<Line> lines;
  for (std::string row; std::getline(text, row);) {
    Line line;
    std::istringstream fields(row);
    std::getline(fields, line.path, ',');
    std::getline(fields, line.score, ',');
    std::getline(fields, line.threshold, ',');
    std::getline(fields, line.verdict);
    lines.push_back(line);
  }
  return lines;
}

/// One run for all tests: what it left is only read.
class Score : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = new TemporaryFolder;
    const auto images = datasets::open_images(
        {.id = "s", .kind = "synthetic", .seed = 3, .train_per_class = 24, .test_per_class = 12, .class_count = 3}, "");
    for (int label = 0; label < 3; ++label) {
      const auto name = images->classes()[static_cast<std::size_t>(label)];
      const bool known = label < 2;
      if (known) write_images(*folder / ("pictures/train/" + name), *images, datasets::Split::train, label);
      write_images(*folder / ((known ? "pictures/test/" : "unseen/") + name), *images, datasets::Split::test, label);
    }
    write_text(*folder / "sweep.json", kSweep);
    const auto ran =
        run_program({"run", "sweep.json", "--out", "out", "--cache", "cache", "--threads", "1", "--workers", "1",
                     "--data", "pictures=pictures", "--weights", "efficientnet-lite0=random:1"},
                    folder->path());
    ASSERT_EQ(ran.status, 0) << ran.errors;
    for (const auto& entry : fs::directory_iterator(folder->path() / "out/dumps")) {
      const auto dump = results::read_dump(entry.path());
      (dump.job.find("plad") == std::string::npos ? plume_key : plad_key) = dump.key;
      dumps[dump.key] = dump;
    }
    ASSERT_EQ(dumps.size(), 2U);
  }
  static void TearDownTestSuite() { delete folder; }

  static std::string model(const std::string& key, const std::string& which) {
    return fmt::format("out/models/{}-{}.safetensors", key, which);
  }
  static Ended score(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "score");
    return run_program(arguments, folder->path(), {"TORCH_HOME=/nowhere"});
  }
  /// One line of error.
  static std::string refusal(const std::vector<std::string>& arguments, int status) {
    const auto ended = score(arguments);
    EXPECT_EQ(ended.status, status) << ended.errors;
    EXPECT_EQ(std::count(ended.errors.begin(), ended.errors.end(), '\n'), 1) << ended.errors;
    EXPECT_EQ(ended.output, "");
    return ended.errors;
  }

  static TemporaryFolder* folder;
  static std::map<std::string, results::Dump> dumps;
  static std::string plume_key, plad_key;
};
TemporaryFolder* Score::folder = nullptr;
std::map<std::string, results::Dump> Score::dumps;
std::string Score::plume_key, Score::plad_key;

TEST_F(Score, OfTheTestImagesIsThatOfTheTraining) {
  for (const auto& [key, dump] : dumps) {
    ASSERT_TRUE(dump.best);
    for (const std::string which : {"best", "last"}) {
      const auto ended = score({model(key, which), "pictures/test", "--threads", "1"});
      ASSERT_EQ(ended.status, 0) << ended.errors;
      std::map<std::string, double> found;
      for (const auto& line : lines_of(ended.output)) found[line.path] = std::stod(line.score);
      const auto& wanted = which == "best" ? dump.best->test_scores : dump.last.test_scores;
      ASSERT_EQ(found.size(), wanted.size());
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_NEAR(found.at("pictures/" + dump.test.ids[i]), wanted[i], 1e-6) << which << " " << dump.test.ids[i];
      }
    }
  }
}

TEST_F(Score, PutsTheLeastNormalFirstAndItsVerdictsFollowFromItsColumns) {
  const auto ended = score({model(plume_key, "last"), "unseen", "pictures/train/ring", "--threads", "1"});
  ASSERT_EQ(ended.status, 0) << ended.errors;
  const auto lines = lines_of(ended.output);
  ASSERT_EQ(lines.size(), 12U + 24U);
  double before = -std::numeric_limits<double>::infinity();
  std::size_t rejected = 0;
  for (const auto& line : lines) {
    const double number = std::stod(line.score);
    EXPECT_GE(number, before);
    before = number;
    EXPECT_EQ(line.verdict, number > std::stod(line.threshold) ? "normal" : "anomaly") << line.path;
    if (line.path.starts_with("pictures/") && line.verdict == "anomaly") ++rejected;
  }
  EXPECT_EQ(rejected, 3U) << "a tenth of 24 training images, rounded up, is not above the threshold";
  EXPECT_THAT(ended.errors, AllOf(HasSubstr("Detector: pictures/ring linear-map+full"),
                                  HasSubstr("last epoch (2 of 3, counted from 0)"), HasSubstr("Scored: 36 images")));
}

TEST_F(Score, WritesAFileAndAPageOfPictures) {
  const auto ended =
      score({model(plad_key, "best"), "unseen", "--out", "some/scores.csv", "--sheet", "some/page.html"});
  ASSERT_EQ(ended.status, 0) << ended.errors;
  EXPECT_EQ(ended.errors, "");
  EXPECT_THAT(ended.output, AllOf(HasSubstr("which selected the epoch"), HasSubstr("Scores: some/scores.csv\n"),
                                  HasSubstr("Sheet: some/page.html")));
  const auto lines = lines_of(read_text(*folder / "some/scores.csv"));
  ASSERT_EQ(lines.size(), 12U);
  const auto page = read_text(*folder / "some/page.html");
  std::size_t at = 0;
  for (const auto& line : lines) {  // in the order of the file
    at = page.find("title=\"" + line.path, at);
    ASSERT_NE(at, std::string::npos) << line.path;
    EXPECT_NE(page.find(fmt::format("{:.3f} {}", std::stod(line.score), line.verdict), at), std::string::npos);
  }
}

TEST_F(Score, GoesOnAfterWhatCannotBeRead) {
  write_text(*folder / "mixed/a.jpg", datasets_test::jpeg(48, 40, 10));
  write_text(*folder / "mixed/b, \"c\".png", "no picture");
  write_text(*folder / "mixed/notes.txt", "notes");
  const auto ended = score({model(plume_key, "last"), "mixed"});
  EXPECT_EQ(ended.status, 3) << ended.errors;
  EXPECT_THAT(ended.errors, AllOf(HasSubstr("mixed/b, \"c\".png: is neither a JPEG nor a PNG"),
                                  HasSubstr("1 could not be read; 1 other file passed over")));
  EXPECT_THAT(ended.output, HasSubstr("\nmixed/a.jpg,"));
  EXPECT_THAT(ended.output, testing::ContainsRegex("\n\"mixed/b, \"\"c\"\".png\",,[^,]*,unreadable\n$"));

  const auto nothing = score({model(plume_key, "last"), "mixed/notes.txt"});
  EXPECT_EQ(nothing.status, 1);
  EXPECT_EQ(nothing.output, "");
  EXPECT_THAT(nothing.errors, AllOf(HasSubstr("mixed/notes.txt: is neither"), HasSubstr("nothing of what was given")));
}

TEST_F(Score, RefusesInOneLine) {
  write_text(*folder / "empty/notes.txt", "notes");
  write_text(*folder / "x.npy", npy("<f4", "(1, 2)", std::string(8, '\0')));
  auto damaged = read_text(*folder / model(plad_key, "last"));
  damaged[damaged.size() / 2] ^= 1;
  write_text(*folder / "damaged.safetensors", damaged);
  const auto good = model(plume_key, "best");
  EXPECT_THAT(refusal({"damaged.safetensors", "unseen"}, 1), HasSubstr("is damaged or was changed"));
  EXPECT_THAT(refusal({"sweep.json", "unseen"}, 1), HasSubstr("sweep.json: "));
  EXPECT_THAT(refusal({"nowhere.safetensors", "unseen"}, 2), HasSubstr("nowhere.safetensors: is not there"));
  EXPECT_THAT(refusal({"out", "unseen"}, 2), HasSubstr("out: is a folder; give a model"));
  EXPECT_THAT(refusal({good, "empty"}, 2), HasSubstr("empty: no JPEG or PNG image is in it"));
  EXPECT_THAT(refusal({good, "nothing"}, 2), HasSubstr("nothing: is not there"));
  EXPECT_THAT(refusal({good, "x.npy"}, 2), HasSubstr("x.npy: "));
  EXPECT_THAT(refusal({good, "x.npy", "--sheet", "x.html"}, 2), HasSubstr("--sheet"));
  EXPECT_THAT(refusal({good}, 2), HasSubstr("PATH"));
}

TEST_F(Score, WritesOverNothingThatItReadsAndOverNoDevice) {
  const auto good = model(plume_key, "best");
  write_text(*folder / "own/a.jpg", datasets_test::jpeg(48, 40, 10));
  fs::create_symlink("own/a.jpg", *folder / "link.csv");
  const auto bytes = read_text(*folder / good);
  EXPECT_THAT(refusal({good, "own", "--out", good}, 2), HasSubstr("is the model, which would be lost"));
  EXPECT_THAT(refusal({good, "own", "--sheet", good}, 2), HasSubstr("is the model, which would be lost"));
  EXPECT_THAT(refusal({good, "own/a.jpg", "--out", "own/a.jpg"}, 2), HasSubstr("is to be scored"));
  EXPECT_THAT(refusal({good, "own", "--out", "own/a.jpg"}, 2), HasSubstr("is one of the files that were scored"));
  EXPECT_THAT(refusal({good, "own", "--out", "/dev/null"}, 2), HasSubstr("/dev/null: is there and no regular file"));
  EXPECT_THAT(refusal({good, "own", "--out", "link.csv"}, 2), HasSubstr("no regular file"));
  EXPECT_THAT(refusal({good, "own", "--out", "x.csv", "--sheet", "./x.csv"}, 2), HasSubstr("is the file of --out"));
  EXPECT_EQ(read_text(*folder / good), bytes);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(Score, TakesNoWeightsButThoseOfTheTraining) {
  write_text(*folder / "small.json",
             R"({"version": 1, "name": "small", "datasets": {"pictures": {"kind": "image-folder"}},
    "blocks": [{"dataset": "pictures", "classes": ["ring"], "backbone": "efficientnet-lite0", "perturbation": "gaussian",
                "guidance": "none", "lr": 1e-3, "dimension": 6, "batch_size": 8, "epochs": 1, "seeds": 1,
                "train_rows": 8, "test_rows": 4, "save": "classifier"}]})");
  const auto weights = "efficientnet-lite0=" + real_weights().string();
  const auto ran = run_program({"run", "small.json", "--out", "small", "--cache", "cache", "--threads", "1",
                                "--workers", "1", "--data", "pictures=pictures", "--weights", weights},
                               folder->path());
  ASSERT_EQ(ran.status, 0) << ran.errors;
  std::string file;
  for (const auto& entry : fs::directory_iterator(folder->path() / "small/models")) {
    if (entry.path().filename().string().ends_with("-last.safetensors")) file = entry.path().string();
  }
  EXPECT_THAT(refusal({file, "unseen"}, 2), HasSubstr("efficientnet-lite0"));
  write_text(*folder / "other.pth", "other");
  EXPECT_THAT(refusal({file, "unseen", "--weights", "efficientnet-lite0=other.pth"}, 2),
              AllOf(HasSubstr("other.pth: these are not the weights of efficientnet-lite0"), HasSubstr("57934424"),
                    HasSubstr("--weights efficientnet-lite0=FILE")));
  const auto scored = score({file, "unseen", "--weights", weights});
  EXPECT_EQ(scored.status, 0) << scored.errors;
  EXPECT_EQ(lines_of(scored.output).size(), 12U);
}

TEST_F(Score, ShowsAnExampleInItsHelp) {
  const auto help = score({"--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_THAT(help.output, AllOf(HasSubstr("plume-bench score runs/mine/models/KEY-best.safetensors"),
                                 HasSubstr("crop them before"), HasSubstr("Exit status")));
}

}  // namespace
}  // namespace tests
