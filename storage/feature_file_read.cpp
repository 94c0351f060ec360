// Reads the HDF5 file of a feature set and believes nothing in it: types, layout and sizes are checked before memory is
// taken, the payload by its checksum. Writing it: feature_file.cpp.
#include <algorithm>
#include <limits>

#include "storage/error.hpp"
#include "storage/feature_file.hpp"
#include "storage/feature_layout.hpp"
#include "storage/hdf5_checked.hpp"
#include "storage/hdf5_handle.hpp"

namespace storage {
namespace {

namespace fs = std::filesystem;

static_assert(kMaxFeatureText == kMostTextBytes, "what is written can be read");

/// An open feature file: every function throws Error naming it.
class OpenFeatures : public CheckedHdf5 {
 public:
  explicit OpenFeatures(const fs::path& file) : CheckedHdf5(file, "feature file") { check_format(); }

  FeatureHeader header() const;
  Rows rows(const FeatureHeader& header) const;

 private:
  void check_format();
  RowKind kind_of_rows(const Hdf5Handle& rows, const std::vector<hsize_t>& extent) const;

  std::int32_t version_ = 0;
};

void OpenFeatures::check_format() {
  const std::string format = text_attribute("format");
  if (format != kFeatureFormat) damaged("expected format \"" + std::string(kFeatureFormat) + "\"");
  version_ = short_attribute("version");
  if (version_ >= kOldestFeatureVersion && version_ <= kFeatureVersion) return;
  throw Error(file().string() + ": expected version " + std::to_string(kOldestFeatureVersion) + " to " +
              std::to_string(kFeatureVersion) + " of the feature format, found " + std::to_string(version_) +
              ": use another cache folder, or the plume-bench that wrote it");
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
  table.checksum = payload_checksum(table);
  if (table.checksum != header.checksum)
    features.damaged("checksum is " + table.checksum + ", expected " + header.checksum);
  return table;
}

}  // namespace storage
