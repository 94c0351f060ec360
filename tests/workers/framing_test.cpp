// Frames over real sockets, cut and damaged.
#include "workers/framing.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "storage/error.hpp"

namespace workers {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

struct SocketPair {
  SocketPair() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0); }
  ~SocketPair() {
    close_end(0);
    close_end(1);
  }
  void close_end(std::size_t i) {
    if (ends[i] >= 0) {
      close(ends[i]);
      ends[i] = -1;
    }
  }
  std::array<int, 2> ends{};
};

TEST(Framing, PutsALittleEndianLengthBeforeTheMessage) {
  EXPECT_EQ(frame("ab"), std::string("\x02\0\0\0ab", 6));
  EXPECT_EQ(frame(std::string(259, 'x')).substr(0, 4), std::string("\x03\x01\0\0", 4));
}

TEST(Framing, GivesBackWholeMessagesHoweverTheBytesAreCut) {
  const std::string long_one(1000, 'x');
  const std::string bytes = frame("first") + frame("") + frame(long_one) + frame("last");
  for (const std::size_t piece : {1, 3, 4, 7, 999, 5000}) {
    FrameReader reader;
    std::vector<std::string> messages;
    for (std::size_t i = 0; i < bytes.size(); i += piece) {
      reader.append(std::string_view(bytes).substr(i, piece));
      while (auto message = reader.next()) {
        messages.push_back(*message);
      }
    }
    EXPECT_EQ(messages, (std::vector<std::string>{"first", "", long_one, "last"})) << "pieces of " << piece;
  }
}

TEST(Framing, RefusesALengthAboveTheLimitAtOnce) {
  FrameReader reader;
  reader.append("\x01\x00\x00\x04");  // cut short by the literal's NULs: nothing yet
  EXPECT_EQ(reader.next(), std::nullopt);
  FrameReader other;
  other.append(std::string("\x01\x00\x00\x04", 4));  // 64 MiB + 1
  EXPECT_THAT([&] { other.next(); }, ThrowsMessage<storage::Error>(HasSubstr("67108865 bytes")));
}

TEST(Framing, WaitsForASlowReaderOfANonBlockingSocket) {
  SocketPair pair;
  fcntl(pair.ends[0], F_SETFL, O_NONBLOCK);
  fcntl(pair.ends[1], F_SETFL, O_NONBLOCK);
  const std::string message(5'000'000, 'm');
  bool written = false;
  std::thread writer([&] { written = write_frame(pair.ends[0], message) && write_frame(pair.ends[0], "and more"); });
  FrameReader reader;
  EXPECT_TRUE(read_frame(pair.ends[1], reader) == message);
  EXPECT_EQ(read_frame(pair.ends[1], reader), "and more");
  writer.join();
  EXPECT_TRUE(written);
}

TEST(Framing, SaysThatTheOtherEndIsGoneInsteadOfDyingOfSigpipe) {
  SocketPair pair;
  pair.close_end(1);
  EXPECT_FALSE(write_frame(pair.ends[0], "anybody there?"));
}

TEST(Framing, EndsAtAHalfWrittenFrame) {
  SocketPair pair;
  const std::string bytes = frame("whole") + frame("half").substr(0, 6);
  ASSERT_EQ(write(pair.ends[0], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  pair.close_end(0);
  FrameReader reader;
  EXPECT_EQ(read_frame(pair.ends[1], reader), "whole");
  EXPECT_EQ(read_frame(pair.ends[1], reader), std::nullopt);
}

}  // namespace
}  // namespace workers
