#include "tests/datasets/cifar_files.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/temporary_folder.hpp"
#include "tests/weight_file_bytes.hpp"

namespace datasets_test {

namespace fs = std::filesystem;
using tests::little;
using namespace std::string_literals;

CifarFile make_binary_batch(const fs::path& file, std::size_t records, std::size_t label_count) {
  tests::write_text(file, "");
  fs::resize_file(file, records * (label_count + kCifarRow));
  return {file, label_count, label_count + kCifarRow};
}

CifarFile make_python_batch(const fs::path& file, std::size_t records, const LabelLists& labels) {
  const std::size_t size = records * kCifarRow;
  std::string head = "\x80\x02}q\x01(U\x04"s + "dataq\x02" + "cnumpy.core.multiarray\n_reconstruct\nq\x03" +
                     "cnumpy\nndarray\nq\x04K\0\x85U\x01"s + "b\x87Rq\x05(K\x01J" + little(records, 4) +
                     "M\0\x0c\x86"s + "cnumpy\ndtype\nq\x06U\x02u1K\0K\x01\x87Rq\x07(K\x03U\x01|NNN"s +
                     "J\xff\xff\xff\xff" + "J\xff\xff\xff\xffK\0tb\x89T"s + little(size, 4);
  std::string tail = "tb";
  for (const auto& [key, values] : labels) {
    tail += "U" + little(key.size(), 1) + key + "](";
    for (const std::uint8_t value : values) tail += "K" + little(value, 1);
    tail += "e";
  }
  tests::write_text(file, head);
  fs::resize_file(file, head.size() + size);
  std::ofstream(file, std::ios::app | std::ios::binary) << tail << "u.";
  return {file, head.size(), kCifarRow};
}

void put(const CifarFile& file, std::size_t record, std::ptrdiff_t offset, std::uint8_t byte) {
  std::fstream stream(file.path, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(static_cast<std::streamoff>(file.first + record * file.stride) + offset);
  stream.put(static_cast<char>(byte));
  ASSERT_TRUE(stream.flush());
}

}  // namespace datasets_test
