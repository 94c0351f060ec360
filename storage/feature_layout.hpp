// Names and limits of the feature file's layout, shared by its writer and its reader.
#pragma once

#include <cstddef>
#include <cstdint>

namespace storage {

inline constexpr char kFeatureFormat[] = "plume-bench features";
inline constexpr std::int32_t kFeatureVersion = 1;
/// An attribute's or an id's longest text, so that no damaged size is believed.
inline constexpr std::size_t kMaxFeatureText = std::size_t{1} << 16;

}  // namespace storage
