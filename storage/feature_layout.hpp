// Names and limits of the feature file's layout, shared by its writer and its reader.
#pragma once

#include <cstddef>
#include <cstdint>

namespace storage {

inline constexpr char kFeatureFormat[] = "plume-bench features";
/// What is written. Version 1 is read too: it had no images, and its features lie in the same way.
inline constexpr std::int32_t kFeatureVersion = 2;
inline constexpr std::int32_t kOldestFeatureVersion = 1;
inline constexpr std::int32_t kFirstVersionWithImages = 2;
/// An attribute's or an id's longest text, so that no damaged size is believed.
inline constexpr std::size_t kMaxFeatureText = std::size_t{1} << 16;

}  // namespace storage
