// Writes the HDF5 file of a feature set, and computes its checksum. Reading it back: feature_file_read.cpp.
#include "storage/feature_file.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "storage/atomic_file.hpp"
#include "storage/digest.hpp"
#include "storage/error.hpp"
#include "storage/feature_layout.hpp"
#include "storage/hdf5_handle.hpp"
#include "storage/hdf5_memory_file.hpp"
#include "storage/hdf5_text.hpp"

namespace storage {
namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "the checksum is over little-endian bytes");

const std::string kWriting = "cannot write";

/// The file in memory, and what messages call it.
class GrowingFile {
 public:
  explicit GrowingFile(const fs::path& target) : target_(target), file_(target) {}
  hid_t id() const { return file_.id(); }
  const fs::path& target() const { return target_; }
  std::string_view close() { return file_.close(); }

 private:
  fs::path target_;
  Hdf5MemoryFile file_;
};

void write_dataset(const GrowingFile& file, const char* name, hid_t type, const std::vector<hsize_t>& sizes,
                   const void* values) {
  const fs::path& target = file.target();
  const Hdf5Handle space =
      check_hdf5(H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr), H5Sclose, target, kWriting);
  const Hdf5Handle how = check_hdf5(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, target, kWriting);
  check_hdf5(H5Pset_layout(how.get(), H5D_CONTIGUOUS), target, kWriting);
  check_hdf5(H5Pset_alloc_time(how.get(), H5D_ALLOC_TIME_EARLY), target, kWriting);
  check_hdf5(H5Pset_fill_time(how.get(), H5D_FILL_TIME_NEVER), target, kWriting);
  check_hdf5(H5Pset_obj_track_times(how.get(), false), target, kWriting);  // the same table makes the same bytes
  const hid_t id = H5Dcreate2(file.id(), name, type, space.get(), H5P_DEFAULT, how.get(), H5P_DEFAULT);
  Hdf5Handle dataset = check_hdf5(id, H5Dclose, target, kWriting);
  check_hdf5(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), target, kWriting);
  check_hdf5(dataset.close(), target, kWriting);
}

void write_texts(const GrowingFile& file, const char* name, const std::vector<std::string>& texts) {
  std::size_t length = 1;
  for (const std::string& text : texts) length = std::max(length, text.size());
  std::string bytes(std::max<std::size_t>(texts.size(), 1) * length, '\0');
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i].copy(bytes.data() + i * length, length);
  write_dataset(file, name, text_type(file.target(), length).get(), {texts.size()}, bytes.data());
}

void refuse_unwritable_texts(const fs::path& target, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    if (text.find('\0') == std::string::npos && text.size() <= kMaxFeatureText) continue;
    throw Error(target.string() + ": cannot write: a name has a zero byte or more than " +
                std::to_string(kMaxFeatureText) + " bytes: " + text.substr(0, 40));
  }
}

void refuse_inconsistent(const fs::path& target, const FeatureTable& table) {
  const auto rows = static_cast<std::uint64_t>(table.row_count);
  const auto length = static_cast<std::uint64_t>(table.row_length);
  const std::uint64_t numbers = std::visit([](const auto& all) { return all.size(); }, table.rows);
  const bool length_fits = table.kind() == RowKind::images ? table.row_length == kImageLength : table.row_length >= 1;
  const bool sizes_fit = table.row_count >= 0 && length_fits && table.labels.size() == rows &&
                         table.ids.size() == rows && numbers % length == 0 && numbers / length == rows;
  const auto class_count = static_cast<std::int64_t>(table.classes.size());
  const bool labels_fit = std::all_of(table.labels.begin(), table.labels.end(),
                                      [&](std::int32_t label) { return label >= 0 && label < class_count; });
  if (!sizes_fit || !labels_fit) {
    throw Error(target.string() + ": cannot write: rows, labels, ids and classes do not fit together");
  }
  refuse_unwritable_texts(target, table.ids);
  refuse_unwritable_texts(target, table.classes);
  refuse_unwritable_texts(target, {table.identity});
}

void digest_number(Sha256& digest, std::uint64_t number) {
  digest.update(&number, sizeof(number));
}

void digest_texts(Sha256& digest, const std::vector<std::string>& texts) {
  digest_number(digest, texts.size());
  for (const std::string& text : texts) {
    digest_number(digest, text.size());
    digest.update(text);
  }
}

void write_rows(const GrowingFile& file, const FeatureTable& table) {
  const auto count = static_cast<hsize_t>(table.row_count);
  if (table.kind() == RowKind::images) {
    write_dataset(file, "rows", H5T_STD_U8LE, {count, kImageChannels, kImageSide, kImageSide}, table.images().data());
  } else {
    const auto length = static_cast<hsize_t>(table.row_length);
    write_dataset(file, "rows", H5T_IEEE_F32LE, {count, length}, table.features().data());
  }
}

/// Another process was first: its file must be the one that we wanted to write.
std::string checksum_of_winner(const fs::path& target, const FeatureTable& table) {
  const FeatureHeader header = read_feature_header(target);
  if (header.identity != table.identity || header.kind != table.kind()) {
    throw Error(target.string() + ": is there already, but of another feature set: move it away and run again");
  }
  return header.checksum;
}

}  // namespace

RowKind FeatureTable::kind() const {
  return std::holds_alternative<std::vector<float>>(rows) ? RowKind::features : RowKind::images;
}

std::string payload_checksum(const FeatureTable& table) {
  Sha256 digest;
  digest_number(digest, static_cast<std::uint64_t>(table.row_count));
  if (table.kind() == RowKind::images) {
    for (const std::int64_t size : {kImageChannels, kImageSide, kImageSide}) {
      digest_number(digest, static_cast<std::uint64_t>(size));
    }
  } else {
    digest_number(digest, static_cast<std::uint64_t>(table.row_length));
  }
  std::visit([&](const auto& all) { digest.update(all.data(), all.size() * sizeof(all[0])); }, table.rows);
  digest.update(table.labels.data(), table.labels.size() * sizeof(std::int32_t));
  digest_texts(digest, table.ids);
  digest_texts(digest, table.classes);
  return hex(digest.finish(), 16);
}

std::string write_feature_file(const fs::path& target, const FeatureTable& table) {
  refuse_inconsistent(target, table);
  const QuietHdf5 quiet;
  const std::string checksum = payload_checksum(table);
  GrowingFile file(target);
  write_rows(file, table);
  write_dataset(file, "labels", H5T_STD_I32LE, {table.labels.size()}, table.labels.data());
  write_texts(file, "ids", table.ids);
  write_texts(file, "classes", table.classes);
  write_text_attribute(target, file.id(), "format", kFeatureFormat);
  write_attribute(target, file.id(), "version", H5T_STD_I32LE, &kFeatureVersion);
  write_text_attribute(target, file.id(), "identity", table.identity);
  write_text_attribute(target, file.id(), "checksum", checksum);
  const bool won = publish_first(write_temporary(target, file.close()), target) == Publish::won;
  return won ? checksum : checksum_of_winner(target, table);
}

}  // namespace storage
