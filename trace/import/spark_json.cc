#include "trace/import/spark_json.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "common/text.h"
#include "trace/import/spark_app.h"

namespace heddle::trace::spark {

const Json* member(const Json* json, const char* key) {
  if (json == nullptr || !json->is_object()) return nullptr;
  const auto found = json->find(key);
  return found == json->end() ? nullptr : &*found;
}

std::optional<std::int64_t> integer(const Json* json, std::int64_t least, std::int64_t most) {
  if (json == nullptr || !json->is_number()) return std::nullopt;
  const double about = json->get<double>();
  if (!(about >= static_cast<double>(least) && about <= static_cast<double>(most)))
    return std::nullopt;
  const std::int64_t value =
      json->is_number_float() ? std::llround(about) : json->get<std::int64_t>();
  if (value < least || value > most) return std::nullopt;
  return value;
}

std::optional<std::int64_t> time_at(const Json* json, const char* key) {
  return integer(member(json, key), 0, kLatest);
}

std::string text(const Json* json, const char* key) {
  const Json* value = member(json, key);
  if (value == nullptr || !value->is_string()) return "";
  std::string text = value->get_ref<const std::string&>().substr(0, kLongestText);
  return text.substr(0, find_no_text(text));  // the cut can be within a character
}

bool flag(const Json* json, const char* key) {
  const Json* value = member(json, key);
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

std::optional<std::int64_t> whole_number(std::string_view word, std::int64_t most) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || value < 1 || value > most)
    return std::nullopt;
  return value;
}

std::optional<std::int64_t> memory(std::string_view size) {
  const std::size_t unit_at = std::min(size.find_first_not_of("0123456789"), size.size());
  const auto value = whole_number(size.substr(0, unit_at), kMostBytes);
  std::string unit(size.substr(unit_at));
  for (char& c : unit)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (unit.size() == 2 && unit[0] != 'b' && unit[1] == 'b') unit.pop_back();
  if (unit.empty()) unit = "m";
  constexpr std::string_view kUnits = "bkmgtp";
  const std::size_t power = kUnits.find(unit[0]);
  if (!value || unit.size() != 1 || power == std::string_view::npos) return std::nullopt;
  const std::int64_t factor = 1LL << (10 * power);
  if (*value > kMostBytes / factor) return std::nullopt;
  return *value * factor;
}

}  // namespace heddle::trace::spark
