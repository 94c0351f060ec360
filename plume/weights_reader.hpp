// What the weight readers share: checked reading of bytes, errors that name the file. Shared by every format; knows
// none.
#pragma once

#include "storage/byte_reader.hpp"

namespace plume {

using storage::ByteReader;
using storage::refuse;
using storage::shown;

}  // namespace plume
