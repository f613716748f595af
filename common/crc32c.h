#pragma once

#include <cstdint>
#include <string_view>

namespace heddle {

/// Computes the CRC-32C (Castagnoli; RFC 3720, appendix B.4) of bytes that are added in pieces.
class Crc32c {
 public:
  void add(std::string_view bytes);
  /// Returns the checksum of all bytes so far. More bytes can be added after this call.
  std::uint32_t value() const { return ~remainder_; }

 private:
  std::uint32_t remainder_ = ~std::uint32_t{0};
};

/// Returns the remainder after these bytes, computed with a table. Crc32c uses it on processors
/// without an instruction for this checksum.
std::uint32_t crc32c_by_table(std::uint32_t remainder, std::string_view bytes);

}  // namespace heddle
