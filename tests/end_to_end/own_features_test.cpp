// Features that other programs computed, through the real binary: no weights, no images, the same AUROC as elsewhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "plume/weights.hpp"
#include "tests/end_to_end/npy_bytes.hpp"
#include "tests/end_to_end/program.hpp"
#include "tests/temporary_folder.hpp"

namespace tests {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

fs::path golden(const char* name) {
  const char* folder = std::getenv("PLUME_GOLDEN_DIR");
  return (folder != nullptr ? fs::path(folder) : fs::path(PLUME_SOURCE_DIR) / "tests" / "golden") / "e2e" / name;
}

Ended run(const TemporaryFolder& folder, const std::string& data, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {"run",       "sweep.json", "--out",     "out", "--cache", "cache",
                                        "--workers", "1",          "--threads", "1",   "--data",  "mine=" + data};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_program(arguments, folder.path(), {"TORCH_HOME=/nowhere"});
}

/// AUROC in percent by "row,column" of the table's last epoch.
std::map<std::string, double> aurocs(const TemporaryFolder& folder) {
  std::istringstream lines(read_text(folder / "out/report/tables/mine.csv"));
  std::map<std::string, double> found;
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> fields;
    std::istringstream cells(line);
    for (std::string field; std::getline(cells, field, ',');) fields.push_back(field);
    if (fields.size() > 4 && fields[3] == "last") found[fields[1] + "," + fields[2]] = std::stod(fields[4]);
  }
  return found;
}

/// Texts of fixed length, as numpy's dtype "S16" has them.
std::string npy_of_labels(const std::vector<std::string>& labels) {
  std::string data;
  for (const auto& label : labels) data += label + std::string(16 - label.size(), '\0');
  return npy("|S16", "(" + std::to_string(labels.size()) + ",)", data);
}

TEST(OwnFeatures, GoldenNeighboursOfRealFeaturesAsNumpyWritesThemHaveTheirAurocs) {
  const TemporaryFolder folder;
  std::map<std::string, plume::WeightTensor> arrays;
  for (auto& tensor : plume::read_weights(golden("e2e.safetensors"))) arrays[tensor.name] = tensor;
  const std::vector<std::string> names = {"airplane", "automobile", "bird",  "cat",  "deer",
                                          "dog",      "frog",       "horse", "ship", "truck"};
  std::vector<std::string> train_labels(320, "airplane"), test_labels;
  train_labels.resize(640, "ship");
  const std::string& numbers = arrays.at("test_labels").bytes;  // int32
  for (std::size_t i = 0; i < numbers.size(); i += 4)
    test_labels.push_back(names.at(static_cast<std::size_t>(numbers[i])));
  write_text(folder / "vectors/train.npy",
             npy("<f2", "(640, 1280)", arrays.at("train_airplane").bytes + arrays.at("train_ship").bytes));
  write_text(folder / "vectors/train_labels.npy", npy_of_labels(train_labels));
  write_text(folder / "vectors/test.npy", npy("<f2", "(500, 1280)", arrays.at("test").bytes));
  write_text(folder / "vectors/test_labels.npy", npy_of_labels(test_labels));
  write_text(folder / "sweep.json", R"({"version": 1, "name": "own", "datasets": {"mine": {"kind": "features"}},
    "blocks": [{"dataset": "mine", "classes": ["airplane", "ship"], "method": "knn", "k": 2, "scaling": ["raw", "l2"]}]})");

  const auto ended = run(folder, "vectors");

  ASSERT_EQ(ended.status, 0) << ended.errors;
  const auto found = aurocs(folder);
  const auto cases = nlohmann::json::parse(read_text(golden("e2e.json"))).at("cases");
  std::size_t compared = 0;
  for (const auto& entry : cases) {
    for (const std::string scaling : {"raw", "l2"}) {
      const auto cell = "knn " + scaling + "," + entry.at("normal_class").get<std::string>();
      ASSERT_TRUE(found.contains(cell)) << cell;
      EXPECT_NEAR(found.at(cell) / 100, entry.at("knn2").at(scaling).get<double>(), 1e-6) << cell;
      ++compared;
    }
  }
  EXPECT_EQ(compared, 10U);
}

class OwnFeaturesInHdf5 : public testing::Test {
 protected:
  OwnFeaturesInHdf5() {
    fs::copy_file(fs::path(PLUME_SOURCE_DIR) / "tests/storage/arrays/texts.h5", folder_ / "vectors.h5");
    write_text(folder_ / "sweep.json", R"({"version": 1, "name": "own", "datasets": {"mine": {"kind": "features"}},
      "blocks": [{"dataset": "mine", "method": "knn", "k": 1}]})");
  }
  TemporaryFolder folder_;
};

TEST_F(OwnFeaturesInHdf5, AreRankedByHand) {
  // Rows lie on a line. Training rows: owl 0 3, wren 1 4, Moewe 2 5; test rows: Moewe 10 11, owl 12, wren 13. The
  // nearer to the training rows, the more normal: the order is 10 11 12 13 for every class.
  const auto ended = run(folder_, "vectors.h5");
  ASSERT_EQ(ended.status, 0) << ended.errors;
  const auto found = aurocs(folder_);
  EXPECT_DOUBLE_EQ(found.at("knn raw,M\xC3\xB6we"), 100);
  EXPECT_NEAR(found.at("knn raw,owl"), 100.0 / 3, 1e-9);
  EXPECT_DOUBLE_EQ(found.at("knn raw,wren"), 0);
  EXPECT_THAT(ended.output, HasSubstr("features as given"));
}

TEST_F(OwnFeaturesInHdf5, AreNoticedWhenTheyChange) {
  ASSERT_EQ(run(folder_, "vectors.h5").status, 0);
  fs::copy_file(fs::path(PLUME_SOURCE_DIR) / "tests/storage/arrays/numbers.h5", folder_ / "vectors.h5",
                fs::copy_options::overwrite_existing);  // the same rows; the same classes in another order
  const auto refused = run(folder_, "vectors.h5");
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.errors, HasSubstr("give --redo-changed to run such jobs again"));
  const auto redone = run(folder_, "vectors.h5", {"--redo-changed"});
  EXPECT_EQ(redone.status, 0) << redone.errors;
  EXPECT_NEAR(aurocs(folder_).at("knn raw,owl"), 100.0 / 3, 1e-9);
}

TEST_F(OwnFeaturesInHdf5, AreTrainedOn) {
  write_text(folder_ / "sweep.json", R"({"version": 1, "name": "own", "datasets": {"mine": {"kind": "features"}},
    "blocks": [{"dataset": "mine", "classes": ["owl"], "lr": 1e-3, "epochs": 2, "dimension": 12}]})");
  const auto ended = run(folder_, "vectors.h5");
  EXPECT_EQ(ended.status, 0) << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("1/1"));
}

TEST_F(OwnFeaturesInHdf5, AreRefusedInOneLineWhereTheyAreNoFeatures) {
  write_text(folder_ / "vectors.h5", "not HDF5");
  const auto ended = run(folder_, "vectors.h5");
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.errors, HasSubstr("vectors.h5: is no HDF5 file; give a folder with train.npy, train_labels.npy"));
  EXPECT_FALSE(fs::exists(folder_ / "out"));
}

TEST(OwnFeatures, OfAClassWithoutTrainingRowsAreAnomaliesOnly) {
  const TemporaryFolder folder;
  write_text(folder / "vectors/train.npy", npy("<f2", "(4, 1)", std::string("\x00\x3c\x00\x3c\x00\x40\x00\x40", 8)));
  write_text(folder / "vectors/train_labels.npy", npy_of_labels({"owl", "owl", "wren", "wren"}));
  write_text(folder / "vectors/test.npy", npy("<f2", "(3, 1)", std::string("\x00\x3c\x00\x40\x00\x44", 6)));
  write_text(folder / "vectors/test_labels.npy", npy_of_labels({"owl", "wren", "ibis"}));
  const auto write_sweep = [&](const std::string& classes) {
    write_text(folder / "sweep.json", R"({"version": 1, "name": "own", "datasets": {"mine": {"kind": "features"}},
      "blocks": [{"dataset": "mine", "classes": )" +
                                          classes + R"(, "method": "knn", "k": 1}]})");
  };
  write_sweep(R"(["owl", "ibis"])");
  const auto named = run(folder, "vectors");
  EXPECT_EQ(named.status, 2);
  EXPECT_THAT(named.errors,
              HasSubstr("blocks[0].classes: \"ibis\" of data set mine has 0 training rows, a normal class "
                        "needs 2; remove it from the list"));
  write_sweep(R"("all")");
  const auto all = run(folder, "vectors");
  EXPECT_EQ(all.status, 0) << all.errors;
  EXPECT_THAT(all.errors,
              HasSubstr("mine: 1 of 3 classes have fewer than 2 training rows and are nobody's normal class: "
                        "ibis"));
  EXPECT_EQ(aurocs(folder).size(), 3U) << "owl, wren and their mean";
  EXPECT_DOUBLE_EQ(aurocs(folder).at("knn raw,owl"), 100);
}

}  // namespace
}  // namespace tests
