// HDF5 lays the file out in memory: everything but the values, for which it only leaves room. Our own code then writes
// the file from front to back, with the values where HDF5 said that they lie. So HDF5 never writes to a disk
// (hdf5_memory_file.hpp), and nobody ever holds the values of an array. The memory is a memfd, where room takes none.
#include "storage/array_file.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <set>
#include <stdexcept>

#include "storage/atomic_file.hpp"
#include "storage/descriptor.hpp"
#include "storage/error.hpp"
#include "storage/hdf5_handle.hpp"
#include "storage/hdf5_text.hpp"

namespace storage {
namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "values are written as they lie in memory");

const std::string kWriting = "cannot write";
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

std::size_t value_bytes_of(const NamedArray& array) {
  if (array.type == ArrayType::reals) return sizeof(float);
  return array.type == ArrayType::texts ? std::max<std::size_t>(array.text_bytes, 1) : 8;
}

Hdf5Handle type_of(const fs::path& target, const NamedArray& array) {
  if (array.type == ArrayType::texts) return text_type(target, array.text_bytes);
  const hid_t type = array.type == ArrayType::numbers ? H5T_IEEE_F64LE
                     : array.type == ArrayType::reals ? H5T_IEEE_F32LE
                                                      : H5T_STD_I64LE;
  return check_hdf5(H5Tcopy(type), H5Tclose, target, kWriting);
}

/// Texts of variable length: those of a fixed one are no `str` to h5py, where they are attributes.
void write_attributes(const fs::path& target, hid_t object, const ArrayAttributes& attributes) {
  const Hdf5Handle text_of_any_length = text_type(target, H5T_VARIABLE);
  for (const auto& [name, value] : attributes) {
    if (const auto* text = std::get_if<std::string>(&value)) {
      const char* bytes = text->c_str();
      write_attribute(target, object, name, text_of_any_length.get(), &bytes);
    } else if (const auto* fixed = std::get_if<FixedText>(&value)) {
      write_text_attribute(target, object, name, fixed->text);
    } else if (const auto* number = std::get_if<double>(&value)) {
      write_attribute(target, object, name, H5T_IEEE_F64LE, number);
    } else {
      write_attribute(target, object, name, H5T_STD_I64LE, &std::get<std::int64_t>(value));
    }
  }
}

/// Without times: the same arrays are the same bytes, whenever they are written.
Hdf5Handle creation(const fs::path& target, hid_t kind) {
  Hdf5Handle how = check_hdf5(H5Pcreate(kind), H5Pclose, target, kWriting);
  check_hdf5(H5Pset_obj_track_times(how.get(), false), target, kWriting);
  return how;
}

/// Where the values of an array lie in the file.
struct Place {
  std::uint64_t offset = 0;
  const NamedArray* array = nullptr;
};

/// Leaves room for an array; its place, unless it has no values.
std::vector<Place> make_room(const fs::path& target, hid_t file, const NamedArray& array) {
  std::vector<hsize_t> extent{array.length};
  if (array.row_length) {
    if (array.rows * *array.row_length != array.length) throw std::logic_error(array.path + ": no such matrix");
    extent = {array.rows, *array.row_length};
  }
  const hid_t space_id = H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr);
  const Hdf5Handle space = check_hdf5(space_id, H5Sclose, target, kWriting);
  const Hdf5Handle how = creation(target, H5P_DATASET_CREATE);
  check_hdf5(H5Pset_layout(how.get(), H5D_CONTIGUOUS), target, kWriting);
  check_hdf5(H5Pset_alloc_time(how.get(), H5D_ALLOC_TIME_EARLY), target, kWriting);
  check_hdf5(H5Pset_fill_time(how.get(), H5D_FILL_TIME_NEVER), target, kWriting);
  const Hdf5Handle type = type_of(target, array);
  const hid_t id = H5Dcreate2(file, array.path.c_str(), type.get(), space.get(), H5P_DEFAULT, how.get(), H5P_DEFAULT);
  Hdf5Handle dataset = check_hdf5(id, H5Dclose, target, kWriting);
  write_attributes(target, dataset.get(), array.attributes);
  const haddr_t offset = H5Dget_offset(dataset.get());
  check_hdf5(dataset.close(), target, kWriting);
  if (array.length == 0) return {};
  if (offset == HADDR_UNDEF) throw Error(target.string() + ": cannot write: HDF5 left no room for " + array.path);
  return {{offset, &array}};
}

void make_groups(const fs::path& target, hid_t file, const std::vector<NamedArray>& arrays) {
  std::set<std::string> groups;
  for (const NamedArray& array : arrays) {
    for (auto slash = array.path.find('/'); slash != std::string::npos; slash = array.path.find('/', slash + 1)) {
      groups.insert(array.path.substr(0, slash));  // the outer one comes first
    }
  }
  for (const std::string& group : groups) {
    const Hdf5Handle how = creation(target, H5P_GROUP_CREATE);
    const hid_t id = H5Gcreate2(file, group.c_str(), H5P_DEFAULT, how.get(), H5P_DEFAULT);
    check_hdf5(id, H5Gclose, target, kWriting);
  }
}

/// The whole file but the arrays' values, in memory.
struct Layout {
  Descriptor bytes;
  std::uint64_t size = 0;
  std::vector<Place> places;  ///< by offset
};

Layout lay_out(const fs::path& target, const ArrayAttributes& attributes, const std::vector<NamedArray>& arrays) {
  Layout layout;
  layout.bytes = Descriptor(::memfd_create("arrays", MFD_CLOEXEC));
  if (layout.bytes.get() < 0) fail_with_errno(target, "cannot lay it out in memory", errno);
  const std::string name = "/proc/self/fd/" + std::to_string(layout.bytes.get());
  const Hdf5Handle access = file_access(target), how = creation(target, H5P_FILE_CREATE);
  // Other drivers would look for the file that this name links to, and a memfd is none.
  check_hdf5(H5Pset_fapl_stdio(access.get()), target, kWriting);
  const hid_t id = H5Fcreate(name.c_str(), H5F_ACC_TRUNC, how.get(), access.get());
  Hdf5Handle file = check_hdf5(id, H5Fclose, target, kWriting);
  write_attributes(target, file.get(), attributes);
  make_groups(target, file.get(), arrays);
  for (const NamedArray& array : arrays) {
    for (const Place& place : make_room(target, file.get(), array)) layout.places.push_back(place);
  }
  check_hdf5(file.close(), target, kWriting);
  struct stat about {};
  if (::fstat(layout.bytes.get(), &about) != 0) fail_with_errno(target, "cannot read its layout", errno);
  layout.size = static_cast<std::uint64_t>(about.st_size);
  std::sort(layout.places.begin(), layout.places.end(),
            [](const Place& one, const Place& other) { return one.offset < other.offset; });
  return layout;
}

}  // namespace

ArrayValues::ArrayValues(ArrayType type, std::uint64_t length, std::size_t value_bytes, ReplacingFile& file)
    : type_(type), left_(length), value_bytes_(value_bytes), file_(file) {
  piece_.reserve(kPieceBytes);
}

void ArrayValues::take(ArrayType type, const void* bytes, std::size_t count) {
  if (type != type_ || left_ == 0 || count > value_bytes_) throw std::logic_error("an array's values are not as said");
  --left_;
  if (piece_.size() + value_bytes_ > kPieceBytes) hand_on();
  piece_.append(static_cast<const char*>(bytes), count).append(value_bytes_ - count, '\0');
}

void ArrayValues::hand_on() {
  file_.append(piece_);
  piece_.clear();
}

void ArrayValues::number(double value) {
  take(ArrayType::numbers, &value, sizeof value);
}

void ArrayValues::whole(std::int64_t value) {
  take(ArrayType::wholes, &value, sizeof value);
}

void ArrayValues::text(std::string_view value) {
  take(ArrayType::texts, value.data(), value.size());
}

void ArrayValues::reals(std::span<const float> values) {
  for (const float value : values) take(ArrayType::reals, &value, sizeof value);
}

/// Writes a layout from front to back, with the values in their places.
class ArrayWriter {
 public:
  ArrayWriter(const fs::path& target, const Layout& layout) : target_(target), layout_(layout), file_(target) {}

  void write() {
    for (const Place& place : layout_.places) {
      copy_layout(place.offset);
      write_values(*place.array);
    }
    copy_layout(layout_.size);
    file_.publish();
  }

 private:
  void copy_layout(std::uint64_t end) {
    std::string piece;
    while (at_ < end) {
      piece.resize(std::min<std::uint64_t>(end - at_, kPieceBytes));
      const ssize_t count = ::pread(layout_.bytes.get(), piece.data(), piece.size(), static_cast<off_t>(at_));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) fail_with_errno(target_, "cannot read its layout", count < 0 ? errno : EIO);
      piece.resize(static_cast<std::size_t>(count));
      file_.append(piece);
      at_ += piece.size();
    }
  }

  void write_values(const NamedArray& array) {
    ArrayValues values(array.type, array.length, value_bytes_of(array), file_);
    array.values(values);
    if (values.left_ != 0) throw std::logic_error(array.path + ": fewer values than were announced");
    values.hand_on();
    at_ += array.length * value_bytes_of(array);
  }

  const fs::path& target_;
  const Layout& layout_;
  ReplacingFile file_;
  std::uint64_t at_ = 0;  ///< written so far, in bytes
};

void write_arrays(const fs::path& target, const ArrayAttributes& attributes, const std::vector<NamedArray>& arrays) {
  const QuietHdf5 quiet;
  const Layout layout = lay_out(target, attributes, arrays);
  ArrayWriter(target, layout).write();
}

}  // namespace storage
