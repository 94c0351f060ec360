// Rows as the networks take them, moved to a device.
#include "plume/input_rows.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "plume/adaptive_pool.hpp"

namespace plume {
namespace {

/// By any backbone: shorter than D, longer, and D itself.
TEST(InputRows, MovedToADeviceAreTheSameBitsAsPooledBatchByBatch) {
  for (const std::int64_t length : {7, 12, 31}) {
    const at::Tensor table = at::rand({10, length});
    const auto rows = InputRows::features(table, 12), moved = rows.on(at::kCPU);
    const at::Tensor chosen = at::tensor({9, 0, 4}, at::kLong);
    EXPECT_TRUE(at::equal(moved.select(chosen, at::kFloat), rows.select(chosen, at::kFloat))) << length;
    EXPECT_TRUE(at::equal(moved.slice(3, 7, at::kFloat), adaptive_pool(table.narrow(0, 3, 7), 12))) << length;
    EXPECT_EQ(moved.size(), 10);
    EXPECT_EQ(moved.dimension(), 12);
  }
}

TEST(InputRows, MovedToADeviceArePooledInPiecesWhereThereAreMany) {
  const at::Tensor table = at::rand({65'536 + 3, 5});
  const auto moved = InputRows::features(table, 2).on(at::kCPU);
  EXPECT_TRUE(at::equal(moved.slice(65'530, 9, at::kFloat), adaptive_pool(table.narrow(0, 65'530, 9), 2)));
}

TEST(InputRows, OfImagesAreMovedAsTheyAre) {
  const at::Tensor images = at::randint(256, {4, 3, 32, 32}, at::kByte);
  const auto rows = InputRows::images(images, statistics_of(images));
  EXPECT_TRUE(at::equal(rows.on(at::kCPU).slice(1, 2, at::kFloat), rows.slice(1, 2, at::kFloat)));
}

}  // namespace
}  // namespace plume
