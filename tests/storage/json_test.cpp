// The strict reading and the one spelling of JSON.
#include "storage/json.hpp"
#include "storage/printable.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "storage/error.hpp"
#include "tests/temporary_folder.hpp"

namespace storage {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

JsonValue parse(std::string_view text) {
  return parse_json(text, "f.json", Blame::user);
}

/// The message of the UsageError that `act` must throw.
template <typename Act>
std::string refusal(Act act) {
  try {
    act();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "nothing was refused";
}

std::string refusal_of(std::string_view text) {
  return refusal([&] { parse(text); });
}

TEST(Json, GivesItsValuesBack) {
  const JsonValue value = parse(R"( {"n": 3, "x": -2.5e1, "s": "é\n", "list": [true, null], "o": {}} )");
  EXPECT_EQ(value.at("n").integer(), 3);
  EXPECT_EQ(value.at("x").number(), -25.0);
  EXPECT_EQ(value.at("s").string(), "é\n");
  EXPECT_TRUE(value.at("list").items().at(0).boolean());
  EXPECT_TRUE(value.at("list").items().at(1).is_null());
  EXPECT_TRUE(value.at("o").members().empty());
  EXPECT_FALSE(value.find("absent").has_value());
}

TEST(Json, SortsKeysAndDropsSpacesInItsText) {
  EXPECT_EQ(parse(R"({"b" : [1.0, 1e-3], "a":{"z":"é\u0001","y":18446744073709551615}})").text(),
            R"({"a":{"y":18446744073709551615,"z":"é\u0001"},"b":[1,0.001]})");
}

TEST(Json, RefusesADuplicateKeyWithItsPlace) {
  EXPECT_EQ(refusal_of("{\n  \"a\": 1,\n  \"a\": 1\n}"), "f.json: line 3, column 5: the key \"a\" is there twice");
  EXPECT_THAT(refusal_of(R"([{"k":{"x":1,"x":2}}])"), HasSubstr("the key \"x\" is there twice"));
  EXPECT_EQ(parse(R"({"a":{"a":{"a":1}}})").text(), R"({"a":{"a":{"a":1}}})")
      << "the same key one level down is another";
}

TEST(Json, NamesLineAndColumnOfASyntaxError) {
  EXPECT_THAT(refusal_of("{\n \"a\": tru}"), StartsWith("f.json: line 2, column 10: no valid JSON"));
  EXPECT_THAT(refusal_of(""), StartsWith("f.json: line 1, column 1: "));
}

TEST(Json, RefusesWhatIsNotJson) {
  for (const char* text :
       {"[1] x", "[1,]", "// c\n1", "[NaN]", "[Infinity]", "[1e999]", "[01]", "{'a':1}", "[\"\t\"]", "[1"}) {
    EXPECT_THAT(refusal_of(text), StartsWith("f.json: line ")) << text;
  }
}

TEST(Json, RefusesBytesThatAreNotUtf8) {
  for (const char* text : {"\"\xff\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"", "\"\xf5\x80\x80\x80\"", "[\"\\ud800\"]"}) {
    const std::string message = refusal_of(text);
    EXPECT_THAT(message, StartsWith("f.json: line 1, column "));
    EXPECT_EQ(message.find('\n'), std::string::npos);
    EXPECT_NO_THROW(parse(JsonWriter().value(message).text())) << "the message itself is clean";
  }
}

TEST(Json, ShowsLittleOfALongTextAndNothingThatATerminalObeys) {
  const std::string clear_screen =
      "\x1b[2J\x7f\xc2\x9b\xe2\x80\xae\n";  // ESC, DEL, CSI in one character, right to left
  for (const std::string& text :
       {"[\"" + std::string(100'000, 'x'), "[tru" + clear_screen + "]", "{\"" + std::string(100'000, 'k') + "\":nul}",
        "{\"\\u009b" + std::string(9'000, 'k') + "\":1,\"\\u009b" + std::string(9'000, 'k') + "\":1}"}) {
    const std::string message = refusal_of(text);
    EXPECT_THAT(message, StartsWith("f.json: line 1, column "));
    EXPECT_LT(message.size(), 1'000u);
    EXPECT_EQ(message, "f.json: " + printable_line(message.substr(8), 1'000));
  }
  const JsonValue value = parse("{\"\\u202e" + std::string(9'000, 'k') + "\":1}");
  const std::string message = refusal([&] { value.allow_only({"lambda"}); });
  EXPECT_LT(message.size(), 1'000u);
  EXPECT_THAT(message, StartsWith("f.json: [\"\\u202ekkk"));
  EXPECT_THAT(message, HasSubstr("kkk\"]: unknown key"));
}

TEST(Json, RefusesMoreValuesThanItsReaderNeeds) {
  EXPECT_NO_THROW(parse_json("[1,[2,3]]", "f.json", Blame::user, 5));
  EXPECT_EQ(refusal([] { parse_json("[1,[2,3]]", "f.json", Blame::user, 4); }),
            "f.json: line 1, column 8: it holds more values than a file of its kind needs");
  EXPECT_EQ(refusal([] { parse("[1,2,3]").items(2); }), "f.json: expected a list of at most 2, found one of 3");
}

TEST(Json, ReadsSixtyFourLevelsAndNoMore) {
  const auto nested = [](int levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  EXPECT_NO_THROW(parse(nested(64)));
  EXPECT_THAT(refusal_of(nested(65)), HasSubstr("nested deeper than 64 levels"));
  EXPECT_THAT(refusal_of(std::string(1'000'000, '[')), HasSubstr("nested deeper than 64 levels"));
}

TEST(Json, NamesThePathOfAWrongValue) {
  const JsonValue value = parse(R"({"blocks":[{"lamda":5,"epochs":2.5,"my key":1,"name":[]}]})");
  const JsonValue block = value.at("blocks").items().at(0);
  EXPECT_EQ(refusal([&] {
              block.allow_only({"lambda", "epochs", "my key", "name"});
            }),
            "f.json: blocks[0].lamda: unknown key (did you mean \"lambda\"?)");
  EXPECT_EQ(refusal([&] { block.at("epochs").integer(1, 100); }),
            "f.json: blocks[0].epochs: expected a whole number in 1..100, found 2.5");
  EXPECT_EQ(refusal([&] { block.at("my key").string(); }),
            "f.json: blocks[0][\"my key\"]: expected a text in quotes, found 1");
  EXPECT_EQ(refusal([&] { block.at("name").number(); }), "f.json: blocks[0].name: expected a number, found a list");
  EXPECT_EQ(refusal([&] { block.at("nu"); }), "f.json: blocks[0]: the key \"nu\" is missing");
  EXPECT_EQ(refusal([&] { block.items(); }), "f.json: blocks[0]: expected a list, found an object");
}

TEST(Json, KeepsWholeNumbersWithinTheirRange) {
  EXPECT_EQ(parse("-9223372036854775808").integer(), INT64_MIN);
  EXPECT_EQ(parse("18446744073709551615").unsigned_integer(), UINT64_MAX);
  EXPECT_THROW(parse("9223372036854775808").integer(), UsageError);
  EXPECT_THROW(parse("18446744073709551616").unsigned_integer(), UsageError);
  EXPECT_THROW(parse("-1").unsigned_integer(), UsageError);
  EXPECT_THROW(parse("1.0").integer(), UsageError);
  EXPECT_THROW(parse("5").integer(6, 7), UsageError);
}

TEST(Json, BlamesTheRunForItsOwnFiles) {
  try {
    parse_json("[", "journal", Blame::run);
    FAIL() << "accepted";
  } catch (const UsageError&) {
    FAIL() << "blamed the user";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), StartsWith("journal: line 1"));
  }
}

TEST(Json, NamesAFileThatIsNotThere) {
  const tests::TemporaryFolder folder;
  EXPECT_THAT(refusal([&] { read_json(folder / "no.json", Blame::user); }), HasSubstr((folder / "no.json").string()));
  tests::write_text(folder / "yes.json", "{\"a\":}");
  EXPECT_THAT(refusal([&] { read_json(folder / "yes.json", Blame::user); }),
              StartsWith((folder / "yes.json").string() + ": line 1, column 6"));
}

TEST(Json, ValuesOutliveTheirDocument) {
  std::optional<JsonValue> inner;
  {
    const JsonValue outer = parse(R"({"a":[{"b":"kept"}]})");
    inner = outer.at("a").items().at(0);
  }
  EXPECT_EQ(inner->at("b").string(), "kept");
}

TEST(JsonWriter, WritesPieceByPiece) {
  JsonWriter writer;
  writer.begin_object().member("b", 1).key("a").begin_array().value(0.1).value(true).null().value("x").end_array();
  writer.key("r").raw("{}").key("empty").begin_object().end_object().member("u", UINT64_MAX).end_object();
  EXPECT_EQ(writer.text(), R"({"b":1,"a":[0.1,true,null,"x"],"r":{},"empty":{},"u":18446744073709551615})");
}

TEST(JsonWriter, EscapesAndReplacesWhatIsNoText) {
  EXPECT_EQ(JsonWriter().value("a\"\\\n\x01é\xff").text(), "\"a\\\"\\\\\\n\\u0001é\xEF\xBF\xBD\"");
}

TEST(JsonWriter, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(JsonWriter().value("a\x7f\xc2\x9b\xe2\x80\xaeé").text(), "\"a\\u007f\\u009b\\u202eé\"");
}

TEST(JsonWriter, WritesNumbersThatAreNotFiniteAsNull) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(JsonWriter().begin_array().value(std::nan("")).value(-infinity).end_array().text(), "[null,null]");
}

TEST(JsonWriter, WritesDoublesThatReadBackBitEqual) {
  EXPECT_EQ(shortest(5), "5");
  EXPECT_EQ(shortest(0.001), "0.001");
  EXPECT_EQ(shortest(0.1), "0.1");
  const double smallest = std::numeric_limits<double>::denorm_min();
  for (const double number : {0.0, -0.0, 0.1 + 0.2, 1e22, 1e5, 6e-5, 123456789012345678901.0, smallest,
                              1.7976931348623157e308, 9007199254740993.0, -18446744073709551616.0}) {
    const double back = parse(JsonWriter().value(number).text()).number();
    EXPECT_EQ(std::memcmp(&number, &back, sizeof number), 0) << number;
  }
}

}  // namespace
}  // namespace storage
