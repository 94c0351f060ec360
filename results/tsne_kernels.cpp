// Each loop is written once over GCC's and Clang's vectors and compiled for each kind of processor, without contraction
// of products and sums (CMakeLists.txt).
#include "results/tsne_kernels.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace results {
namespace {

using Four = double __attribute__((vector_size(32)));
using FourWhole = std::int64_t __attribute__((vector_size(32)));
using EightFloats = float __attribute__((vector_size(32)));

template <typename Vector, typename Value>
[[gnu::always_inline]] inline Vector load(const Value* from) {
  Vector vector;
  std::memcpy(&vector, from, sizeof(Vector));
  return vector;
}

[[gnu::always_inline]] inline double total(const Four& lanes) {
  return ((lanes[0] + lanes[1]) + lanes[2]) + lanes[3];
}

[[gnu::always_inline]] inline double squared_distance(const float* one, const float* other, std::size_t length) {
  constexpr std::size_t kPiece = 512;
  double distance = 0;
  for (std::size_t begin = 0; begin < length; begin += kPiece) {
    const std::size_t end = std::min(length, begin + kPiece);
    EightFloats low{}, high{};
    for (std::size_t k = begin; k < end; k += kTsneFloatLanes) {
      const EightFloats first = load<EightFloats>(one + k) - load<EightFloats>(other + k);
      const EightFloats second = load<EightFloats>(one + k + 8) - load<EightFloats>(other + k + 8);
      low += first * first;
      high += second * second;
    }
    for (int l = 0; l < 8; ++l) distance += static_cast<double>(low[l]) + static_cast<double>(high[l]);
  }
  return distance;
}

/// exp(x) for x <= 0 within some units of the last place, 0 below -700: libm's differs from processor to processor.
/// exp(x) = 2^k exp(r) with |r| <= ln 2 / 2, exp(r) by its series.
[[gnu::always_inline]] inline Four exponential(const Four& x) {
  constexpr double kLog2E = 1.44269504088896340735992468100189214;
  constexpr double kLn2High = 0x1.62e42fee00000p-1, kLn2Low = 0x1.a39ef35793c76p-33;  // k times the high one is exact
  constexpr double kRounder = 0x1.8p52;
  constexpr double kSeries[] = {1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720,
                                1.0 / 120,      1.0 / 24,      1.0 / 6,      0.5,         1.0,        1.0};
  const FourWhole tiny = x < -700.0;
  const Four bounded = tiny ? Four{} - 700.0 : x;
  const Four rounded = bounded * kLog2E + kRounder;  // its last bits are k
  const Four k = rounded - kRounder;
  const Four r = (bounded - k * kLn2High) - k * kLn2Low;
  Four sum = Four{} + 1.0 / 479001600;
  for (const double term : kSeries) sum = sum * r + term;
  FourWhole bits;
  std::memcpy(&bits, &rounded, sizeof bits);
  bits = (bits + 1023) << 52;
  Four power;
  std::memcpy(&power, &bits, sizeof power);
  return tiny ? Four{} : sum * power;
}

[[gnu::always_inline]] inline TsneSpread spread(const double* distances, std::size_t length, double least, double beta,
                                                double* affinities) {
  Four sums{}, weighted{};
  for (std::size_t j = 0; j < length; j += kTsneLanes) {
    const Four exponent = (load<Four>(distances + j) - least) * -beta;
    const Four affinity = exponential(exponent);
    std::memcpy(affinities + j, &affinity, sizeof affinity);
    sums += affinity;
    weighted -= affinity > 0.0 ? affinity * exponent : Four{};  // 0 times infinity is none
  }
  const double sum = total(sums);
  return {sum, total(weighted) / sum};
}

template <int D>
[[gnu::always_inline]] inline TsnePull pull(std::size_t point, const double* affinities, const double* const* positions,
                                            std::size_t length) {
  Four own[D], attraction[D], repulsion[D], weights{};
  for (int d = 0; d < D; ++d) {
    own[d] = Four{} + positions[d][point];
    attraction[d] = repulsion[d] = Four{};
  }
  for (std::size_t j = 0; j < length; j += kTsneLanes) {
    Four difference[D], distance = Four{} + 1.0;
    for (int d = 0; d < D; ++d) {
      difference[d] = own[d] - load<Four>(positions[d] + j);
      distance += difference[d] * difference[d];
    }
    const Four weight = 1.0 / distance;
    const Four pulls = load<Four>(affinities + j) * weight, pushes = weight * weight;
    weights += weight;
    for (int d = 0; d < D; ++d) {
      attraction[d] += pulls * difference[d];
      repulsion[d] += pushes * difference[d];
    }
  }
  TsnePull sums;
  for (int d = 0; d < D; ++d) {
    sums.attraction[d] = total(attraction[d]);
    sums.repulsion[d] = total(repulsion[d]);
  }
  sums.weights = total(weights);
  return sums;
}

double squared_distance_anywhere(const float* one, const float* other, std::size_t length) {
  return squared_distance(one, other, length);
}
TsneSpread spread_anywhere(const double* distances, std::size_t length, double least, double beta, double* affinities) {
  return spread(distances, length, least, beta, affinities);
}
template <int D>
TsnePull pull_anywhere(std::size_t point, const double* affinities, const double* const* positions,
                       std::size_t length) {
  return pull<D>(point, affinities, positions, length);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] double squared_distance_avx2(const float* one, const float* other, std::size_t length) {
  return squared_distance(one, other, length);
}
[[gnu::target("avx2")]] TsneSpread spread_avx2(const double* distances, std::size_t length, double least, double beta,
                                               double* affinities) {
  return spread(distances, length, least, beta, affinities);
}
template <int D>
[[gnu::target("avx2")]] TsnePull pull_avx2(std::size_t point, const double* affinities, const double* const* positions,
                                           std::size_t length) {
  return pull<D>(point, affinities, positions, length);
}
#endif

std::vector<TsneKernels> kernels_of_this_processor() {
  std::vector<TsneKernels> kernels{{squared_distance_anywhere, spread_anywhere, pull_anywhere<2>, pull_anywhere<3>}};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2"))
    kernels.push_back({squared_distance_avx2, spread_avx2, pull_avx2<2>, pull_avx2<3>});
#endif
  return kernels;
}

}  // namespace

const std::vector<TsneKernels>& tsne_kernels() {
  static const std::vector<TsneKernels> kernels = kernels_of_this_processor();
  return kernels;
}

}  // namespace results
