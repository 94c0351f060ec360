// Draws the synthetic images: a shape under a random rotation, place, size and colour on a noisy texture. Additions,
// products, quotients and square roots only (no sin, exp, ...; no contraction), so that the bytes depend on no libm.
#include "datasets/synthetic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "datasets/shapes.hpp"
#include "datasets/stamp.hpp"
#include "storage/error.hpp"
#include "sweeps/random_stream.hpp"

namespace datasets {
namespace {

constexpr int kSide = 32;
constexpr int kVersion = 1;  // raised whenever the pictures change
constexpr int kSamples = 4;  // a pixel's side in samples, for smooth edges

// How hard the classes are to tell apart; see README.md for the measured effect.
constexpr double kLeastRadius = 7;
constexpr double kMostRadius = 13;
constexpr double kLeastContrast = 35;
constexpr double kMostContrast = 102;
constexpr double kTexture = 30;  ///< half the texture's range, in grey levels
constexpr double kNoise = 9;     ///< standard deviation, in grey levels

constexpr double kMostTilt = 0.17632698070846498;  ///< of an upright object: the tangent of 10 degrees

using Colour = std::array<double, 3>;

/// Words of one stream at one (split, row), in order.
class Draws {
 public:
  Draws(const sweeps::RandomStream& stream, Split split, std::uint32_t row)
      : stream_(stream), epoch_(split == Split::train ? 0 : 1), row_(row) {}

  std::uint32_t word() {
    if (used_ == 4) {
      words_ = stream_.words(epoch_, row_, block_++);
      used_ = 0;
    }
    return words_[used_++];
  }
  /// In [low, high).
  double uniform(double low, double high) { return low + (high - low) * ((word() >> 8) / 16777216.0); }
  /// Close to normal with deviation 1: the sum of a word's four bytes has mean 510 and variance 4 * (256^2 - 1) / 12.
  double bell() {
    const std::uint32_t w = word();
    const std::uint32_t sum = (w & 0xFF) + ((w >> 8) & 0xFF) + ((w >> 16) & 0xFF) + (w >> 24);
    return (static_cast<double>(sum) - 510.0) / 147.8;
  }

 private:
  const sweeps::RandomStream& stream_;
  std::uint32_t epoch_;
  std::uint32_t row_;
  std::uint64_t block_ = 0;
  std::size_t used_ = 4;
  std::array<std::uint32_t, 4> words_{};
};

struct Scene {
  Colour background;
  Colour tint;  ///< direction in which the texture changes the colour
  Colour object;
  double cosine;  ///< of the rotation
  double sine;
  double x;  ///< centre, in pixels
  double y;
  double radius;
};

/// A uniformly random direction: a point in the unit disc by rejection, normalised.
void draw_rotation(Draws& draws, Scene& scene) {
  for (;;) {
    const double x = draws.uniform(-1, 1);
    const double y = draws.uniform(-1, 1);
    const double squared = x * x + y * y;
    if (squared > 1 || squared < 1e-4) continue;
    const double length = std::sqrt(squared);
    scene.cosine = x / length;
    scene.sine = y / length;
    return;
  }
}

/// Of an object that stands upright: up is up to some degrees (in a picture y grows downwards, hence the half turn).
void draw_tilt(Draws draws, Scene& scene) {
  const double tangent = draws.uniform(-kMostTilt, kMostTilt);
  const double length = std::sqrt(1 + tangent * tangent);
  scene.cosine = -1 / length;
  scene.sine = -tangent / length;
}

/// The object's colour lies at a random distance from the background's, in a random direction that has little to do
/// with its class.
Scene draw_scene(Draws draws) {
  Scene scene{};
  draw_rotation(draws, scene);
  scene.radius = draws.uniform(kLeastRadius, kMostRadius);
  const double room = kSide / 2.0 - 0.75 * scene.radius;  // a corner may leave the picture
  scene.x = kSide / 2.0 + draws.uniform(-room, room);
  scene.y = kSide / 2.0 + draws.uniform(-room, room);
  const double contrast = draws.uniform(kLeastContrast, kMostContrast) * ((draws.word() & 1) != 0 ? 1 : -1);
  for (std::size_t c = 0; c < 3; ++c) {
    scene.background[c] = draws.uniform(100, 155);
    scene.tint[c] = draws.uniform(0.4, 1);
    scene.object[c] = scene.background[c] + contrast * draws.uniform(0.3, 1);
  }
  return scene;
}

/// Values on a coarse grid, read in between with smooth weights.
class Texture {
 public:
  Texture(Draws& draws, int cells) : cells_(cells) {
    for (double& value : values_) value = draws.uniform(-1, 1);
  }
  double at(int x, int y) const {
    const double u = (x + 0.5) * cells_ / kSide;
    const double v = (y + 0.5) * cells_ / kSide;
    const int column = static_cast<int>(u);
    const int row = static_cast<int>(v);
    const double a = smooth(u - column);
    const double b = smooth(v - row);
    const double top = value(column, row) * (1 - a) + value(column + 1, row) * a;
    const double bottom = value(column, row + 1) * (1 - a) + value(column + 1, row + 1) * a;
    return top * (1 - b) + bottom * b;
  }

 private:
  static constexpr int kMostCells = 12;
  static double smooth(double t) { return t * t * (3 - 2 * t); }
  double value(int column, int row) const { return values_[static_cast<std::size_t>(row * (kMostCells + 1) + column)]; }

  int cells_;
  std::array<double, (kMostCells + 1) * (kMostCells + 1)> values_{};
};

/// Share of the pixel that the object covers.
double coverage(const Scene& scene, int shape, int column, int row) {
  int inside = 0;
  for (int i = 0; i < kSamples * kSamples; ++i) {
    const double dx = (column + (i % kSamples + 0.5) / kSamples - scene.x) / scene.radius;
    const double dy = (row + (i / kSamples + 0.5) / kSamples - scene.y) / scene.radius;
    const double x = scene.cosine * dx + scene.sine * dy;
    const double y = scene.cosine * dy - scene.sine * dx;
    inside += shape_contains(shape, x, y) ? 1 : 0;
  }
  return inside / static_cast<double>(kSamples * kSamples);
}

std::uint8_t to_byte(double value) {
  return static_cast<std::uint8_t>(std::floor(std::clamp(value, 0.0, 255.0) + 0.5));
}

class Synthetic : public Images {
 public:
  explicit Synthetic(const sweeps::DatasetSpec& spec) : spec_(spec) {
    const auto most = static_cast<std::int64_t>(shape_names().size());
    if (spec.class_count < 2 || spec.class_count > most) {
      throw storage::UsageError("data set " + spec.id + ": class_count is " + std::to_string(spec.class_count) +
                                ", expected 2 to " + std::to_string(most));
    }
    constexpr std::int64_t kMostRows = 1'000'000;
    if (spec.train_per_class < 1 || spec.test_per_class < 1 || spec.train_per_class > kMostRows ||
        spec.test_per_class > kMostRows) {
      throw storage::UsageError("data set " + spec.id + ": expected 1 to " + std::to_string(kMostRows) +
                                " for train_per_class and test_per_class");
    }
    classes_.assign(shape_names().begin(), shape_names().begin() + spec.class_count);
  }

  const std::vector<std::string>& classes() const override { return classes_; }
  std::int64_t size(Split split) const override {
    return spec_.class_count * (split == Split::train ? spec_.train_per_class : spec_.test_per_class);
  }
  int label(Split split, std::int64_t i) const override {
    expect_row(split, i);
    return static_cast<int>(i % spec_.class_count);
  }
  std::string row_id(Split split, std::int64_t i) const override {
    return std::string(name_of(split)) + "/" + classes_[static_cast<std::size_t>(label(split, i))] + "#" +
           std::to_string(i / spec_.class_count);
  }
  Image read(Split split, std::int64_t i) const override;
  std::string stamp() const override {
    std::string options = fmt::format("synthetic {} {} {} {} {}", kVersion, spec_.train_per_class, spec_.test_per_class,
                                      spec_.class_count, spec_.seed);
    if (spec_.upright) options += " upright";
    return stamp_of(options, {}, {});
  }
  bool may_differ_in_size() const override { return false; }

 private:
  void expect_row(Split split, std::int64_t i) const {
    if (i < 0 || i >= size(split)) throw storage::Error("data set " + spec_.id + ": no row " + std::to_string(i));
  }

  sweeps::DatasetSpec spec_;
  std::vector<std::string> classes_;
};

Image Synthetic::read(Split split, std::int64_t i) const {
  const int shape = label(split, i);
  const std::string& name = classes_[static_cast<std::size_t>(shape)];
  const auto row = static_cast<std::uint32_t>(i / spec_.class_count);
  const sweeps::RandomStream scenes(spec_.seed, "synthetic", name, "synthetic/scene");
  const sweeps::RandomStream textures(spec_.seed, "synthetic", name, "synthetic/texture");
  const sweeps::RandomStream noises(spec_.seed, "synthetic", name, "synthetic/noise");
  Scene scene = draw_scene(Draws(scenes, split, row));
  if (spec_.upright) {  // a stream of its own: all but the rotation is as it would be
    const sweeps::RandomStream tilts(spec_.seed, "synthetic", name, "synthetic/tilt");
    draw_tilt(Draws(tilts, split, row), scene);
  }
  Draws grid(textures, split, row);
  const Texture coarse(grid, 4);
  const Texture fine(grid, 12);
  Draws noise(noises, split, row);
  Image image{kSide, kSide, std::vector<std::uint8_t>(3 * kSide * kSide)};
  auto* byte = image.rgb.data();
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) {
      const double share = coverage(scene, shape, x, y);
      const double texture = kTexture * (0.5 * coarse.at(x, y) + 0.5 * fine.at(x, y));
      for (std::size_t c = 0; c < 3; ++c) {
        const double colour = scene.background[c] + (scene.object[c] - scene.background[c]) * share;
        *byte++ = to_byte(colour + texture * scene.tint[c] + kNoise * noise.bell());
      }
    }
  }
  return image;
}

}  // namespace

std::unique_ptr<Images> open_synthetic(const sweeps::DatasetSpec& spec) {
  return std::make_unique<Synthetic>(spec);
}

}  // namespace datasets
