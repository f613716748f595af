#include "host/sha256.h"

#include <fcntl.h>
#include <sodium.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <vector>

#include "common/fd.h"
#include "common/text.h"

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace heddle::host {
namespace {

using Digest = std::array<unsigned char, crypto_hash_sha256_BYTES>;

/// Reads whole blocks, so that only the last piece of a file has to be padded.
constexpr std::size_t kHashedPiece = 1 << 18;

#ifdef __x86_64__
constexpr std::size_t kShaBlock = 64;

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4).
alignas(16) constexpr std::uint32_t kConstants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

bool has_instructions() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __builtin_cpu_supports("sse4.1") != 0 && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 &&
         (b & bit_SHA) != 0;
}

/// SHA-256 with the processor's own instructions, which is much faster than libsodium's. Otherwise,
/// commands that read a long journal would take up to twice as long because they check it.
class ByInstructions {
 public:
  /// Adds whole blocks.
  __attribute__((target("sha,sse4.1"))) void add_blocks(const unsigned char* data,
                                                        std::size_t blocks) {
    // The instructions want the words A B E F and C D G H, the highest first.
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i low = _mm_shuffle_epi32(load(&state_[0]), 0xB1);
    __m128i cdgh = _mm_shuffle_epi32(load(&state_[4]), 0x1B);
    __m128i abef = _mm_alignr_epi8(low, cdgh, 8);
    cdgh = _mm_blend_epi16(cdgh, low, 0xF0);
    for (; blocks > 0; --blocks, data += kShaBlock) {
      const __m128i abef_before = abef, cdgh_before = cdgh;
      __m128i w[4];
      for (int i = 0; i < 4; ++i) w[i] = _mm_shuffle_epi8(load(data + 16 * i), swap);
      for (int i = 0; i < 16; ++i) {
        __m128i& now = w[i % 4];
        const __m128i &next = w[(i + 1) % 4], &third = w[(i + 2) % 4], &last = w[(i + 3) % 4];
        const __m128i sum = _mm_add_epi32(now, load(&kConstants[4 * i]));
        cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
        abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
        now = _mm_sha256msg2_epu32(
            _mm_add_epi32(_mm_sha256msg1_epu32(now, next), _mm_alignr_epi8(last, third, 4)), last);
      }
      abef = _mm_add_epi32(abef, abef_before);
      cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    low = _mm_shuffle_epi32(abef, 0x1B);
    cdgh = _mm_shuffle_epi32(cdgh, 0xB1);
    store(&state_[0], _mm_blend_epi16(low, cdgh, 0xF0));
    store(&state_[4], _mm_alignr_epi8(cdgh, low, 8));
  }

  /// Adds the last bytes and returns the checksum. `before`: the number of bytes before them.
  Digest finish(const unsigned char* data, std::size_t size, std::uint64_t before) {
    std::vector<unsigned char> padded(data, data + size);
    padded.push_back(0x80);
    while (padded.size() % kShaBlock != kShaBlock - 8) padded.push_back(0);
    const std::uint64_t bits = 8 * (before + size);
    for (int shift = 56; shift >= 0; shift -= 8)
      padded.push_back(static_cast<unsigned char>(bits >> shift));
    add_blocks(padded.data(), padded.size() / kShaBlock);
    Digest digest;
    for (std::size_t i = 0; i < digest.size(); ++i)
      digest[i] = static_cast<unsigned char>(state_[i / 4] >> (24 - 8 * (i % 4)));
    return digest;
  }

 private:
  static __m128i load(const void* from) {
    return _mm_loadu_si128(static_cast<const __m128i*>(from));
  }
  static void store(void* to, __m128i words) { _mm_storeu_si128(static_cast<__m128i*>(to), words); }

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
};
#endif

/// Reads so many bytes, or fewer at the end of the file.
Result<std::size_t> read_piece(const Fd& file, std::vector<unsigned char>& piece,
                               const std::string& path) {
  std::size_t size = 0;
  while (size < piece.size()) {
    const ssize_t n = ::read(file.get(), piece.data() + size, piece.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error("read " + path, errno);
    if (n == 0) break;
    size += static_cast<std::size_t>(n);
  }
  return size;
}

std::string hex_of(const Digest& digest) {
  std::string hex;
  for (const unsigned char byte : digest) hex += hexadecimal(byte, 2);
  return hex;
}

}  // namespace

Result<std::string> sha256_of(const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return system_error("read " + path, errno);
  std::vector<unsigned char> piece(kHashedPiece);
#ifdef __x86_64__
  static const bool by_instructions = has_instructions();
  if (by_instructions) {
    ByInstructions sum;
    for (std::uint64_t before = 0;; before += kHashedPiece) {
      const Result<std::size_t> size = read_piece(file, piece, path);
      if (!size) return size.error();
      if (*size < kHashedPiece) return hex_of(sum.finish(piece.data(), *size, before));
      sum.add_blocks(piece.data(), kHashedPiece / kShaBlock);
    }
  }
#endif
  crypto_hash_sha256_state state;
  crypto_hash_sha256_init(&state);
  for (std::size_t size = kHashedPiece; size == kHashedPiece;) {
    const Result<std::size_t> read = read_piece(file, piece, path);
    if (!read) return read.error();
    size = *read;
    crypto_hash_sha256_update(&state, piece.data(), size);
  }
  Digest digest;
  crypto_hash_sha256_final(&state, digest.data());
  return hex_of(digest);
}

std::string sha256_of_text(std::string_view text) {
  Digest digest;
  crypto_hash_sha256(digest.data(), reinterpret_cast<const unsigned char*>(text.data()),
                     text.size());
  return hex_of(digest);
}

}  // namespace heddle::host
