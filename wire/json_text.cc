#include "wire/json_text.h"

#include <algorithm>
#include <array>
#include <bit>

#include "wire/fields.h"

namespace heddle::wire {
namespace {

constexpr std::uint64_t kMillion = 1'000'000;
constexpr std::size_t kDecimals = 6, kLine = 960;

/// The numbers 0 to 99, with two digits each.
constexpr std::array<char, 200> kPairs = [] {
  std::array<char, 200> pairs{};
  for (std::size_t i = 0; i < 100; ++i) {
    pairs[2 * i] = static_cast<char>('0' + i / 10);
    pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return pairs;
}();

/// The powers of ten from 1.
constexpr std::array<std::uint64_t, 20> kPowers = [] {
  std::array<std::uint64_t, 20> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

void write_pair(char* at, std::uint32_t number) { std::memcpy(at, &kPairs[2 * number], 2); }

/// Returns how many decimal digits the number has. 0 has one digit.
std::size_t digits_of(std::uint64_t number) {
  // 1233 / 4096 is the logarithm of 2 to the base 10.
  const auto few = static_cast<std::size_t>(std::bit_width(number | 1)) * 1233 >> 12;
  return few + ((number | 1) >= kPowers[few] ? 1 : 0);
}

bool plain(char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; }

}  // namespace

void JsonText::grow(std::size_t size) { text_.resize(std::max(kLine, 2 * (size_ + size))); }

JsonText& JsonText::add(std::string_view text) {
  comma();
  if (!std::all_of(text.begin(), text.end(), plain)) {
    put(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace));
    return *this;
  }
  put('"');
  put(text);
  put('"');
  return *this;
}

char* JsonText::write_digits(char* at, std::uint64_t number) {
  char* const end = at + digits_of(number);
  char* first = end;
  for (; number >= 10'000; number /= 10'000) {
    const auto rest = static_cast<std::uint32_t>(number % 10'000);
    write_pair(first -= 2, rest % 100);
    write_pair(first -= 2, rest / 100);
  }
  auto rest = static_cast<std::uint32_t>(number);
  if (rest >= 100) {
    write_pair(first -= 2, rest % 100);
    rest /= 100;
  }
  if (rest >= 10)
    write_pair(at, rest);
  else
    *at = static_cast<char>('0' + rest);
  return end;
}

void JsonText::put_integer(std::int64_t number) {
  char* at = room(kDigits);
  // The number is negated as an unsigned number, because the smallest signed number can't be
  // negated.
  auto size = static_cast<std::uint64_t>(number);
  if (number < 0) {
    *at++ = '-';
    size = 0 - size;
  }
  set_end(write_digits(at, size));
}

JsonText& JsonText::millionths(std::int64_t number) {
  char* at = room(1 + kDigits);
  if (comma_) *at++ = ',';
  comma_ = true;
  const auto bits = static_cast<std::uint64_t>(number);
  const std::uint64_t size = number < 0 ? 0 - bits : bits;
  if (number < 0) *at++ = '-';
  at = write_digits(at, size / kMillion);
  if (const auto rest = static_cast<std::uint32_t>(size % kMillion); rest > 0) {
    *at++ = '.';
    write_pair(at, rest / 10'000);
    write_pair(at + 2, rest / 100 % 100);
    write_pair(at + 4, rest % 100);
    at += kDecimals;
    while (at[-1] == '0') --at;
  }
  set_end(at);
  return *this;
}

}  // namespace heddle::wire
