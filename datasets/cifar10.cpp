// CIFAR-10: its files, classes and numbers. What reads them is common to both CIFARs.
#include "datasets/cifar10.hpp"

#include "datasets/cifar_images.hpp"

namespace datasets {
namespace {

BySplit<std::vector<std::string>> files(const std::string& ending) {
  BySplit<std::vector<std::string>> files;
  for (int k = 1; k <= 5; ++k) files[0].push_back("data_batch_" + std::to_string(k) + ending);
  files[1] = {"test_batch" + ending};
  return files;
}

CifarKind cifar10() {
  CifarFormat format;
  format.name = "CIFAR-10";
  format.labels = {{"labels", "label", cifar10_classes()}};
  return {.id = "cifar10",
          .format = format,
          .records = {10'000, 10'000},
          .binary = {.folder = "cifar-10-batches-bin",
                     .archive = "cifar-10-binary.tar.gz",
                     .files = files(".bin"),
                     .names_file = "batches.meta.txt",
                     .read = read_binary_batch},
          .python = {.folder = "cifar-10-batches-py",
                     .archive = "cifar-10-python.tar.gz",
                     .files = files(""),
                     .names_file = "",
                     .read = read_python_batch}};
}

}  // namespace

const std::vector<std::string>& cifar10_classes() {
  static const std::vector<std::string> classes = {"airplane", "automobile", "bird",  "cat",  "deer",
                                                   "dog",      "frog",       "horse", "ship", "truck"};
  return classes;
}

std::unique_ptr<Images> open_cifar10(const std::string& id, const std::filesystem::path& root) {
  return open_cifar(cifar10(), id, root);
}

}  // namespace datasets
