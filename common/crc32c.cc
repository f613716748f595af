#include "common/crc32c.h"

#include <array>
#include <cstring>

#ifdef __x86_64__
#include <nmmintrin.h>
#endif

namespace heddle {
namespace {

constexpr std::uint32_t kPolynomial = 0x82F63B78;  // 0x1EDC6F41 with its bits reversed

constexpr std::array<std::uint32_t, 256> kTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) != 0 ? kPolynomial : 0);
    table[byte] = rest;
  }
  return table;
}();

#ifdef __x86_64__
/// The same with the instruction of SSE 4.2: eight times as fast or more.
__attribute__((target("sse4.2"))) std::uint32_t by_instruction(std::uint32_t remainder,
                                                               std::string_view bytes) {
  std::uint64_t wide = remainder;
  for (; bytes.size() >= sizeof wide; bytes.remove_prefix(sizeof wide)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof word);
    wide = _mm_crc32_u64(wide, word);
  }
  auto rest = static_cast<std::uint32_t>(wide);
  for (const char byte : bytes) rest = _mm_crc32_u8(rest, static_cast<unsigned char>(byte));
  return rest;
}
#endif

}  // namespace

std::uint32_t crc32c_by_table(std::uint32_t remainder, std::string_view bytes) {
  for (const char byte : bytes)
    remainder = (remainder >> 8) ^ kTable[(remainder ^ static_cast<unsigned char>(byte)) & 0xFF];
  return remainder;
}

void Crc32c::add(std::string_view bytes) {
#ifdef __x86_64__
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  if (has_instruction) {
    remainder_ = by_instruction(remainder_, bytes);
    return;
  }
#endif
  remainder_ = crc32c_by_table(remainder_, bytes);
}

}  // namespace heddle
