#include "storage/digest.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "storage/crc32c.hpp"
#include "storage/error.hpp"
#include "tests/storage/plain_files.hpp"

namespace {

using storage::crc32c;
using storage_test::TemporaryFolder;

std::string counted(std::size_t n) {
  std::string bytes(n, '\0');
  std::iota(bytes.begin(), bytes.end(), '\0');
  return bytes;
}

TEST(Crc32c, AgreesWithTheVectorsOfRfc3720) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43u);
  EXPECT_EQ(crc32c(counted(32)), 0x46DD794Eu);
  EXPECT_EQ(crc32c(""), 0u);
}

TEST(Crc32c, IsTheSameByTablesAndByInstruction) {
  EXPECT_EQ(storage::crc32c_by_tables("123456789", 0), 0xE3069283u);
  if (!storage::has_crc32c_instruction()) return;  // then there is one way only, and it was just checked
  const std::string bytes = counted(200);
  for (std::size_t begin = 0; begin < 9; ++begin) {
    for (std::size_t length = 0; length < 120; ++length) {
      const std::string_view part = std::string_view(bytes).substr(begin, length);
      ASSERT_EQ(storage::crc32c_by_tables(part, 7), storage::crc32c_by_instruction(part, 7)) << begin << " " << length;
    }
  }
}

TEST(Crc32c, ContinuesOverPieces) {
  EXPECT_EQ(crc32c("6789", crc32c("12345")), crc32c("123456789"));
}

TEST(Crc32c, IsWrittenAsEightDigits) {
  EXPECT_EQ(storage::crc32c_hex("123456789"), "e3069283");
  EXPECT_EQ(storage::crc32c_hex(""), "00000000");
}

TEST(Sha256, AgreesWithFips180) {
  EXPECT_EQ(storage::hex(storage::sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(storage::hex(storage::sha256(""), 4), "e3b0c442");
}

TEST(Sha256, IsTheSameOverPiecesAndOfAFile) {
  const TemporaryFolder folder;
  const std::string bytes(3'000'000, 'x');  // longer than the buffer that files are read with
  storage_test::write_plainly(folder / "x", bytes);
  storage::Sha256 pieces;
  pieces.update(bytes.substr(0, 1)).update(bytes.substr(1));
  EXPECT_EQ(pieces.finish(), storage::sha256(bytes));
  EXPECT_EQ(storage::sha256_of_file(folder / "x"), storage::sha256(bytes));
}

TEST(Sha256, NamesAFileThatIsMissing) {
  const std::string message =
      storage_test::message_of<storage::Error>([] { storage::sha256_of_file("/no/such/weights.pth"); });
  EXPECT_EQ(message, "/no/such/weights.pth: cannot open: No such file or directory");
}

}  // namespace
