#include "common/wire/fields.h"

#include "common/text.h"

namespace heddle::wire {

Json parse_json(std::string_view text) {
  if (nested_deeper(text, kMaxDepth)) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, false);
}

Fields::Fields(const Json& json, std::string path) : json_(json), path_(std::move(path)) {
  if (!json_.is_object()) throw BadField{path_ + ": expected an object"};
}

void Fields::bad(const char* key, const std::string& expected) const {
  throw BadField{path(key) + ": expected " + expected};
}

const Json& Fields::at(const char* key) const {
  auto it = json_.find(key);
  if (it == json_.end()) throw BadField{path(key) + ": missing"};
  return *it;
}

std::int64_t Fields::integer(const char* key, std::int64_t least, std::int64_t most) const {
  const Json& value = at(key);
  bool fits = value.is_number_integer() &&
              !(value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX);
  std::int64_t number = fits ? value.get<std::int64_t>() : 0;
  if (!fits || number < least || number > most)
    bad(key, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return number;
}

std::uint64_t Fields::unsigned_integer(const char* key) const {
  const Json& value = at(key);
  if (!value.is_number_unsigned()) bad(key, "a whole number, 0 or more");
  return value.get<std::uint64_t>();
}

double Fields::number(const char* key, double least, double most) const {
  const Json& value = at(key);
  double number = value.is_number() ? value.get<double>() : 0;
  if (!value.is_number() || !(number >= least && number <= most))
    bad(key, "a number from " + std::to_string(least) + " to " + std::to_string(most));
  return number;
}

bool Fields::flag(const char* key) const {
  const Json& value = at(key);
  if (!value.is_boolean()) bad(key, "true or false");
  return value.get<bool>();
}

std::string Fields::text(const char* key, std::size_t longest) const {
  const Json& value = at(key);
  if (!value.is_string() || value.get_ref<const std::string&>().size() > longest)
    bad(key, "a text of at most " + std::to_string(longest) + " bytes");
  return value.get<std::string>();
}

Fields Fields::object(const char* key) const { return Fields(at(key), path(key)); }

const std::vector<Json>& Fields::array(const char* key, std::size_t longest) const {
  const Json& value = at(key);
  if (!value.is_array() || value.size() > longest)
    bad(key, "a list of at most " + std::to_string(longest) + " elements");
  return value.get_ref<const Json::array_t&>();
}

std::size_t Fields::word(const char* key, std::span<const std::string_view> words) const {
  std::string value = text(key);
  std::string known;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == value) return i;
    known += (i ? ", " : "") + std::string(words[i]);
  }
  bad(key, "one of " + known);
}

}  // namespace heddle::wire
