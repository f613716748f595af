#pragma once

#include <boost/crc.hpp>
#include <cstdint>
#include <string_view>

namespace heddle {

/// Computes the CRC-32C (Castagnoli; RFC 3720, appendix B.4) of bytes that are added in pieces.
class Crc32c {
 public:
  void add(std::string_view bytes) { crc_.process_bytes(bytes.data(), bytes.size()); }
  /// Returns the checksum of all bytes so far. More bytes can be added after this call.
  std::uint32_t value() const { return static_cast<std::uint32_t>(crc_.checksum()); }

 private:
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc_;
};

}  // namespace heddle
