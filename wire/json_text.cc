#include "wire/json_text.h"

#include <algorithm>

#include "wire/fields.h"

namespace heddle::wire {
namespace {

constexpr std::uint64_t kMillion = 1'000'000;
constexpr std::size_t kDecimals = 6, kLine = 960;

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

JsonText& JsonText::millionths(std::int64_t number) {
  comma();
  if (number < 0) put('-');
  // The number is negated as an unsigned number, because the smallest signed number can't be
  // negated.
  const auto bits = static_cast<std::uint64_t>(number);
  const std::uint64_t size = number < 0 ? 0 - bits : bits;
  put_digits(size / kMillion);
  std::uint64_t rest = size % kMillion;
  if (rest == 0) return *this;
  char* const point = room(1 + kDecimals);
  *point = '.';
  for (std::size_t i = kDecimals; i > 0; --i, rest /= 10)
    point[i] = static_cast<char>('0' + rest % 10);
  char* end = point + 1 + kDecimals;
  while (end[-1] == '0') --end;
  set_end(end);
  return *this;
}

}  // namespace heddle::wire
