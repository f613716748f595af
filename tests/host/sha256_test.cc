#include "host/sha256.h"

#include <sodium.h>

#include <fstream>
#include <string>

#include "common/text.h"
#include "tests/support/matchers.h"
#include "tests/support/temporary_directory.h"

namespace heddle::host::sha256_test {

std::string sum_of(const std::string& text) {
  const tests::TemporaryDirectory place;
  std::ofstream(place / "file", std::ios::binary) << text;
  const Result<std::string> sum = sha256_of(place / "file");
  return sum ? *sum : sum.error().text;
}

/// Returns the checksum that libsodium computes.
std::string sodium_sum(const std::string& text) {
  std::array<unsigned char, crypto_hash_sha256_BYTES> digest;
  crypto_hash_sha256(digest.data(), reinterpret_cast<const unsigned char*>(text.data()),
                     text.size());
  std::string hex;
  for (const unsigned char byte : digest) hex += hexadecimal(byte, 2);
  return hex;
}

// The examples of FIPS 180-2, appendix B, and the empty text.
TEST(Sha256, IsThatOfTheStandard) {
  EXPECT_EQ(sum_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sum_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sum_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sum_of(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, IsLibsodiumsAtTheEndsOfBlocksAndPieces) {
  std::string text;
  for (int i = 0; i < (1 << 18) + 70; ++i) text += static_cast<char>(i * 31 + i / 251);
  for (const std::size_t size : {1U, 55U, 56U, 57U, 63U, 64U, 65U, 119U, 120U, 128U, (1U << 18) - 1,
                                 1U << 18, (1U << 18) + 1, (1U << 18) + 56}) {
    const std::string part = text.substr(0, size);
    EXPECT_EQ(sum_of(part), sodium_sum(part)) << size;
  }
}

// The example of FIPS 180-4.
TEST(Sha256, OfAText) {
  EXPECT_EQ(sha256_of_text("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, AFileThatCannotBeReadIsAnError) {
  EXPECT_EQ(sha256_of("/nowhere").error().text, "read /nowhere: No such file or directory");
  EXPECT_EQ(sha256_of("/").error().text, "read /: Is a directory");
}

}  // namespace heddle::host::sha256_test
