#include "host/sha256.h"

#include <sodium.h>

#include <array>
#include <cerrno>
#include <fstream>

#include "common/text.h"

namespace heddle::host {

Result<std::string> sha256_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return system_error("read " + path, errno);
  crypto_hash_sha256_state state;
  crypto_hash_sha256_init(&state);
  std::array<char, 1 << 16> part;
  while (file.read(part.data(), part.size()) || file.gcount() > 0)
    crypto_hash_sha256_update(&state, reinterpret_cast<unsigned char*>(part.data()),
                              static_cast<unsigned long long>(file.gcount()));
  if (file.bad()) return system_error("read " + path, EIO);
  std::array<unsigned char, crypto_hash_sha256_BYTES> sum;
  crypto_hash_sha256_final(&state, sum.data());
  std::string hex;
  for (const unsigned char byte : sum) hex += hexadecimal(byte, 2);
  return hex;
}

}  // namespace heddle::host
