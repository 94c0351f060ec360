// Arrays in an HDF5 file that another program wrote. What feature_file_read.cpp refuses in a file of ours is allowed
// here where it is common and harmless: chunks, compression, texts of any length.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "storage/atomic_file.hpp"
#include "storage/descriptor.hpp"
#include "storage/error.hpp"
#include "storage/foreign_arrays.hpp"
#include "storage/hdf5_handle.hpp"

namespace storage {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";

/// A data set that has been found harmless to read.
struct Checked {
  Hdf5Handle dataset;
  Hdf5Handle type;
  std::vector<hsize_t> sizes;
};

class Hdf5File {
 public:
  explicit Hdf5File(const fs::path& file) : file_(file), id_(open(file)) {}

  bool has(const std::string& path) const;
  Checked dataset(const std::string& path) const;
  std::string origin(const std::string& path) const { return file_.string() + ": " + path; }
  const fs::path& file() const { return file_; }
  [[noreturn]] void refuse(const std::string& path, const std::string& what) const {
    throw UsageError(origin(path) + ": " + what);
  }
  template <typename Status>
  Status check(Status status, const std::string& path) const {
    return check_hdf5(status, file_, path + " cannot be read");
  }

 private:
  static Hdf5Handle open(const fs::path& file);
  H5O_type_t kind_of(const std::string& piece, const std::string& path) const;
  void check_link(const std::string& path, const std::string& whole) const;
  void check_storage(const Hdf5Handle& dataset, const std::string& path) const;
  void check_bytes(const Checked& data, const std::string& path) const;
  void check_chunks(const Checked& data, const std::string& path) const;

  QuietHdf5 quiet_;
  fs::path file_;
  Hdf5Handle id_;
};

Hdf5Handle Hdf5File::open(const fs::path& file) {
  if (!is_hdf5(file)) throw UsageError(file.string() + ": is no HDF5 file; expected one of h5py.File(FILE, \"w\")");
  const Hdf5Handle access = file_access(file);
  try {
    return check_hdf5(H5Fopen(file.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose, file, "damaged or truncated");
  } catch (const Error& error) {
    throw UsageError(std::string(error.what()) + "; write the file again and close it");
  }
}

/// Each piece of "train/features" must be there and lie in this very file.
bool Hdf5File::has(const std::string& path) const {
  for (std::size_t end = path.find('/');; end = path.find('/', end + 1)) {
    const std::string piece = path.substr(0, end);
    if (check(H5Lexists(id_.get(), piece.c_str(), H5P_DEFAULT), path) == 0) return false;
    if (end == std::string::npos) return true;
    check_link(piece, path);
    if (kind_of(piece, path) != H5O_TYPE_GROUP) return false;
  }
}

H5O_type_t Hdf5File::kind_of(const std::string& piece, const std::string& path) const {
  H5O_info_t about{};
  check(H5Oget_info_by_name(id_.get(), piece.c_str(), &about, H5P_DEFAULT), path);
  return about.type;
}

void Hdf5File::check_link(const std::string& path, const std::string& whole) const {
  H5L_info_t link{};
  check(H5Lget_info(id_.get(), path.c_str(), &link, H5P_DEFAULT), whole);
  if (link.type != H5L_TYPE_HARD)
    refuse(whole, "is a soft or external link, and links are not followed; write the array itself there");
}

/// External and virtual storage would read other files or, where those are missing, silently give zeros; filters that
/// are not HDF5's own are code from elsewhere.
void Hdf5File::check_storage(const Hdf5Handle& dataset, const std::string& path) const {
  const Hdf5Handle how(check(H5Dget_create_plist(dataset.get()), path), H5Pclose);
  const H5D_layout_t layout = H5Pget_layout(how.get());
  if (layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED && layout != H5D_COMPACT) {
    refuse(path, "is virtual: its numbers lie in other files; write the array itself into this file");
  }
  if (H5Pget_external_count(how.get()) != 0) {
    refuse(path, "has its numbers in another file; write the array itself into this file");
  }
  const int filters = check(H5Pget_nfilters(how.get()), path);
  for (int i = 0; i < filters; ++i) {
    unsigned flags = 0;
    std::size_t values = 0;
    const H5Z_filter_t filter =
        H5Pget_filter2(how.get(), static_cast<unsigned>(i), &flags, &values, nullptr, 0, nullptr, nullptr);
    if (filter == H5Z_FILTER_DEFLATE || filter == H5Z_FILTER_SHUFFLE || filter == H5Z_FILTER_FLETCHER32) continue;
    refuse(path, "is compressed with HDF5 filter " + std::to_string(filter) +
                     ", which is not read; write it plain or with compression=\"gzip\"");
  }
}

/// Chunks that were never written read as zeros.
void Hdf5File::check_chunks(const Checked& data, const std::string& path) const {
  const Hdf5Handle how(check(H5Dget_create_plist(data.dataset.get()), path), H5Pclose);
  if (H5Pget_layout(how.get()) != H5D_CHUNKED) return;
  std::vector<hsize_t> chunk(data.sizes.size());
  check(H5Pget_chunk(how.get(), static_cast<int>(chunk.size()), chunk.data()), path);
  hsize_t expected = 1;
  for (std::size_t d = 0; d < chunk.size(); ++d) {
    const hsize_t along = (data.sizes[d] + chunk[d] - 1) / chunk[d];
    if (__builtin_mul_overflow(expected, along, &expected))
      refuse(path, "is damaged: it has more chunks than any file");
  }
  const Hdf5Handle space(check(H5Dget_space(data.dataset.get()), path), H5Sclose);
  hsize_t written = 0;
  check(H5Dget_num_chunks(data.dataset.get(), space.get(), &written), path);
  if (written >= expected) return;
  refuse(path, "is only in part written: " + std::to_string(written) + " of its " + std::to_string(expected) +
                   " chunks are there; write all of its values and close the file");
}

/// What was never written reads as zeros, and a said size may be anything: the bytes in the file bound it. Deflate
/// makes at most 1,032 bytes of one.
void Hdf5File::check_bytes(const Checked& data, const std::string& path) const {
  constexpr std::uint64_t kMostPerByte = 1100;
  std::uint64_t said = H5Tget_size(data.type.get());
  for (const hsize_t size : data.sizes) {
    if (__builtin_mul_overflow(said, size, &said)) refuse(path, "is damaged: it is said to be larger than any file");
  }
  const std::uint64_t stored = H5Dget_storage_size(data.dataset.get());
  if (said > 0 && stored == 0) refuse(path, "was never written; write its values and close the file");
  check_chunks(data, path);
  if (said / kMostPerByte > stored || stored > fs::file_size(file_)) {
    refuse(path, "is damaged, or only in part written: it is said to have " + std::to_string(said) + " bytes");
  }
}

Checked Hdf5File::dataset(const std::string& path) const {
  if (!has(path)) refuse(path, "is not there; see \"features\" in the README for what the file must hold");
  check_link(path, path);
  if (kind_of(path, path) != H5O_TYPE_DATASET) refuse(path, "is a group; expected an array");
  Hdf5Handle dataset(check(H5Dopen2(id_.get(), path.c_str(), H5P_DEFAULT), path), H5Dclose);
  check_storage(dataset, path);
  Hdf5Handle type(check(H5Dget_type(dataset.get()), path), H5Tclose);
  const Hdf5Handle space(check(H5Dget_space(dataset.get()), path), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space.get());
  std::vector<hsize_t> sizes(static_cast<std::size_t>(std::max(rank, 0)));
  if (H5Sget_simple_extent_type(space.get()) != H5S_SIMPLE || rank < 1) refuse(path, "is a single value, not an array");
  check(H5Sget_simple_extent_dims(space.get(), sizes.data(), nullptr), path);
  Checked data{std::move(dataset), std::move(type), std::move(sizes)};
  check_bytes(data, path);
  return data;
}

/// IEEE 754 binary16 of the byte order of `single`, for which HDF5 1.10 has no name.
Hdf5Handle half_type(hid_t single) {
  Hdf5Handle type(H5Tcopy(single), H5Tclose);
  H5Tset_fields(type.get(), 15, 10, 5, 0, 10);
  H5Tset_size(type.get(), 2);
  H5Tset_ebias(type.get(), 15);
  return type;
}

bool is_float(const Hdf5Handle& type) {
  const Hdf5Handle half = half_type(H5T_IEEE_F32LE), big_endian_half = half_type(H5T_IEEE_F32BE);
  for (const hid_t known :
       {H5T_IEEE_F32LE, H5T_IEEE_F32BE, H5T_IEEE_F64LE, H5T_IEEE_F64BE, half.get(), big_endian_half.get()}) {
    if (H5Tequal(type.get(), known) > 0) return true;
  }
  return false;
}

class Hdf5Matrix : public Matrix {
 public:
  Hdf5Matrix(const Hdf5File& file, const std::string& path)
      : file_(file), path_(path), origin_(file.origin(path)), data_(file.dataset(path)) {
    if (!is_float(data_.type)) {
      file.refuse(path, "does not hold floats of 16, 32 or 64 bits; write array.astype(\"float32\")");
    }
    if (data_.sizes.size() != 2) {
      file.refuse(path,
                  "has " + std::to_string(data_.sizes.size()) + " dimensions; expected 2, [rows, features of a row]");
    }
    if (data_.sizes[0] > static_cast<hsize_t>(kMostArrayRows) || data_.sizes[1] < 1 ||
        data_.sizes[1] > static_cast<hsize_t>(kLongestArrayRow)) {
      file.refuse(path, "is [" + std::to_string(data_.sizes[0]) + ", " + std::to_string(data_.sizes[1]) +
                            "]; expected at most " + std::to_string(kMostArrayRows) + " rows of 1 to " +
                            std::to_string(kLongestArrayRow) + " features");
    }
  }
  std::int64_t row_count() const override { return static_cast<std::int64_t>(data_.sizes[0]); }
  std::int64_t row_length() const override { return static_cast<std::int64_t>(data_.sizes[1]); }
  std::vector<float> read(std::int64_t first, std::int64_t count) const override {
    const QuietHdf5 quiet;
    const std::array<hsize_t, 2> begin = {static_cast<hsize_t>(first), 0};
    const std::array<hsize_t, 2> extent = {static_cast<hsize_t>(count), data_.sizes[1]};
    const Hdf5Handle from(file_.check(H5Dget_space(data_.dataset.get()), path_), H5Sclose);
    file_.check(H5Sselect_hyperslab(from.get(), H5S_SELECT_SET, begin.data(), nullptr, extent.data(), nullptr), path_);
    const Hdf5Handle to(file_.check(H5Screate_simple(2, extent.data(), nullptr), path_), H5Sclose);
    std::vector<float> numbers(static_cast<std::size_t>(extent[0] * extent[1]));
    file_.check(H5Dread(data_.dataset.get(), H5T_NATIVE_FLOAT, to.get(), from.get(), H5P_DEFAULT, numbers.data()),
                path_);
    return numbers;
  }
  const std::string& origin() const override { return origin_; }

 private:
  const Hdf5File& file_;
  std::string path_, origin_;
  Checked data_;
};

/// In slices, so that no said size is taken on trust: what is not in the file cannot be read.
constexpr hsize_t kLabelsAtOnce = 4096;

template <typename Take>
void for_each_slice(const Hdf5File& file, const std::string& path, const Checked& data, const Take& take) {
  for (hsize_t first = 0; first < data.sizes[0]; first += kLabelsAtOnce) {
    const hsize_t count = std::min(kLabelsAtOnce, data.sizes[0] - first);
    const Hdf5Handle from(file.check(H5Dget_space(data.dataset.get()), path), H5Sclose);
    file.check(H5Sselect_hyperslab(from.get(), H5S_SELECT_SET, &first, nullptr, &count, nullptr), path);
    const Hdf5Handle to(file.check(H5Screate_simple(1, &count, nullptr), path), H5Sclose);
    take(from, to, static_cast<std::size_t>(count));
  }
}

std::vector<std::int64_t> read_numbers(const Hdf5File& file, const std::string& path, const Checked& data) {
  std::vector<std::int64_t> numbers;
  const bool is_signed = H5Tget_sign(data.type.get()) == H5T_SGN_2;
  for_each_slice(file, path, data, [&](const Hdf5Handle& from, const Hdf5Handle& to, std::size_t count) {
    std::vector<std::uint64_t> slice(count);  // HDF5 would make the largest number of what does not fit
    const hid_t type = is_signed ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64;
    file.check(H5Dread(data.dataset.get(), type, to.get(), from.get(), H5P_DEFAULT, slice.data()), path);
    for (const std::uint64_t number : slice) {
      if (!is_signed && number > static_cast<std::uint64_t>(INT64_MAX)) {
        file.refuse(path, "the label of row " + std::to_string(numbers.size()) +
                              " needs more than 63 bits; write labels.astype(str), or indices of classes");
      }
      numbers.push_back(static_cast<std::int64_t>(number));
    }
  });
  return numbers;
}

std::vector<std::string> read_fixed_texts(const Hdf5File& file, const std::string& path, const Checked& data) {
  const std::size_t length = H5Tget_size(data.type.get());
  if (length < 1 || length > kLongestLabel) {
    file.refuse(
        path, "holds texts of " + std::to_string(length) + " bytes; expected at most " + std::to_string(kLongestLabel));
  }
  const bool is_padded_with_spaces = H5Tget_strpad(data.type.get()) == H5T_STR_SPACEPAD;
  std::vector<std::string> texts;
  for_each_slice(file, path, data, [&](const Hdf5Handle& from, const Hdf5Handle& to, std::size_t count) {
    std::string bytes(count * length, '\0');
    file.check(H5Dread(data.dataset.get(), data.type.get(), to.get(), from.get(), H5P_DEFAULT, bytes.data()), path);
    for (std::size_t i = 0; i < count; ++i) {
      const char* begin = bytes.data() + i * length;
      texts.emplace_back(begin, std::find(begin, begin + length, '\0'));
      if (is_padded_with_spaces) texts.back().erase(texts.back().find_last_not_of(' ') + 1);
    }
  });
  return texts;
}

std::vector<std::string> read_variable_texts(const Hdf5File& file, const std::string& path, const Checked& data) {
  std::vector<std::string> texts;
  for_each_slice(file, path, data, [&](const Hdf5Handle& from, const Hdf5Handle& to, std::size_t count) {
    std::vector<char*> pointers(count, nullptr);
    file.check(H5Dread(data.dataset.get(), data.type.get(), to.get(), from.get(), H5P_DEFAULT, pointers.data()), path);
    bool too_long = false;
    for (const char* text : pointers) {
      texts.emplace_back(text == nullptr ? "" : text);
      too_long = too_long || texts.back().size() > kLongestLabel;
    }
    H5Dvlen_reclaim(data.type.get(), to.get(), H5P_DEFAULT, pointers.data());
    if (too_long) file.refuse(path, "holds a text of more than " + std::to_string(kLongestLabel) + " bytes");
  });
  return texts;
}

}  // namespace

/// At the beginning, or behind a block of the user's own: at 512 bytes, 1024, 2048, ...
bool is_hdf5(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return false;
  const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.get() < 0) fail_with_errno(file, "cannot open", errno);
  std::array<char, kSignature.size()> head{};
  const auto is_at = [&](off_t at) {
    return ::pread(descriptor.get(), head.data(), head.size(), at) == static_cast<ssize_t>(head.size());
  };
  for (off_t at = 0; is_at(at); at = at == 0 ? 512 : 2 * at) {
    if (std::string_view(head.data(), head.size()) == kSignature) return true;
  }
  return false;
}

struct Hdf5Arrays::Open {
  explicit Open(const fs::path& name) : file(name) {}
  Hdf5File file;
};

Hdf5Arrays::Hdf5Arrays(const fs::path& file) : open_(std::make_unique<Open>(file)) {}
Hdf5Arrays::~Hdf5Arrays() = default;

bool Hdf5Arrays::has(const std::string& path) const {
  return open_->file.has(path);
}

std::unique_ptr<Matrix> Hdf5Arrays::matrix(const std::string& path) const {
  return std::make_unique<Hdf5Matrix>(open_->file, path);
}

Labels Hdf5Arrays::labels(const std::string& path) const {
  const Hdf5File& file = open_->file;
  const Checked data = file.dataset(path);
  if (data.sizes.size() != 1) {
    file.refuse(path, "has " + std::to_string(data.sizes.size()) + " dimensions; expected 1, one label a row");
  }
  if (data.sizes[0] > static_cast<hsize_t>(kMostArrayRows)) {
    file.refuse(path, "holds more than " + std::to_string(kMostArrayRows) + " labels");
  }
  Labels labels;
  const H5T_class_t kind = H5Tget_class(data.type.get());
  labels.are_texts = kind == H5T_STRING;
  if (kind == H5T_INTEGER) {
    labels.numbers = read_numbers(file, path, data);
  } else if (kind != H5T_STRING) {
    file.refuse(path, "holds neither whole numbers nor texts; write labels.astype(int) or a list of texts");
  } else if (H5Tis_variable_str(data.type.get()) > 0) {
    labels.texts = read_variable_texts(file, path, data);
  } else {
    labels.texts = read_fixed_texts(file, path, data);
  }
  return labels;
}

}  // namespace storage
