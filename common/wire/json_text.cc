#include "common/wire/json_text.h"

#include <algorithm>

#include "common/wire/fields.h"

namespace heddle::wire {
namespace {

constexpr std::uint64_t kMillion = 1'000'000;
constexpr std::size_t kDecimals = 6;

bool plain(char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; }

}  // namespace

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
  // Of the smallest one too, whose negative there is not.
  const auto bits = static_cast<std::uint64_t>(number);
  const std::uint64_t size = number < 0 ? 0 - bits : bits;
  put_digits(size / kMillion);
  std::uint64_t rest = size % kMillion;
  if (rest == 0) return *this;
  char decimals[kDecimals];
  for (std::size_t i = kDecimals; i-- > 0; rest /= 10)
    decimals[i] = static_cast<char>('0' + rest % 10);
  std::size_t length = kDecimals;
  while (decimals[length - 1] == '0') --length;
  put('.');
  put(std::string_view(decimals, length));
  return *this;
}

}  // namespace heddle::wire
