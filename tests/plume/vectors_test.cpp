// Which vectors kernels are made with.
#include "plume/vectors.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>

namespace plume {
namespace {

/// Of a process of its own, since it holds for good.
TEST(VectorsDeathTest, OfAProcessorThatIsHeldEndWithThoseThatItIsHeldTo) {
  const auto ends_with_portable = [] {
    hold_vectors_to("portable");
    return vector_kinds() == std::vector<std::string>{"portable"} && index_of_vector_kind("") == 0;
  };
  EXPECT_EXIT(std::_Exit(ends_with_portable() ? 7 : 1), testing::ExitedWithCode(7), "");
}

TEST(Vectors, CannotBeHeldToThoseThatNoProcessorHas) {
  const auto before = vector_kinds();
  EXPECT_THROW(hold_vectors_to("avx3"), std::invalid_argument);
  EXPECT_EQ(vector_kinds(), before);
}

}  // namespace
}  // namespace plume
