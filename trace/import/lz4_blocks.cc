#include "trace/import/lz4_blocks.h"

#define XXH_INLINE_ALL
#include <lz4.h>
#include <xxhash.h>

#include <cstdint>
#include <stdexcept>

namespace heddle::trace {
namespace {

constexpr std::size_t kBlockHeader = kLz4Block.size() + 1 + 3 * 4;
constexpr std::uint32_t kMostBlock = 1 << 25;  ///< of LZ4BlockOutputStream
constexpr unsigned kAsItIs = 0x10, kLz4 = 0x20;
constexpr std::uint32_t kSeed = 0x9747b28c, kChecksumBits = 0x0fffffff;

std::uint32_t little_endian(const char* at) {
  std::uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(at[i]);
  return value;
}

}  // namespace

Lz4BlockReader::int_type Lz4BlockReader::underflow() {
  char header[kBlockHeader];
  for (;;) {
    const std::streamsize got = from_->sgetn(header, std::ssize(header));
    if (got == 0) return traits_type::eof();
    if (got < std::ssize(header)) throw std::runtime_error("the last block is cut off");
    if (std::string_view(header, kLz4Block.size()) != kLz4Block)
      throw std::runtime_error("expected a block that begins with LZ4Block");
    const unsigned method = static_cast<unsigned char>(header[kLz4Block.size()]) & 0xf0U;
    const std::uint32_t size = little_endian(header + kLz4Block.size() + 1);
    const std::uint32_t text = little_endian(header + kLz4Block.size() + 5);
    if (text == 0 && size == 0) continue;
    if (size > kMostBlock || text > kMostBlock || text == 0 ||
        (method == kAsItIs ? size != text : method != kLz4))
      throw std::runtime_error("the header of a block is damaged");
    in_.resize(size);
    if (from_->sgetn(in_.data(), size) != size)
      throw std::runtime_error("the last block is cut off");
    if (method == kAsItIs) {
      out_.swap(in_);
    } else {
      out_.resize(text);
      const int made = LZ4_decompress_safe(in_.data(), out_.data(), static_cast<int>(size),
                                           static_cast<int>(text));
      if (made < 0 || static_cast<std::uint32_t>(made) != text)
        throw std::runtime_error("a block is damaged");
    }
    if ((XXH32(out_.data(), text, kSeed) & kChecksumBits) !=
        little_endian(header + kLz4Block.size() + 9))
      throw std::runtime_error("a block is damaged");
    setg(out_.data(), out_.data(), out_.data() + text);
    return traits_type::to_int_type(out_[0]);
  }
}

}  // namespace heddle::trace
