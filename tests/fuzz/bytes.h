#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace heddle::fuzz {

/// Reads an input as numbers and pieces of text. After the end of the input, returns zeros and
/// empty texts.
class Bytes {
 public:
  explicit Bytes(std::string_view input) : left_(input) {}
  bool empty() const { return left_.empty(); }

  /// Returns a little-endian number of `size` bytes.
  std::uint64_t number(std::size_t size) {
    std::uint64_t number = 0;
    const std::string_view bytes = text(size);
    for (std::size_t i = bytes.size(); i > 0; --i)
      number = number << 8 | static_cast<unsigned char>(bytes[i - 1]);
    return number;
  }
  /// Returns a number less than `bound`, made from one byte. REQUIRES: bound is at most 256.
  std::uint64_t below(std::uint64_t bound) { return number(1) % bound; }
  std::string_view text(std::size_t size) {
    const std::string_view piece = left_.substr(0, size);
    left_.remove_prefix(piece.size());
    return piece;
  }

 private:
  std::string_view left_;
};

}  // namespace heddle::fuzz
