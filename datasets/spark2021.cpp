// The layout of SPARK 2021 (method.md section 6).
#include "datasets/spark2021.hpp"

#include "datasets/spark.hpp"

namespace datasets {

const std::vector<std::string>& spark2021_classes() {
  // Terra comes before TRMM, as in no sort by bytes.
  static const std::vector<std::string> classes = {"AcrimSat",   "Aquarius", "Aura",   "Calipso",
                                                   "Cloudsat",   "CubeSat",  "Debris", "Jason",
                                                   "Sentinel-6", "Terra",    "TRMM"};
  return classes;
}

std::unique_ptr<Images> open_spark2021(const sweeps::DatasetSpec& spec, const std::filesystem::path& root) {
  const auto split = [&](const std::string& name) {
    const std::string labels = name + "_labels.csv";
    const std::string images = name + "_rgb";
    return SparkSplit{find_place(spec, root, {labels, name + "/" + labels}),
                      find_place(spec, root, {images, name + "/" + images})};
  };
  return open_spark(spec, root,
                    {.classes = spark2021_classes(),
                     .debris = kDebrisOf2021,
                     .image_column = "image",
                     .has_class_folders = true,
                     .splits = {split("train"), split("validate")}});
}

}  // namespace datasets
