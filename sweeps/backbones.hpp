// What is known of each backbone without its weights and without LibTorch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sweeps/job.hpp"

namespace sweeps {

/// The pseudo-backbone of methods plad and rotation: the images themselves, 3x32x32 bytes. It has no weights, and no
/// sweep names it.
inline constexpr char kRawImages[] = "raw32";

/// The pseudo-backbone of data sets of kind "features", whose rows some other program computed. It has no weights.
inline constexpr char kOwnFeatures[] = "features";

struct BackboneFacts {
  std::string name;          ///< as written in a sweep
  std::string weights_file;  ///< the published file's name; empty for kRawImages and kOwnFeatures
  std::string weights_hash;  ///< how the SHA-256 of that file begins, in lower-case hexadecimal; all of it where known
  bool in_paper;             ///< one of the paper's three
  std::int64_t row_length;   ///< L of its rows; 0 for kOwnFeatures, whose data set knows it
  int input_size;            ///< side of its square input, pixels; 0 for kOwnFeatures
};

/// The backbones that a sweep may name for images.
const std::vector<BackboneFacts>& known_backbones();
std::vector<std::string> backbone_names();
/// Of one of them, of kRawImages or of kOwnFeatures. Throws storage::UsageError with the nearest right name.
const BackboneFacts& backbone_facts(const std::string& name);
/// What the rows of a job come through: its backbone, kRawImages for methods that read images.
std::string backbone_of(const Job& job);
/// Whether rows through `backbone` need weights and normalised images: not kRawImages, not kOwnFeatures.
bool has_weights(const std::string& backbone);
/// Why a sweep may not say `"backbone": name`, and what to write instead, e.g. `unknown backbone "x"; expected ...`.
std::string why_no_backbone(const std::string& name);

/// Largest seed of random weights.
inline constexpr std::uint32_t kLastWeightsSeed = 9999;
/// Where weights may be given, `random:SEED` stands for an untrained network: the seed of such a text, nothing for the
/// path of a file. Throws storage::UsageError for a text that begins with `random:` and has no seed after it.
std::optional<std::uint32_t> random_weights_seed(const std::string& weights);

}  // namespace sweeps
