// Reads the HDF5 file of a feature set and believes nothing in it: types, layout and sizes are checked before memory is
// taken, the payload by its checksum. Writing it: feature_file.cpp.
#include <algorithm>
#include <array>
#include <limits>
#include <system_error>

#include "storage/atomic_file.hpp"
#include "storage/error.hpp"
#include "storage/feature_file.hpp"
#include "storage/feature_layout.hpp"
#include "storage/hdf5_handle.hpp"

namespace storage {
namespace {

namespace fs = std::filesystem;

/// An open feature file: every function throws Error naming it.
class OpenFeatures {
 public:
  explicit OpenFeatures(const fs::path& file) : file_(file), bytes_(size_of(file)), id_(open(file)) { check_format(); }

  std::string text_attribute(const char* name) const;
  std::int32_t number_attribute(const char* name) const;
  /// A data set in plain, complete, contiguous storage.
  Hdf5Handle dataset(const char* name) const;
  std::vector<hsize_t> sizes(const Hdf5Handle& dataset, const char* name) const;
  template <typename T>
  std::vector<T> numbers(const char* name, hid_t type, const std::vector<hsize_t>& expected) const;
  std::vector<std::string> texts(const char* name) const;
  FeatureHeader header() const;
  Rows rows(const FeatureHeader& header) const;
  [[noreturn]] void damaged(const std::string& what) const {
    throw Error(file_.string() + ": damaged or no feature file: " + what);
  }

 private:
  static std::uintmax_t size_of(const fs::path& file);
  static Hdf5Handle open(const fs::path& file);
  void check_format();
  void check_storage(const Hdf5Handle& dataset, const char* name) const;
  void check_rank(const std::vector<hsize_t>& extent, std::size_t rank, const char* name) const {
    if (extent.size() != rank) damaged(std::string(name) + " has another number of dimensions");
  }
  RowKind kind_of_rows(const Hdf5Handle& rows, const std::vector<hsize_t>& extent) const;
  Hdf5Handle attribute(const char* name) const;
  Hdf5Handle string_type(Hdf5Handle type, const std::string& name) const;
  template <typename Status>
  Status check(Status status, const std::string& doing) const {
    return check_hdf5(status, file_, doing);
  }

  fs::path file_;
  std::uintmax_t bytes_;
  Hdf5Handle id_;
  std::int32_t version_ = 0;
};

std::uintmax_t OpenFeatures::size_of(const fs::path& file) {
  std::error_code error;
  const bool regular = fs::is_regular_file(file, error);
  const std::uintmax_t size = regular ? fs::file_size(file, error) : 0;
  if (error) fail_with_errno(file, "cannot open", error.value());
  if (!regular) throw Error(file.string() + ": expected a feature file, found a folder or device");
  return size;
}

Hdf5Handle OpenFeatures::open(const fs::path& file) {
  const Hdf5Handle access = file_access(file);
  const std::string doing = "damaged or no feature file";
  return check_hdf5(H5Fopen(file.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose, file, doing);
}

void OpenFeatures::check_format() {
  const std::string format = text_attribute("format");
  if (format != kFeatureFormat) damaged("expected format \"" + std::string(kFeatureFormat) + "\"");
  version_ = number_attribute("version");
  if (version_ >= kOldestFeatureVersion && version_ <= kFeatureVersion) return;
  throw Error(file_.string() + ": expected version " + std::to_string(kOldestFeatureVersion) + " to " +
              std::to_string(kFeatureVersion) + " of the feature format, found " + std::to_string(version_) +
              ": use another cache folder, or the plume-bench that wrote it");
}

Hdf5Handle OpenFeatures::attribute(const char* name) const {
  if (check(H5Aexists(id_.get(), name), "cannot read") == 0) damaged(std::string("no attribute ") + name);
  Hdf5Handle attribute(check(H5Aopen(id_.get(), name, H5P_DEFAULT), "cannot read"), H5Aclose);
  const Hdf5Handle space(check(H5Aget_space(attribute.get()), "cannot read"), H5Sclose);
  if (H5Sget_simple_extent_type(space.get()) != H5S_SCALAR)
    damaged(std::string("attribute ") + name + " is no single value");
  return attribute;
}

Hdf5Handle OpenFeatures::string_type(Hdf5Handle type, const std::string& name) const {
  const bool fits = H5Tget_class(type.get()) == H5T_STRING && H5Tis_variable_str(type.get()) == 0 &&
                    H5Tget_size(type.get()) >= 1 && H5Tget_size(type.get()) <= kMaxFeatureText;
  if (!fits) damaged(name + " is no fixed-length string of at most " + std::to_string(kMaxFeatureText) + " bytes");
  return type;
}

/// Of a zero-padded string.
std::string without_padding(const char* bytes, std::size_t length) {
  return std::string(bytes, std::find(bytes, bytes + length, '\0'));
}

std::string OpenFeatures::text_attribute(const char* name) const {
  const Hdf5Handle from = attribute(name);
  const Hdf5Handle type = string_type(Hdf5Handle(check(H5Aget_type(from.get()), "cannot read"), H5Tclose), name);
  std::string bytes(H5Tget_size(type.get()), '\0');
  check(H5Aread(from.get(), type.get(), bytes.data()), "cannot read");
  return without_padding(bytes.data(), bytes.size());
}

std::int32_t OpenFeatures::number_attribute(const char* name) const {
  const Hdf5Handle from = attribute(name);
  const Hdf5Handle type(check(H5Aget_type(from.get()), "cannot read"), H5Tclose);
  if (H5Tequal(type.get(), H5T_STD_I32LE) <= 0) damaged(std::string("attribute ") + name + " is no 32-bit integer");
  std::int32_t number = 0;
  check(H5Aread(from.get(), H5T_NATIVE_INT32, &number), "cannot read");
  return number;
}

/// Anything but bytes lying in this very file is refused: links and external or virtual storage would read other files
/// or, where those are missing, silently give zeros; filters run other code.
void OpenFeatures::check_storage(const Hdf5Handle& dataset, const char* name) const {
  const Hdf5Handle how(check(H5Dget_create_plist(dataset.get()), "cannot read"), H5Pclose);
  if (H5Pget_layout(how.get()) != H5D_CONTIGUOUS) damaged(std::string(name) + " is not contiguous");
  if (H5Pget_external_count(how.get()) != 0) damaged(std::string(name) + " lies in another file");
  if (H5Pget_nfilters(how.get()) != 0) damaged(std::string(name) + " is compressed or filtered");
}

Hdf5Handle OpenFeatures::dataset(const char* name) const {
  H5L_info_t link{};
  if (check(H5Lexists(id_.get(), name, H5P_DEFAULT), "cannot read") == 0) damaged(std::string("no data set ") + name);
  check(H5Lget_info(id_.get(), name, &link, H5P_DEFAULT), "cannot read");
  if (link.type != H5L_TYPE_HARD) damaged(std::string(name) + " is a link to elsewhere");
  Hdf5Handle dataset(check(H5Dopen2(id_.get(), name, H5P_DEFAULT), "cannot read"), H5Dclose);
  check_storage(dataset, name);
  const std::vector<hsize_t> extent = sizes(dataset, name);
  const Hdf5Handle type(check(H5Dget_type(dataset.get()), "cannot read"), H5Tclose);
  if (H5Tis_variable_str(type.get()) > 0) damaged(std::string(name) + " is no array of fixed-length strings");
  if (std::find(extent.begin(), extent.end(), hsize_t{0}) != extent.end()) return dataset;  // no byte to be read
  // The product cannot overflow unnoticed: each step is compared with what the file could hold at most.
  std::uintmax_t bytes = H5Tget_size(type.get());
  for (const hsize_t size : extent) {
    if (bytes > bytes_ / size) damaged(std::string(name) + " is said to be larger than the file");
    bytes *= size;
  }
  const haddr_t offset = H5Dget_offset(dataset.get());
  if (offset == HADDR_UNDEF || offset > bytes_ || bytes > bytes_ - offset ||
      H5Dget_storage_size(dataset.get()) != bytes) {
    damaged(std::string(name) + " is not wholly in the file");
  }
  return dataset;
}

std::vector<hsize_t> OpenFeatures::sizes(const Hdf5Handle& dataset, const char* name) const {
  const Hdf5Handle space(check(H5Dget_space(dataset.get()), "cannot read"), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space.get());
  if (H5Sget_simple_extent_type(space.get()) != H5S_SIMPLE || rank < 1) damaged(std::string(name) + " is no array");
  std::vector<hsize_t> sizes(static_cast<std::size_t>(rank));
  check(H5Sget_simple_extent_dims(space.get(), sizes.data(), nullptr), "cannot read");
  return sizes;
}

template <typename T>
std::vector<T> OpenFeatures::numbers(const char* name, hid_t type, const std::vector<hsize_t>& expected) const {
  const Hdf5Handle from = dataset(name);
  const Hdf5Handle found_type(check(H5Dget_type(from.get()), "cannot read"), H5Tclose);
  if (H5Tequal(found_type.get(), type) <= 0) damaged(std::string(name) + " has another number type");
  const std::vector<hsize_t> extent = sizes(from, name);
  check_rank(extent, expected.size(), name);
  if (extent != expected) damaged(std::string(name) + " has another size than the other data sets");
  std::size_t count = 1;
  for (const hsize_t size : expected) count *= size;
  std::vector<T> values(count);
  if (count > 0) check(H5Dread(from.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "cannot read");
  return values;
}

std::vector<std::string> OpenFeatures::texts(const char* name) const {
  const Hdf5Handle from = dataset(name);
  const Hdf5Handle type = string_type(Hdf5Handle(check(H5Dget_type(from.get()), "cannot read"), H5Tclose), name);
  const std::size_t length = H5Tget_size(type.get());
  const std::vector<hsize_t> extent = sizes(from, name);
  check_rank(extent, 1, name);
  const std::size_t count = extent[0];
  std::string bytes(count * length, '\0');
  if (count > 0) check(H5Dread(from.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), "cannot read");
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) texts.push_back(without_padding(bytes.data() + i * length, length));
  return texts;
}

/// By the number type, which settles what the dimensions must be.
RowKind OpenFeatures::kind_of_rows(const Hdf5Handle& rows, const std::vector<hsize_t>& extent) const {
  const Hdf5Handle type(check(H5Dget_type(rows.get()), "cannot read"), H5Tclose);
  if (H5Tequal(type.get(), H5T_IEEE_F32LE) > 0) {
    check_rank(extent, 2, "rows");
    if (extent[1] == 0) damaged("rows have an impossible size");
    return RowKind::features;
  }
  if (H5Tequal(type.get(), H5T_STD_U8LE) <= 0) damaged("rows has another number type");
  if (version_ < kFirstVersionWithImages) damaged("rows are images, which version 1 did not have");
  check_rank(extent, 4, "rows");
  if (extent[1] != kImageChannels || extent[2] != kImageSide || extent[3] != kImageSide) {
    damaged("rows are images of another size than [3, 32, 32]");
  }
  return RowKind::images;
}

FeatureHeader OpenFeatures::header() const {
  FeatureHeader header;
  header.identity = text_attribute("identity");
  header.checksum = text_attribute("checksum");
  const Hdf5Handle rows = dataset("rows");
  const std::vector<hsize_t> extent = sizes(rows, "rows");
  const auto most = static_cast<hsize_t>(std::numeric_limits<std::int64_t>::max());
  if (*std::max_element(extent.begin(), extent.end()) > most) damaged("rows have an impossible size");
  header.kind = kind_of_rows(rows, extent);
  header.row_count = static_cast<std::int64_t>(extent[0]);
  header.row_length = header.kind == RowKind::images ? kImageLength : static_cast<std::int64_t>(extent[1]);
  return header;
}

Rows OpenFeatures::rows(const FeatureHeader& header) const {
  const auto count = static_cast<hsize_t>(header.row_count);
  if (header.kind == RowKind::images) {
    return numbers<std::uint8_t>("rows", H5T_STD_U8LE, {count, kImageChannels, kImageSide, kImageSide});
  }
  return numbers<float>("rows", H5T_IEEE_F32LE, {count, static_cast<hsize_t>(header.row_length)});
}

const char* in_words(RowKind kind) {
  return kind == RowKind::images ? "images ([N, 3, 32, 32] uint8)" : "features ([N, L] float32)";
}

/// The place where two identities part, with a little of what surrounds it.
std::string difference(const std::string& expected, const std::string& found) {
  const auto at = std::mismatch(expected.begin(), expected.end(), found.begin(), found.end()).first - expected.begin();
  const std::size_t begin = at > 40 ? static_cast<std::size_t>(at) - 40 : 0;
  const auto part = [&](const std::string& text) {
    return begin >= text.size() ? std::string("...") : "..." + text.substr(begin, 80) + "...";
  };
  return "expected identity " + part(expected) + ", found " + part(found);
}

}  // namespace

FeatureHeader read_feature_header(const fs::path& file) {
  const QuietHdf5 quiet;
  return OpenFeatures(file).header();
}

FeatureTable read_feature_file(const fs::path& file, RowKind expected_kind, const std::string& expected_identity) {
  const QuietHdf5 quiet;
  const OpenFeatures features(file);
  const FeatureHeader header = features.header();
  if (header.kind != expected_kind) {
    throw Error(file.string() + ": of another feature set: expected " + in_words(expected_kind) + ", found " +
                in_words(header.kind));
  }
  if (header.identity != expected_identity) {
    throw Error(file.string() + ": of another feature set: " + difference(expected_identity, header.identity));
  }
  FeatureTable table;
  table.identity = header.identity;
  table.row_count = header.row_count;
  table.row_length = header.row_length;
  const auto count = static_cast<hsize_t>(header.row_count);
  table.rows = features.rows(header);
  table.labels = features.numbers<std::int32_t>("labels", H5T_STD_I32LE, {count});
  table.ids = features.texts("ids");
  table.classes = features.texts("classes");
  if (table.ids.size() != count) features.damaged("ids have another size than rows");
  const auto class_count = static_cast<std::int64_t>(table.classes.size());
  for (const std::int32_t label : table.labels) {
    if (label < 0 || label >= class_count) features.damaged("label " + std::to_string(label) + " has no class");
  }
  const std::string checksum = payload_checksum(table);
  if (checksum != header.checksum) features.damaged("checksum is " + checksum + ", expected " + header.checksum);
  return table;
}

}  // namespace storage
