// Small SPARK data sets in folders of a test's own.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "datasets/dataset.hpp"
#include "tests/datasets/jpeg_writer.hpp"
#include "tests/storage/plain_files.hpp"

namespace datasets_test {

class SparkFiles {
 public:
  struct Settings {
    int size = 512;
    double skip = 0;
  };
  std::filesystem::path root() const { return folder_.path(); }
  std::unique_ptr<datasets::Images> open(const Settings& settings = {512, 0}) const {
    return datasets::open_images({.id = "space", .kind = kind_, .size = settings.size, .skip = settings.skip}, root());
  }

 protected:
  explicit SparkFiles(std::string kind) : kind_(std::move(kind)) {}
  void write(const std::string& path, const std::string& bytes) const {
    storage_test::write_plainly(folder_ / path, bytes);
  }

 private:
  std::string kind_;
  storage_test::TemporaryFolder folder_;
};

/// Images of 40 x 30 pixels below train/train_rgb and validate/validate_rgb.
class Spark2021Files : public SparkFiles {
 public:
  Spark2021Files() : SparkFiles("spark2021") {
    write("train_labels.csv",
          "class,id,image,depth,bbox,illumination\n"
          "TRMM,7,img_7.jpg,depth_7.png,\"[2, 20, 14, 25]\",0\n"
          "Terra,7,img_7.jpg,depth_7.png,\"[-4, 30, 10, 99]\",0\n"
          "Aura,2,img_2.jpg,depth_2.png,\"[0, 0, 30, 40]\",1\n"
          "Debris,1,img_1.jpg,depth_1.png,\"[5, 6, 7, 8]\",1\n");
    write("validate_labels.csv",
          "class,id,image,depth,bbox,illumination\r\n"
          "Debris,1,img_1.jpg,depth_1.png,\"[5,6,7,8]\",1\r\n"
          "Sentinel-6,1,img_1.jpg,depth_1.png,\"[5, 6, 7, 8]\",1\r\n");
    int shade = 7;
    for (const std::string path :
         {"train/train_rgb/TRMM/img_7.jpg", "train/train_rgb/Terra/img_7.jpg", "train/train_rgb/Aura/img_2.jpg",
          "train/train_rgb/Debris/img_1.jpg", "validate/validate_rgb/Debris/img_1.jpg",
          "validate/validate_rgb/Sentinel-6/img_1.jpg"}) {
      write(path, jpeg(40, 30, shade++));
    }
  }
};

/// Images of 24 x 20 pixels.
class Spark2022Files : public SparkFiles {
 public:
  Spark2022Files() : SparkFiles("spark2022") {
    write("train.csv",
          "filename,class,bbox\r\nimg3.jpg,soho,\"[1, 9, 9, 12]\"\r\nimg1.jpg,proba_2,\"[1, 2, 9, 12]\"\r\n"
          "img2.jpg,debris,\"[1, 2, 9, 12]\"\r\n");
    write("val.csv",
          "filename,class,bbox\r\nimg1.jpg,debris,\"[1, 2, 9, 12]\"\r\nimg9.jpg,xmm_newton,\"[0, 0, 4, 5]\"\r\n");
    int shade = 3;
    for (const std::string path :
         {"train/img3.jpg", "train/img1.jpg", "train/img2.jpg", "val/img1.jpg", "val/img9.jpg"}) {
      write(path, jpeg(24, 20, shade++));
    }
  }
};

}  // namespace datasets_test
