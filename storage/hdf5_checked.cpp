// Checks over HDF5's C API. What the values mean is the business of whoever knows the layout.
#include "storage/hdf5_checked.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "storage/atomic_file.hpp"
#include "storage/error.hpp"

namespace storage {
namespace {

namespace fs = std::filesystem;

const std::string kReading = "cannot read";

/// Of a zero-padded string.
std::string without_padding(const char* bytes, std::size_t length) {
  return std::string(bytes, std::find(bytes, bytes + length, '\0'));
}

}  // namespace

CheckedHdf5::CheckedHdf5(const fs::path& file, std::string kind)
    : file_(file), kind_(std::move(kind)), bytes_(size_of_file()), id_(open()) {}

void CheckedHdf5::damaged(const std::string& what) const {
  throw Error(file_.string() + ": damaged or no " + kind_ + ": " + what);
}

std::uintmax_t CheckedHdf5::size_of_file() const {
  std::error_code error;
  const bool regular = fs::is_regular_file(file_, error);
  const std::uintmax_t size = regular ? fs::file_size(file_, error) : 0;
  if (error) fail_with_errno(file_, "cannot open", error.value());
  if (!regular) throw Error(file_.string() + ": expected a " + kind_ + ", found a folder or device");
  return size;
}

Hdf5Handle CheckedHdf5::open() const {
  const Hdf5Handle access = file_access(file_);
  return check_hdf5(H5Fopen(file_.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose, file_, "damaged or no " + kind_);
}

bool CheckedHdf5::has_attribute(const char* name) const {
  return check(H5Aexists(id_.get(), name), kReading) > 0;
}

Hdf5Handle CheckedHdf5::attribute(const char* name) const {
  if (!has_attribute(name)) damaged(std::string("no attribute ") + name);
  Hdf5Handle attribute(check(H5Aopen(id_.get(), name, H5P_DEFAULT), kReading), H5Aclose);
  const Hdf5Handle space(check(H5Aget_space(attribute.get()), kReading), H5Sclose);
  if (H5Sget_simple_extent_type(space.get()) != H5S_SCALAR)
    damaged(std::string("attribute ") + name + " is no single value");
  return attribute;
}

Hdf5Handle CheckedHdf5::string_type(Hdf5Handle type, const std::string& name) const {
  const bool fits = H5Tget_class(type.get()) == H5T_STRING && H5Tis_variable_str(type.get()) == 0 &&
                    H5Tget_size(type.get()) >= 1 && H5Tget_size(type.get()) <= kMostTextBytes;
  if (!fits) damaged(name + " is no fixed-length string of at most " + std::to_string(kMostTextBytes) + " bytes");
  return type;
}

std::string CheckedHdf5::text_attribute(const char* name) const {
  const Hdf5Handle from = attribute(name);
  const Hdf5Handle type = string_type(Hdf5Handle(check(H5Aget_type(from.get()), kReading), H5Tclose), name);
  std::string bytes(H5Tget_size(type.get()), '\0');
  check(H5Aread(from.get(), type.get(), bytes.data()), kReading);
  return without_padding(bytes.data(), bytes.size());
}

void CheckedHdf5::read_attribute(const char* name, hid_t type, const char* type_name, void* value) const {
  const Hdf5Handle from = attribute(name);
  const Hdf5Handle found(check(H5Aget_type(from.get()), kReading), H5Tclose);
  if (H5Tequal(found.get(), type) <= 0) damaged(std::string("attribute ") + name + " is no " + type_name);
  check(H5Aread(from.get(), type, value), kReading);
}

std::int32_t CheckedHdf5::short_attribute(const char* name) const {
  std::int32_t number = 0;
  read_attribute(name, H5T_STD_I32LE, "32-bit integer", &number);
  return number;
}

std::int64_t CheckedHdf5::whole_attribute(const char* name) const {
  std::int64_t number = 0;
  read_attribute(name, H5T_STD_I64LE, "64-bit integer", &number);
  return number;
}

double CheckedHdf5::number_attribute(const char* name) const {
  double number = 0;
  read_attribute(name, H5T_IEEE_F64LE, "64-bit floating number", &number);
  return number;
}

bool CheckedHdf5::has(const std::string& path) const {
  for (std::size_t end = path.find('/');; end = path.find('/', end + 1)) {
    const std::string piece = path.substr(0, end);
    if (check(H5Lexists(id_.get(), piece.c_str(), H5P_DEFAULT), kReading) == 0) return false;
    check_link(piece);
    if (end == std::string::npos) return true;
    H5O_info_t about{};
    check(H5Oget_info_by_name(id_.get(), piece.c_str(), &about, H5P_DEFAULT), kReading);
    if (about.type != H5O_TYPE_GROUP) return false;
  }
}

void CheckedHdf5::check_link(const std::string& path) const {
  H5L_info_t link{};
  check(H5Lget_info(id_.get(), path.c_str(), &link, H5P_DEFAULT), kReading);
  if (link.type != H5L_TYPE_HARD) damaged(path + " is a link to elsewhere");
}

/// Anything but bytes lying in this very file is refused: links and external or virtual storage would read other files
/// or, where those are missing, silently give zeros; filters run other code.
void CheckedHdf5::check_storage(const Hdf5Handle& dataset, const std::string& path) const {
  const Hdf5Handle how(check(H5Dget_create_plist(dataset.get()), kReading), H5Pclose);
  if (H5Pget_layout(how.get()) != H5D_CONTIGUOUS) damaged(path + " is not contiguous");
  if (H5Pget_external_count(how.get()) != 0) damaged(path + " lies in another file");
  if (H5Pget_nfilters(how.get()) != 0) damaged(path + " is compressed or filtered");
}

Hdf5Handle CheckedHdf5::dataset(const std::string& path) const {
  if (!has(path)) damaged("no data set " + path);
  Hdf5Handle dataset(check(H5Dopen2(id_.get(), path.c_str(), H5P_DEFAULT), kReading), H5Dclose);
  check_storage(dataset, path);
  const std::vector<hsize_t> extent = sizes(dataset, path);
  const Hdf5Handle type(check(H5Dget_type(dataset.get()), kReading), H5Tclose);
  if (H5Tis_variable_str(type.get()) > 0) damaged(path + " is no array of fixed-length strings");
  if (std::find(extent.begin(), extent.end(), hsize_t{0}) != extent.end()) return dataset;  // no byte to be read
  // The product cannot overflow unnoticed: each step is compared with what the file could hold at most.
  std::uintmax_t bytes = H5Tget_size(type.get());
  for (const hsize_t size : extent) {
    if (bytes > bytes_ / size) damaged(path + " is said to be larger than the file");
    bytes *= size;
  }
  const haddr_t offset = H5Dget_offset(dataset.get());
  if (offset == HADDR_UNDEF || offset > bytes_ || bytes > bytes_ - offset ||
      H5Dget_storage_size(dataset.get()) != bytes) {
    damaged(path + " is not wholly in the file");
  }
  return dataset;
}

std::vector<hsize_t> CheckedHdf5::sizes(const Hdf5Handle& dataset, const std::string& path) const {
  const Hdf5Handle space(check(H5Dget_space(dataset.get()), kReading), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space.get());
  if (H5Sget_simple_extent_type(space.get()) != H5S_SIMPLE || rank < 1) damaged(path + " is no array");
  std::vector<hsize_t> sizes(static_cast<std::size_t>(rank));
  check(H5Sget_simple_extent_dims(space.get(), sizes.data(), nullptr), kReading);
  return sizes;
}

void CheckedHdf5::check_rank(const std::vector<hsize_t>& extent, std::size_t rank, const std::string& path) const {
  if (extent.size() != rank) damaged(path + " has another number of dimensions");
}

template <typename T>
std::vector<T> CheckedHdf5::numbers(const std::string& path, hid_t type, const std::vector<hsize_t>& expected) const {
  const Hdf5Handle from = dataset(path);
  const Hdf5Handle found_type(check(H5Dget_type(from.get()), kReading), H5Tclose);
  if (H5Tequal(found_type.get(), type) <= 0) damaged(path + " has another number type");
  const std::vector<hsize_t> extent = sizes(from, path);
  check_rank(extent, expected.size(), path);
  if (extent != expected) damaged(path + " has another size than the other data sets");
  std::size_t count = 1;
  for (const hsize_t size : expected) count *= size;
  std::vector<T> values(count);
  if (count > 0) check(H5Dread(from.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), kReading);
  return values;
}
template std::vector<std::uint8_t> CheckedHdf5::numbers(const std::string&, hid_t, const std::vector<hsize_t>&) const;
template std::vector<std::int32_t> CheckedHdf5::numbers(const std::string&, hid_t, const std::vector<hsize_t>&) const;
template std::vector<std::int64_t> CheckedHdf5::numbers(const std::string&, hid_t, const std::vector<hsize_t>&) const;
template std::vector<float> CheckedHdf5::numbers(const std::string&, hid_t, const std::vector<hsize_t>&) const;
template std::vector<double> CheckedHdf5::numbers(const std::string&, hid_t, const std::vector<hsize_t>&) const;

std::vector<std::string> CheckedHdf5::texts(const std::string& path) const {
  const Hdf5Handle from = dataset(path);
  const Hdf5Handle type = string_type(Hdf5Handle(check(H5Dget_type(from.get()), kReading), H5Tclose), path);
  const std::size_t length = H5Tget_size(type.get());
  const std::vector<hsize_t> extent = sizes(from, path);
  check_rank(extent, 1, path);
  const std::size_t count = extent[0];
  std::string bytes(count * length, '\0');
  if (count > 0) check(H5Dread(from.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), kReading);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) texts.push_back(without_padding(bytes.data() + i * length, length));
  return texts;
}

}  // namespace storage
