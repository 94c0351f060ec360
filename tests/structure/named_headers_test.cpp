// The libraries are compiled after a precompiled header, which hides a standard header that a file forgot. This test
// finds it: for each name of std or fmt in a file one of the headers that declare it must be among the includes, its
// own or those of the project's headers that it includes.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

using Names = std::set<std::string>;

/// Header -> what it declares, as written after `std::`. A name may stand in several.
const std::map<std::string, std::string> kDeclared = {
    {"algorithm",
     "all_of any_of binary_search clamp copy copy_if copy_n count count_if equal fill fill_n find find_if "
     "lower_bound max max_element min min_element minmax_element mismatch none_of nth_element remove remove_if replace "
     "replace_if "
     "reverse rotate sort stable_partition stable_sort transform unique upper_bound"},
    {"array", "array begin end size ssize get"},
    {"atomic", "atomic"},
    {"bit", "bit_cast endian"},
    {"cctype", "isalnum isalpha isdigit isspace tolower toupper"},
    {"charconv", "from_chars to_chars from_chars_result"},
    {"chrono", "chrono"},
    {"cmath",
     "abs ceil cos erfc exp floor frexp hypot isfinite isnan isinf ldexp log log2 nextafter pow round signbit sin sqrt "
     "lround"},
    {"compare", "strong_ordering partial_ordering weak_ordering"},
    {"concepts", "convertible_to same_as integral floating_point"},
    {"condition_variable", "condition_variable"},
    {"csetjmp", "jmp_buf longjmp"},
    {"csignal", "signal"},
    {"cstddef", "size_t ptrdiff_t byte nullptr_t"},
    {"cstdint", "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintmax_t intmax_t uintptr_t"},
    {"cstdio", "fclose fflush fopen fprintf fputs fwrite printf remove rename snprintf size_t FILE"},
    {"cstdlib", "_Exit abort abs atoi exit free getenv malloc realloc strtol strtoul strtoll strtod size_t"},
    {"cstring", "memcmp memcpy memmove memset strerror strlen strncpy strcmp strchr size_t"},
    {"ctime", "strftime time time_t tm size_t"},
    {"deque", "deque begin end size"},
    {"exception", "current_exception exception exception_ptr rethrow_exception terminate"},
    {"filesystem", "filesystem"},
    {"fstream", "ifstream ofstream fstream ios"},
    {"functional", "function greater less less_equal hash ref invoke"},
    {"future", "async future future_status launch promise"},
    {"initializer_list", "initializer_list begin end"},
    {"iomanip", "setw setprecision"},
    {"iosfwd", "istream ostream"},
    {"iostream", "cerr cin cout clog endl flush ios"},
    {"ios", "ios streamsize"},
    {"istream", "istream ios"},
    {"iterator",
     "back_inserter begin distance end forward_iterator_tag inserter istream_iterator istreambuf_iterator "
     "next prev size ssize"},
    {"limits", "numeric_limits"},
    {"list", "list begin end"},
    {"map", "map multimap begin end"},
    {"memory", "make_shared make_unique shared_ptr unique_ptr weak_ptr"},
    {"mutex", "call_once lock_guard mutex once_flag unique_lock scoped_lock"},
    {"new", "align_val_t bad_alloc nothrow"},
    {"numbers", "numbers"},
    {"numeric", "accumulate iota"},
    {"optional", "make_optional nullopt optional"},
    {"ostream", "ostream endl flush ios"},
    {"queue", "priority_queue queue"},
    {"random", "random_device mt19937_64"},
    {"set", "set multiset begin end"},
    {"span", "span"},
    {"sstream", "istringstream ostringstream stringstream"},
    {"stdexcept", "invalid_argument length_error logic_error out_of_range runtime_error"},
    {"string", "getline stod stoll stoi stoul string to_string size_t erase_if begin end size ssize hash"},
    {"string_view", "string_view string_view_literals size_t hash"},
    {"system_error", "errc error_code system_category generic_category system_error"},
    {"thread", "this_thread thread"},
    {"tuple", "apply make_tuple tie tuple get"},
    {"type_traits", "conditional_t decay_t is_same_v enable_if_t is_integral_v remove_cvref_t"},
    {"unordered_map", "unordered_map"},
    {"unordered_set", "unordered_set"},
    {"utility", "exchange forward move pair swap make_pair get declval as_const"},
    {"variant", "bad_variant_access get get_if holds_alternative monostate variant variant_alternative_t visit"},
    {"vector", "vector erase_if size_t begin end size ssize"},
};

/// Headers that are declared to bring others along, or always did.
const std::map<std::string, std::vector<std::string>> kBrings = {
    {"filesystem", {"string", "system_error", "chrono", "compare"}},
    {"system_error", {"string", "stdexcept"}},
    {"fstream", {"string", "istream", "ostream"}},
    {"sstream", {"string", "istream", "ostream"}},
    {"iostream", {"string", "istream", "ostream"}},
    {"map", {"utility", "initializer_list"}},
    {"unordered_map", {"utility", "initializer_list"}},
    {"stdexcept", {"string", "exception"}},
    {"fmt/ranges.h", {"fmt/format.h"}},
};

std::string read(const fs::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// The text without its comments and the insides of its literals.
std::string code_of(const std::string& text) {
  static const std::regex aside(R"(//[^\n]*|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/|"(?:[^"\\\n]|\\.)*")");
  return std::regex_replace(text, aside, " ");
}

Names names_of(const std::string& text) {
  static const std::regex form(R"(\b(std|fmt)::([A-Za-z_0-9]+))");
  Names names;
  const auto code = code_of(text);
  for (std::sregex_iterator match(code.begin(), code.end(), form), none; match != none; ++match)
    names.insert((*match)[1] == "fmt" ? "fmt" : (*match)[2].str());
  return names;
}

/// Adds the headers outside the project that `text` includes, itself or through the project's own.
void add_headers(const fs::path& root, const std::string& text, Names& seen, Names& headers) {
  static const std::regex form(R"re((?:^|\n)\s*#\s*include\s*([<"])([^>"]+)[>"])re");
  for (std::sregex_iterator match(text.begin(), text.end(), form), none; match != none; ++match) {
    const auto what = (*match)[2].str();
    if ((*match)[1] == "<") {
      headers.insert(what);
    } else if (seen.insert(what).second) {
      add_headers(root, read(root / what), seen, headers);
    }
  }
}

void add_what_they_bring(Names& headers) {
  std::vector<std::string> open(headers.begin(), headers.end());
  while (!open.empty()) {
    const auto found = kBrings.find(open.back());
    open.pop_back();
    if (found == kBrings.end()) continue;
    for (const auto& header : found->second)
      if (headers.insert(header).second) open.push_back(header);
  }
}

bool declares(const std::string& header, const std::string& name) {
  const auto found = kDeclared.find(header);
  if (found == kDeclared.end()) return false;
  std::istringstream declared(found->second);
  for (std::string one; declared >> one;)
    if (one == name) return true;
  return false;
}

bool sees_libtorch(const Names& headers) {
  return std::any_of(headers.begin(), headers.end(),
                     [](const std::string& h) { return h.rfind("ATen/", 0) == 0 || h.rfind("torch/", 0) == 0; });
}

/// The names of std and fmt in `text` that no included header declares. What sees LibTorch's headers sees all of std
/// through them.
std::vector<std::string> undeclared(const fs::path& root, const std::string& text) {
  Names seen, headers;
  add_headers(root, text, seen, headers);
  add_what_they_bring(headers);
  std::vector<std::string> missing;
  if (sees_libtorch(headers)) return missing;
  for (const auto& name : names_of(text)) {
    const bool there = name == "fmt" ? headers.contains("fmt/format.h")
                                     : std::any_of(headers.begin(), headers.end(),
                                                   [&](const std::string& h) { return declares(h, name); });
    if (!there) missing.push_back(name == "fmt" ? name : "std::" + name);
  }
  return missing;
}

TEST(NamedHeaders, AreIncludedByEveryFileThatNamesWhatTheyDeclare) {
  const fs::path root = PLUME_SOURCE_DIR;
  int files = 0;
  for (const std::string folder : {"storage", "sweeps", "results", "datasets", "plume", "workers", "runner"}) {
    for (const auto& entry : fs::directory_iterator(root / folder)) {
      const auto extension = entry.path().extension();
      if (extension != ".hpp" && extension != ".cpp") continue;
      ++files;
      for (const auto& name : undeclared(root, read(entry.path())))
        ADD_FAILURE() << fs::relative(entry.path(), root).string() << " names " << name
                      << " and includes no header of it (or kDeclared in this test lacks the name)";
    }
  }
  EXPECT_GT(files, 100) << "the tree was not found";
}

TEST(NamedHeaders, WouldBeMissed) {
  const fs::path root = PLUME_SOURCE_DIR;
  EXPECT_EQ(undeclared(root, "std::vector<int> a;").size(), 1U);
  EXPECT_EQ(undeclared(root, "#include <vector>\nstd::vector<std::string> a;"),
            std::vector<std::string>{"std::string"});
  EXPECT_EQ(undeclared(root, "const auto a = fmt::format(\"\");"), std::vector<std::string>{"fmt"});
  EXPECT_EQ(undeclared(root, "std::not_a_name a;").size(), 1U);
}

TEST(NamedHeaders, AreNotWantedForCommentsTextOrWhatTheProjectsHeadersInclude) {
  const fs::path root = PLUME_SOURCE_DIR;
  EXPECT_TRUE(undeclared(root, "// std::vector\nconst char* a = \"std::map\"; /* std::set */").empty());
  EXPECT_TRUE(undeclared(root, "#include \"storage/json.hpp\"\nstd::string a;").empty());
}

}  // namespace
