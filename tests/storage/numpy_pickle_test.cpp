// Pickles of numpy arrays: what real Pythons wrote, damaged in every place; and what nobody would write.
#include "storage/numpy_pickle.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "storage/error.hpp"
#include "tests/storage/plain_files.hpp"
#include "tests/weight_file_bytes.hpp"

namespace storage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using tests::little;
using namespace std::string_literals;

std::string fixture(const std::string& name) {
  return storage_test::read_plainly(std::filesystem::path(PLUME_SOURCE_DIR "/tests/storage/pickles") / name);
}

/// What the reader says to `bytes`: "" when it reads them. Any other exception than Error fails the test.
std::string refusal(std::string_view bytes) {
  try {
    read_numpy_pickle(bytes, "file");
  } catch (const UsageError&) {
    ADD_FAILURE() << "blames the user";
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

class NumpyPickle : public testing::TestWithParam<const char*> {};

TEST_P(NumpyPickle, GivesWhatPythonWrote) {
  const std::string bytes = fixture(GetParam());
  const auto pickle = read_numpy_pickle(bytes, "file");
  ASSERT_EQ(pickle.arrays.size(), 1u);
  EXPECT_THAT(pickle.arrays[0].shape, ElementsAre(3, 8));
  EXPECT_EQ(pickle.arrays[0].bytes, "\0\1\2\3\x7c\x7d\x7e\x7f\x80\x81\xbf\xc0\xc1\xfd\xfe\xff\n\r'\\(.tb"s);
  const auto* dict = pickle.get<PickleDict>(pickle.root);
  ASSERT_NE(dict, nullptr);
  std::map<std::string_view, ValueId> values;
  for (const auto& [key, value] : dict->items) values[*pickle.get<std::string_view>(key)] = value;
  ASSERT_EQ(values.size(), 4u);
  EXPECT_TRUE(pickle.get<PickleArray>(values.at("data")));
  std::vector<std::int64_t> labels;
  for (const ValueId id : pickle.get<PickleList>(values.at("labels"))->items)
    labels.push_back(*pickle.get<std::int64_t>(id));
  EXPECT_THAT(labels, ElementsAre(0, 9, 4));
  EXPECT_EQ(*pickle.get<std::string_view>(values.at("batch_label")), "training batch 1 of 5");
  const auto& names = pickle.get<PickleList>(values.at("filenames"))->items;
  EXPECT_EQ(*pickle.get<std::string_view>(names.at(1)), "bos_taurus_s_000002.png");
}

TEST_P(NumpyPickle, CutAnywhereIsRefused) {
  const std::string whole = fixture(GetParam());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    // A copy of its own, so that a sanitizer sees every byte read behind the cut.
    const std::vector<char> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    ASSERT_THAT(refusal({cut.data(), cut.size()}), HasSubstr("file: ")) << size << " bytes";
  }
}

TEST_P(NumpyPickle, AnyByteChangedIsReadOrRefused) {
  const std::string whole = fixture(GetParam());
  std::size_t refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char mask : {'\x01', '\x20', '\xff'}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ mask);
      const std::string message = refusal(damaged);
      if (message.empty()) continue;
      ++refused;
      ASSERT_THAT(message, testing::StartsWith("file: "));
      ASSERT_EQ(message.find('\n'), std::string::npos);
    }
  }
  EXPECT_GT(refused, whole.size());  // texts and numbers may be others, structure not
}

INSTANTIATE_TEST_SUITE_P(Fixtures, NumpyPickle,
                         testing::Values("cifar10_python2", "cifar10_python3_protocol2", "cifar10_python3_protocol3",
                                         "cifar10_python3_protocol4", "cifar10_bytes_protocol2"),
                         [](const auto& fixture) { return std::string(fixture.param); });

TEST(NumpyPickleRefusal, NamesWhatAFileMayNotHold) {
  EXPECT_EQ(refusal(fixture("refused_protocol0")),
            "file: not a pickle of protocol 2 to 4: no pickle where one must begin (near byte 1)");
  EXPECT_EQ(refusal(fixture("refused_protocol5")),
            "file: pickle protocol 5; expected 2 to 4: write it again with pickle.dump(..., protocol=4) (near byte 2)");
  EXPECT_THAT(refusal(fixture("refused_fortran")), HasSubstr("Fortran order; expected C order"));
  EXPECT_THAT(refusal(fixture("refused_int64")), HasSubstr("of type \"i8\"; expected bytes (\"u1\")"));
  EXPECT_THAT(refusal(fixture("refused_scalar")), HasSubstr("forbidden: it names \"numpy._core.multiarray.scalar\""));
}

TEST(NumpyPickleRefusal, CallsNothing) {
  for (const char* name : {"refused_os_system_protocol2", "refused_os_system_protocol4"})
    EXPECT_THAT(refusal(fixture(name)), HasSubstr("forbidden: it names \"posix.system\"")) << name;
  const auto with = [](const std::string& operations) { return refusal("\x80\x02" + operations + "."); };
  EXPECT_THAT(with("(S'touch x'\nios\nsystem\n"), HasSubstr("forbidden: pickle opcode 0x53"));  // INST
  EXPECT_THAT(with("cnumpy\ndtype\n)\x81"), HasSubstr("forbidden: pickle opcode 0x81"));        // NEWOBJ
  EXPECT_THAT(with("NQ"), HasSubstr("forbidden: pickle opcode 0x51"));                          // BINPERSID
  EXPECT_THAT(with("\x82\x01"), HasSubstr("forbidden: pickle opcode 0x82"));                    // EXT1
  EXPECT_THAT(with("c_codecs\nencode\nU\x01xU\x05utf-7\x86R"), HasSubstr("forbidden: an encoding other than latin1"));
  EXPECT_THAT(with("cos\nencode\n"), HasSubstr("forbidden: it names \"os.encode\""));
  EXPECT_THAT(with("cnumpy\nload\n"), HasSubstr("forbidden: it names \"numpy.load\""));
  EXPECT_THAT(with("cnumpy\nndarray\n)R"), HasSubstr("numpy.ndarray is called"));
}

/// A pickle of one array with this pickled shape and these bytes.
std::string array_of(const std::string& shape, const std::string& bytes) {
  return "\x80\x02"
         "cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85U\x01"
         "b\x87R(K\x01"s +
         shape + "cnumpy\ndtype\nU\x02u1K\0K\x01\x87R\x89T"s + little(bytes.size(), 4) + bytes + "tb.";
}

TEST(NumpyPickleRefusal, ShapesMustFitTheBytes) {
  const std::string two_to_32 = "\x8a\x05\0\0\0\0\1"s;
  EXPECT_EQ(refusal(array_of("K\2K\3\x86", "abcdef")), "");
  EXPECT_EQ(refusal(array_of("K\2K\0K\x63\x87"s, "")), "");
  EXPECT_EQ(refusal(array_of(")", "a")), "");
  for (const std::string& shape :
       {"K\2K\2\x86"s, "K\7\x85"s, "K\0\x85"s, two_to_32 + two_to_32 + "\x86", two_to_32 + "K\0\x86"s})
    EXPECT_THAT(refusal(array_of(shape, "abcdef")), HasSubstr("has 6 bytes, other than its shape asks for"));
  EXPECT_THAT(refusal(array_of("J\xff\xff\xff\xffJ\xfa\xff\xff\xff\x86", "abcdef")), HasSubstr("a negative number"));
  EXPECT_THAT(refusal(array_of("\x8a\x09" + std::string(9, '\1') + "\x85", "abcdef")), HasSubstr("beyond 64 bits"));
}

TEST(NumpyPickleRefusal, NothingMayBeOutOfProportionToTheFile) {
  const auto with = [](const std::string& operations) { return refusal("\x80\x02" + operations + "."); };
  EXPECT_THAT(with("T\xff\xff\xff\x3f"), HasSubstr("truncated: the file ends in the middle of a text"));
  EXPECT_THAT(with("T\xff\xff\xff\xff"), HasSubstr("a text of 4294967295 bytes"));
  EXPECT_THAT(with("\x95" + std::string(8, '\x7f')), HasSubstr("in the middle of a frame"));
  EXPECT_THAT(with(std::string(100, ']') + std::string(99, 'a')), HasSubstr("nests deeper than 64 levels"));
  EXPECT_EQ(with("]q\1h\1a"), "");  // a list that holds itself: nothing follows it
  const std::string text(2'000, 'x');
  std::string many = "(c_codecs\nencode\nq\1X" + little(text.size(), 4) + text + "q\2U\6latin1q\3";
  EXPECT_EQ(with(many + "h\1h\2h\3\x86Rt"), "");
  for (int i = 0; i < 5; ++i) many += "h\1h\2h\3\x86R";
  EXPECT_THAT(with(many + "t"), HasSubstr("encodes one text again and again"));
}

TEST(NumpyPickleRefusal, AFileIsOnePickleAndNothingElse) {
  EXPECT_EQ(refusal("\x80\x02N."), "");
  EXPECT_EQ(refusal("\x80\x02N.xy"), "file: damaged: 2 bytes follow the pickle's end (near byte 4)");
  EXPECT_THAT(refusal(""), HasSubstr("truncated"));
}

}  // namespace
}  // namespace storage
