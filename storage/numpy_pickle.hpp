// Pickles of numpy arrays of bytes among plain values, as Python 2 and 3 write them (protocols 2 to 4), by the
// restricted pickle machine: nothing in a file is run. Opens no file.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "storage/pickle.hpp"

namespace storage {

/// An array of uint8 in C order; as many bytes as its shape asks for.
struct NumpyBytes {
  std::vector<std::int64_t> shape;  ///< at most kMostNumpyDimensions, none negative
  std::string_view bytes;           ///< of the file, or of NumpyPickle::decoded
};
inline constexpr std::size_t kMostNumpyDimensions = 32;
inline constexpr std::size_t kMostNumpyArrays = 1'024;

/// A NumpyBytes among a pickle's values.
struct PickleArray {
  static constexpr std::uint32_t kKind = 0;
  std::size_t index = 0;  ///< into NumpyPickle::arrays
};

/// What one pickle says. Texts and arrays are views into the file's bytes and into `decoded`.
struct NumpyPickle : Pickle {
  std::vector<NumpyBytes> arrays;
  std::deque<std::string> decoded;  ///< bytes that Python 3 wrote as text; together no longer than the file
};

/// Reads a file that is one pickle and nothing else. Throws Error "<origin>: ..." for every opcode and name that is not
/// listed, wrong types, arrays of another type, order or size than they say, and beyond the machine's limits. Takes
/// memory in proportion to the file.
NumpyPickle read_numpy_pickle(std::string_view bytes, const std::string& origin);

}  // namespace storage
