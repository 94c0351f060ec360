// The layout of SPARK 2022 (method.md section 6).
#include "datasets/spark2022.hpp"

#include "datasets/spark.hpp"

namespace datasets {

const std::vector<std::string>& spark2022_classes() {
  // The order of the challenge's own numbers, 0 to 10.
  static const std::vector<std::string> classes = {
      "proba_2",     "cheops",  "debris", "double_star", "earth_observation_sat_1", "lisa_pathfinder", "proba_3_csc",
      "proba_3_ocs", "smart_1", "soho",   "xmm_newton"};
  return classes;
}

std::unique_ptr<Images> open_spark2022(const sweeps::DatasetSpec& spec, const std::filesystem::path& root) {
  const auto split = [&](const std::string& name) {
    return SparkSplit{find_place(spec, root, {name + ".csv"}), find_place(spec, root, {name})};
  };
  return open_spark(spec, root,
                    {.classes = spark2022_classes(),
                     .debris = kDebrisOf2022,
                     .image_column = "filename",
                     .splits = {split("train"), split("val")}});
}

}  // namespace datasets
