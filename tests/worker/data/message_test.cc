#include "worker/data/message.h"

#include <gtest/gtest.h>

#include <string>

namespace heddle::worker::message_test {

using Kind = DataMessage::Kind;
using namespace std::chrono_literals;

DataMessage chunk() {
  DataMessage m;
  m.kind = Kind::kChunk;
  m.node = NodeId{3};
  m.stream = 4;
  m.object = 5;
  m.offset = 6;
  m.size = 2;
  m.took = 8ns;
  m.late = 9ns;
  m.checksum = 10;
  return m;
}

std::string wire(const DataMessage& message, const std::string& body = "") {
  std::string text(kHeader, '\0');
  encode(message, text.data());
  return text + body;
}

std::string error_of(DataMessage message, const std::string& body = "") {
  auto decoded = decode(wire(message, body));
  return decoded ? "" : decoded.error().text;
}

TEST(DataMessage, ComesOutAsItWentIn) {
  DataMessage m = chunk();
  m.kept = true;
  auto decoded = decode(wire(m, "ab"));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->kind, Kind::kChunk);
  EXPECT_TRUE(decoded->kept);
  EXPECT_EQ(decoded->node, NodeId{3});
  EXPECT_EQ(decoded->stream, 4u);
  EXPECT_EQ(decoded->object, 5u);
  EXPECT_EQ(decoded->offset, 6);
  EXPECT_EQ(decoded->size, 2);
  EXPECT_EQ(decoded->took, 8ns);
  EXPECT_EQ(decoded->late, 9ns);
  EXPECT_EQ(decoded->checksum, 10u);
}

TEST(DataMessage, RefusesWhatIsNone) {
  const std::string says = "a message of the data service ";
  EXPECT_EQ(decode("").error().text, says + "is too short");
  EXPECT_EQ(decode(std::string(kHeader - 1, 'x')).error().text, says + "is too short");
  EXPECT_EQ(decode(std::string(kHeader, 'x')).error().text, says + "has another version");
  EXPECT_EQ(decode(std::string(kHeader, '\1')).error().text, says + "has a number out of range");

  auto with = [](auto change) {
    DataMessage m = chunk();
    change(m);
    return error_of(m, "ab");
  };
  EXPECT_EQ(with([](auto&) {}), "");
  EXPECT_EQ(with([](auto& m) { m.kind = static_cast<Kind>(0); }), says + "has an unknown kind");
  EXPECT_EQ(with([](auto& m) { m.kind = static_cast<Kind>(8); }), says + "has an unknown kind");
  EXPECT_EQ(with([](auto& m) { m.node = NodeId{-1}; }), says + "has a number out of range");
  EXPECT_EQ(with([](auto& m) { m.offset = -1; }), says + "has a stretch out of range");
  EXPECT_EQ(with([](auto& m) { m.offset = 1LL << 62; }), says + "has a stretch out of range");
  EXPECT_EQ(with([](auto& m) { m.late = -1ns; }), says + "has a time out of range");
  EXPECT_EQ(with([](auto& m) { m.took = 2h; }), says + "has a time out of range");
  EXPECT_EQ(with([](auto& m) { m.size = 0; }), says + "has a chunk of a size out of range");
  EXPECT_EQ(with([](auto& m) { m.size = kMaxChunk + 1; }),
            says + "has a chunk of a size out of range");
  EXPECT_EQ(with([](auto& m) { m.size = 3; }), says + "has a body of the wrong length");
  EXPECT_EQ(with([](auto& m) { m.kind = Kind::kAsk; }), says + "has a body of the wrong length");
  EXPECT_EQ(with([](auto& m) { m.kind = Kind::kCopy; }), says + "has a block to be copied");
}

TEST(DataMessage, WordsAreBounded) {
  DataMessage m;
  m.kind = Kind::kRefused;
  EXPECT_EQ(error_of(m, std::string(kMaxText, 'x')), "");
  EXPECT_EQ(error_of(m, std::string(kMaxText + 1, 'x')),
            "a message of the data service has a body of the wrong length");
}

}  // namespace heddle::worker::message_test
