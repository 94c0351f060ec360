// One call of each library that an archive of benchmarks/gpu brings along: it compiles, links and runs without the
// system's copies.
#include <Random123/philox.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <openssl/evp.h>
#include <png.h>
#include <spdlog/spdlog.h>
#include <CLI/CLI.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <nlohmann/json.hpp>

#include <cstdio>

#include <jpeglib.h>

TEST(PackedLibraries, CompressesAnHdf5File) {
  const hid_t in_memory = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_core(in_memory, 1 << 16, 0);
  const hid_t file = H5Fcreate("packed.h5", H5F_ACC_TRUNC, H5P_DEFAULT, in_memory);
  const hsize_t size = 4;
  const hid_t space = H5Screate_simple(1, &size, nullptr), layout = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(layout, 1, &size);
  H5Pset_deflate(layout, 1);
  const hid_t set = H5Dcreate2(file, "rows", H5T_NATIVE_INT, space, H5P_DEFAULT, layout, H5P_DEFAULT);
  const int rows[4] = {1, 2, 3, 4};
  EXPECT_GE(H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows), 0);
  H5Dclose(set);
  H5Fclose(file);
}

TEST(PackedLibraries, ReachTheirArchives) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  EXPECT_EQ(EVP_Digest("", 0, digest, nullptr, EVP_sha256(), nullptr), 1);
  EXPECT_EQ(digest[0], 0xe3);  // SHA-256 of nothing begins with e3b0
  jpeg_error_mgr errors;
  EXPECT_NE(jpeg_std_error(&errors), nullptr);
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  EXPECT_NE(png, nullptr);
  png_destroy_read_struct(&png, nullptr, nullptr);
}

TEST(PackedLibraries, ReachTheirHeaders) {
  EXPECT_EQ(nlohmann::json::parse(fmt::format("[{}]", 7))[0], 7);
  EXPECT_THAT(boost::math::cdf(boost::math::students_t(3), 0.0), testing::DoubleEq(0.5));
  EXPECT_NE(r123::Philox4x32()({{0, 0, 0, 0}}, {{0, 0}})[0], 0u);
  spdlog::info("a line");
  CLI::App app("packed");
  EXPECT_EQ(app.get_description(), "packed");
}
