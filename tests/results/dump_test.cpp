// Dumps are read back to the bit, and nothing else is taken for one.
#include "results/dump.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "storage/array_file.hpp"
#include "storage/error.hpp"
#include "tests/results/made_up_dump.hpp"
#include "tests/results/samples.hpp"

namespace {

namespace fs = std::filesystem;
using results::Dump;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

Dump small_dump() {
  return samples::made_up_dump(samples::training("bird", 0));
}

/// What write_dump says of a dump that `spoil` has spoilt.
template <typename Spoil>
std::string refusal_of(const Spoil& spoil) {
  const samples::TemporaryFolder folder;
  Dump dump = small_dump();
  spoil(dump);
  try {
    results::write_dump(folder / "a.h5", dump);
  } catch (const storage::Error& error) {
    EXPECT_THAT(error.what(), AllOf(StartsWith((folder / "a.h5").string()), Not(HasSubstr("\n"))));
    EXPECT_TRUE(fs::is_empty(folder.path()));
    return error.what();
  }
  return "it was written";
}

TEST(Dump, IsReadAsItWasWritten) {
  const samples::TemporaryFolder folder;
  const Dump dump = small_dump();
  const fs::path file = results::dump_file(folder.path(), {dump.key});
  EXPECT_EQ(file, folder.path() / "dumps" / (dump.key + ".h5"));
  results::write_dump(file, dump);
  EXPECT_TRUE(results::read_dump(file) == dump);
}

TEST(Dump, IsReadWithoutAUROCsEmbeddingsAndAnomalies) {
  const samples::TemporaryFolder folder;
  Dump dump = small_dump();
  dump.best.reset();
  dump.last.auroc.reset();
  dump.anomalous = {};
  dump.last.anomalous = {};
  dump.embedding = 0;
  dump.last.normal.embeddings.clear();
  dump.last.pseudo.embeddings.clear();
  results::write_dump(folder / "a.h5", dump);
  EXPECT_TRUE(results::read_dump(folder / "a.h5") == dump);
}

TEST(Dump, OfTheSameTrainingHasTheSameBytes) {
  const samples::TemporaryFolder folder;
  results::write_dump(folder / "a.h5", small_dump());
  results::write_dump(folder / "b.h5", small_dump());
  EXPECT_EQ(samples::bytes_of(folder / "a.h5"), samples::bytes_of(folder / "b.h5"));
}

TEST(Dump, ThatContradictsItselfIsNotWritten) {
  EXPECT_THAT(refusal_of([](Dump& dump) { dump.key.front() ^= 1; }), HasSubstr("the key is not that of the job"));
  EXPECT_THAT(refusal_of([](Dump& dump) { dump.dimension = 0; }), HasSubstr("impossible sizes"));
  EXPECT_THAT(refusal_of([](Dump& dump) { dump.dimension = 5; }),
              HasSubstr("best/normal/features: 18 values, expected 15"));
  EXPECT_THAT(refusal_of([](Dump& dump) { dump.normal.ids.pop_back(); }), HasSubstr("normal: 2 ids of 3 labels"));
  EXPECT_THAT(refusal_of([](Dump& dump) { dump.test.labels[0] = 3; }), HasSubstr("test/labels: 3 has no class"));
  EXPECT_THAT(refusal_of([](Dump& dump) { dump.test.labels[0] = -1; }), HasSubstr("test/labels: -1 has no class"));
  EXPECT_THAT(refusal_of([](Dump& dump) { dump.normal.labels[0] = 0; }),
              HasSubstr("normal/labels: 0 is no normal class"));
  EXPECT_THAT(refusal_of([](Dump& dump) { dump.anomalous.labels[0] = 1; }),
              HasSubstr("anomalous/labels: 1 is a normal class"));
  EXPECT_THAT(refusal_of([](Dump& dump) { dump.normal_classes = {"cat"}; }), HasSubstr("one that is no class"));
  EXPECT_THAT(refusal_of([](Dump& dump) { dump.last.pseudo.scores.pop_back(); }),
              HasSubstr("last/pseudo/scores: 2 values, expected 3"));
  EXPECT_THAT(refusal_of([](Dump& dump) { dump.last.test_scores.push_back(0); }),
              HasSubstr("last/test/scores: 10 values, expected 9"));
  EXPECT_THAT(refusal_of([](Dump& dump) { dump.last.auroc = 1.5; }), HasSubstr("an AUROC outside [0, 1]"));
  EXPECT_THAT(refusal_of([](Dump& dump) { dump.test.ids[0] = std::string("a\0b", 3); }), HasSubstr("a zero byte"));
}

TEST(Dump, WithANumberThatIsNotFiniteIsNotWritten) {
  EXPECT_THAT(refusal_of([](Dump& dump) { dump.best->pseudo.features[4] = std::numeric_limits<float>::infinity(); }),
              HasSubstr("no dump is written: best/pseudo/features: a number that is not finite"));
  EXPECT_THAT(refusal_of([](Dump& dump) { dump.last.test_scores[0] = std::numeric_limits<double>::quiet_NaN(); }),
              HasSubstr("last/test/scores: a number that is not finite"));
}

TEST(Dump, HasAChecksumOverAllOfIt) {
  const std::string checksum = results::checksum_of(small_dump());
  EXPECT_EQ(checksum.size(), 32U);
  Dump dump = small_dump();
  dump.last.anomalous.embeddings.back() = 17;
  EXPECT_NE(results::checksum_of(dump), checksum);
  dump = small_dump();
  dump.test.ids[0] += "0";
  EXPECT_NE(results::checksum_of(dump), checksum);
}

/// Reads `bytes` as a dump: it is refused in one line that names the file, or it is the same dump.
void expect_refused_or_same(const fs::path& file, const std::string& bytes, const Dump& dump) {
  samples::write_bytes(file, bytes);
  try {
    EXPECT_TRUE(results::read_dump(file) == dump);
  } catch (const storage::Error& error) {
    EXPECT_THAT(error.what(), AllOf(StartsWith(file.string() + ": "), Not(HasSubstr("\n"))));
  }
}

TEST(Dump, CutAnywhereIsRefused) {
  const samples::TemporaryFolder folder;
  results::write_dump(folder / "a.h5", small_dump());
  const std::string bytes = samples::bytes_of(folder / "a.h5");
  for (std::size_t length = 0; length < bytes.size(); length += 7) {
    samples::write_bytes(folder / "b.h5", bytes.substr(0, length));
    EXPECT_THROW(results::read_dump(folder / "b.h5"), storage::Error) << length;
  }
}

TEST(Dump, ChangedAnywhereIsRefusedOrTheSame) {
  const samples::TemporaryFolder folder;
  const Dump dump = small_dump();
  results::write_dump(folder / "a.h5", dump);
  std::string bytes = samples::bytes_of(folder / "a.h5");
  for (std::size_t at = 0; at < bytes.size(); at += 17) {
    const char before = bytes[at];
    bytes[at] = static_cast<char>(before ^ 0x41);
    expect_refused_or_same(folder / "b.h5", bytes, dump);
    bytes[at] = before;
  }
}

TEST(Dump, OfAnotherVersionOrFormatIsRefused) {
  const samples::TemporaryFolder folder;
  samples::write_bytes(folder / "a.h5", "no HDF5");
  EXPECT_THROW(results::read_dump(folder / "a.h5"), storage::Error);
  EXPECT_THROW(results::read_dump(folder / "none.h5"), storage::Error);
  const auto refusal = [&](const std::string& format, std::int64_t version) -> std::string {
    storage::write_arrays(folder / "a.h5", {{"format", storage::FixedText{format}}, {"version", version}}, {});
    try {
      results::read_dump(folder / "a.h5");
    } catch (const storage::Error& error) {
      return error.what();
    }
    return "it was read";
  };
  EXPECT_THAT(refusal("plume-bench results", 1), HasSubstr("expected format \"plume-bench dump\""));
  EXPECT_THAT(refusal("plume-bench dump", 2), HasSubstr("expected version 1 of the dump format, found 2"));
}

}  // namespace
