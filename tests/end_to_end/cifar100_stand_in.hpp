// Files in CIFAR-100's official binary layout and of its size, with made-up pictures: the archive is not at hand.
#pragma once

#include <filesystem>

namespace tests {

/// Writes train.bin and test.bin into `folder`, 184 MB. Record i has the fine label i % 100; a picture is a gradient in
/// the colours of its superclass, with noise.
void write_cifar100_stand_in(const std::filesystem::path& folder);

}  // namespace tests
