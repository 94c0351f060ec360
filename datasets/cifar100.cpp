// CIFAR-100: its files, classes and numbers. What reads them is common to both CIFARs.
#include "datasets/cifar100.hpp"

#include <map>

#include "datasets/cifar_images.hpp"

namespace datasets {
namespace {

struct Superclass {
  std::string name;
  std::vector<std::string> fine;
};

/// In the order of the coarse labels.
const std::vector<Superclass> kSuperclasses = {
    {"aquatic_mammals", {"beaver", "dolphin", "otter", "seal", "whale"}},
    {"fish", {"aquarium_fish", "flatfish", "ray", "shark", "trout"}},
    {"flowers", {"orchid", "poppy", "rose", "sunflower", "tulip"}},
    {"food_containers", {"bottle", "bowl", "can", "cup", "plate"}},
    {"fruit_and_vegetables", {"apple", "mushroom", "orange", "pear", "sweet_pepper"}},
    {"household_electrical_devices", {"clock", "keyboard", "lamp", "telephone", "television"}},
    {"household_furniture", {"bed", "chair", "couch", "table", "wardrobe"}},
    {"insects", {"bee", "beetle", "butterfly", "caterpillar", "cockroach"}},
    {"large_carnivores", {"bear", "leopard", "lion", "tiger", "wolf"}},
    {"large_man-made_outdoor_things", {"bridge", "castle", "house", "road", "skyscraper"}},
    {"large_natural_outdoor_scenes", {"cloud", "forest", "mountain", "plain", "sea"}},
    {"large_omnivores_and_herbivores", {"camel", "cattle", "chimpanzee", "elephant", "kangaroo"}},
    {"medium_mammals", {"fox", "porcupine", "possum", "raccoon", "skunk"}},
    {"non-insect_invertebrates", {"crab", "lobster", "snail", "spider", "worm"}},
    {"people", {"baby", "boy", "girl", "man", "woman"}},
    {"reptiles", {"crocodile", "dinosaur", "lizard", "snake", "turtle"}},
    {"small_mammals", {"hamster", "mouse", "rabbit", "shrew", "squirrel"}},
    {"trees", {"maple_tree", "oak_tree", "palm_tree", "pine_tree", "willow_tree"}},
    {"vehicles_1", {"bicycle", "bus", "motorcycle", "pickup_truck", "train"}},
    {"vehicles_2", {"lawn_mower", "rocket", "streetcar", "tank", "tractor"}},
};

CifarFormat format() {
  CifarFormat format;
  format.name = "CIFAR-100";
  CifarLabel coarse{"coarse_labels", "coarse label", {}};
  CifarLabel fine{"fine_labels", "fine label", {}};
  std::map<std::string, std::uint8_t> class_of;
  for (const Superclass& superclass : kSuperclasses) {
    for (const std::string& name : superclass.fine) class_of[name] = static_cast<std::uint8_t>(coarse.names.size());
    coarse.names.push_back(superclass.name);
  }
  for (const auto& [name, superclass] : class_of) {  // fine labels number the names in alphabetical order
    fine.names.push_back(name);
    format.class_of.push_back(superclass);
  }
  format.labels = {coarse, fine};
  return format;
}

CifarKind cifar100() {
  return {.id = "cifar100",
          .format = format(),
          .records = {50'000, 10'000},
          .binary = {.folder = "cifar-100-binary",
                     .archive = "cifar-100-binary.tar.gz",
                     .files = {{{"train.bin"}, {"test.bin"}}},
                     .names_file = "coarse_label_names.txt",
                     .read = read_binary_batch},
          .python = {.folder = "cifar-100-python",
                     .archive = "cifar-100-python.tar.gz",
                     .files = {{{"train"}, {"test"}}},
                     .names_file = "",
                     .read = read_python_batch}};
}

}  // namespace

const std::vector<std::string>& cifar100_classes() {
  static const std::vector<std::string> classes = [] {
    std::vector<std::string> names;
    for (const Superclass& superclass : kSuperclasses) names.push_back(superclass.name);
    return names;
  }();
  return classes;
}

std::unique_ptr<Images> open_cifar100(const std::string& id, const std::filesystem::path& root) {
  return open_cifar(cifar100(), id, root);
}

}  // namespace datasets
