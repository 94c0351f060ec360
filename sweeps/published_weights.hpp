// Whether weights are the paper's. They are judged by what feature sets and results record of them, never by a path.
#pragma once

#include <string>
#include <string_view>

#include "sweeps/backbones.hpp"

namespace sweeps {

/// What is recorded of weights: the SHA-256 of their file in 64 lower-case hexadecimal digits, random:SEED, or nothing
/// where rows are made without any.
bool is_weights_identity(const std::string& text);
/// How people name them: the first 8 digits, or random:SEED.
std::string short_name_of_weights(const std::string& identity);

enum class WeightsKind {
  none,       ///< rows made without weights
  paper,      ///< the published file of one of the paper's backbones
  other,      ///< any other file
  untrained,  ///< random:SEED
};
/// `identity` of weights of `backbone`. Anything but `paper` and `none` is not comparable with the paper's numbers.
WeightsKind kind_of_weights(const std::string& backbone, const std::string& identity);
/// "", "paper", "other", "untrained".
std::string_view name_of(WeightsKind kind);
/// The published file of a backbone, of the paper or not?
bool is_published(const BackboneFacts& backbone, const std::string& identity);

/// "its name promises 0676ba61: ..." where the name of a file promises 8 hexadecimal digits that its SHA-256 does not
/// begin with: the published file's name, and any of the form that torchvision gives (NAME-xxxxxxxx.pth, with a letter
/// among them, for digits alone may be a date). Else empty.
std::string broken_promise(const BackboneFacts& backbone, const std::string& file_name, const std::string& identity);

}  // namespace sweeps
