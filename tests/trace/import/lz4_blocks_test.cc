#include "trace/import/lz4_blocks.h"

#include <lz4.h>

#include <istream>
#include <sstream>

#include "tests/support/matchers.h"

namespace heddle::trace::lz4_blocks_test {

std::string little_endian(std::uint32_t number) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(number >> 8 * i & 0xff);
  return bytes;
}

/// Returns a block of lz4-java. `checksum`: of the text.
std::string block(char method, const std::string& bytes, std::size_t text, std::uint32_t checksum) {
  return "LZ4Block" + std::string(1, method) +
         little_endian(static_cast<std::uint32_t>(bytes.size())) +
         little_endian(static_cast<std::uint32_t>(text)) + little_endian(checksum) + bytes;
}
const std::string kEnd = block(0x10, "", 0, 0);

/// Reads a text. Returns "damaged: …" if that fails.
std::string read(const std::string& bytes) {
  Lz4BlockReader reader(std::make_unique<std::stringbuf>(bytes));
  std::string text;
  try {
    for (int c = reader.sbumpc(); c != EOF; c = reader.sbumpc()) text += static_cast<char>(c);
  } catch (const std::runtime_error& error) {
    return "damaged: " + std::string(error.what());
  }
  return text;
}

// XXH32 with the seed 0x9747b28c of "hello\n" and of 1000 times "ab", without the upper four bits,
// from the reference implementation (xxHash 0.8.1).
constexpr std::uint32_t kHello = 228687076, kRepeated = 156483729;

std::string repeated() {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "ab";
  return text;
}
std::string compressed(const std::string& text) {
  std::string bytes(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(text.size()))), 0);
  bytes.resize(static_cast<std::size_t>(LZ4_compress_default(
      text.data(), bytes.data(), static_cast<int>(text.size()), static_cast<int>(bytes.size()))));
  return bytes;
}

TEST(Lz4Blocks, AreReadOneAfterTheOther) {
  const std::string bytes = compressed(repeated());
  EXPECT_LT(bytes.size(), 100U);
  const std::string stream =
      block(0x16, "hello\n", 6, kHello) + block(0x26, bytes, 2000, kRepeated) + kEnd;
  EXPECT_EQ(read(stream), "hello\n" + repeated());
  EXPECT_EQ(read(stream + stream), "hello\n" + repeated() + "hello\n" + repeated());
  EXPECT_EQ(read(""), "");
}

TEST(Lz4Blocks, DamageIsNoticed) {
  const std::string hello = block(0x16, "hello\n", 6, kHello);
  EXPECT_EQ(read(hello.substr(0, 20)), "damaged: the last block is cut off");
  EXPECT_EQ(read(hello.substr(0, 24)), "damaged: the last block is cut off");
  EXPECT_EQ(read(block(0x16, "hellO\n", 6, kHello)), "damaged: a block is damaged");
  EXPECT_EQ(read(block(0x26, "nonsense", 2000, kRepeated)), "damaged: a block is damaged");
  EXPECT_EQ(read(block(0x30, "hello\n", 6, kHello)), "damaged: the header of a block is damaged");
  EXPECT_EQ(read(block(0x16, "hello\n", 1 << 26, kHello)),
            "damaged: the header of a block is damaged");
  EXPECT_EQ(read(hello + "rest of something"), "damaged: the last block is cut off");
  EXPECT_EQ(read(hello + "rest of something else"),
            "damaged: expected a block that begins with LZ4Block");
}

}  // namespace heddle::trace::lz4_blocks_test
