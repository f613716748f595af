#include "wire/fields.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include "common/text.h"

namespace heddle::wire {
namespace {

/// In an object of more keys, repeated keys are found by sorting. Otherwise, the time would grow
/// with the square of the number of keys.
constexpr std::size_t kFewKeys = 32;

/// Builds the same value from a text as Json::parse. Builds each array and object as a whole when
/// its end is reached. For the short rows of messages, this halves the number of allocations.
class TreeBuilder : public nlohmann::json_sax<Json> {
 public:
  TreeBuilder() { values_.reserve(256); }
  Json take() { return std::move(values_.back()); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(std::int64_t value) override { return add(value); }
  bool number_unsigned(std::uint64_t value) override { return add(value); }
  bool number_float(double value, const std::string&) override { return add(value); }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(Json::binary_t&) override { return false; }  // does not occur in text
  bool key(std::string& value) override {
    keys_.push_back(std::move(value));
    return true;
  }
  bool start_object(std::size_t) override { return start(); }
  bool start_array(std::size_t) override { return start(); }
  bool end_object() override {
    const auto first = end();
    const auto count = static_cast<std::size_t>(values_.end() - first);
    auto key = keys_.end() - static_cast<std::ptrdiff_t>(count);
    if (count > kFewKeys) keep_last({key, keys_.end()}, {first, values_.end()});
    Json::object_t object;
    object.reserve(count);
    if (count > kFewKeys)
      for (auto value = first; value != values_.end(); ++value, ++key) {
        if (!value->is_discarded()) object.emplace_back(std::move(*key), std::move(*value));
      }
    else  // The search for a key is short.
      for (auto value = first; value != values_.end(); ++value) object[*key++] = std::move(*value);
    keys_.resize(keys_.size() - count);
    values_.erase(first, values_.end());
    return add(std::move(object));
  }
  bool end_array() override {
    const auto first = end();
    Json::array_t array(std::make_move_iterator(first), std::make_move_iterator(values_.end()));
    values_.erase(first, values_.end());
    return add(std::move(array));
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override {
    return false;
  }

 private:
  template <class Value>
  bool add(Value&& value) {
    values_.emplace_back(std::forward<Value>(value));
    return true;
  }
  /// If a key is repeated, moves its last value to its first place, and discards the others.
  static void keep_last(std::span<const std::string> keys, std::span<Json> values) {
    std::vector<std::size_t> order(keys.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {},
                      [&](std::size_t i) { return std::pair(std::string_view(keys[i]), i); });
    std::size_t first = order.front();
    for (const std::size_t i : order) {
      if (keys[i] != keys[first]) first = i;
      if (i != first) values[first] = std::exchange(values[i], Json(Json::value_t::discarded));
    }
  }
  bool start() {
    starts_.push_back(values_.size());
    return true;
  }
  /// Closes the innermost open array or object, and returns its first value.
  std::vector<Json>::iterator end() {
    const auto start = static_cast<std::ptrdiff_t>(starts_.back());
    starts_.pop_back();
    return values_.begin() + start;
  }

  std::vector<Json> values_;  ///< of all open arrays and objects
  std::vector<std::string> keys_;
  std::vector<std::size_t> starts_;  ///< where each open one begins in values_
};

}  // namespace

Json parse_json(std::string_view text) {
  TreeBuilder tree;
  if (nested_deeper(text, kMaxDepth) || !Json::sax_parse(text, &tree))
    return Json(Json::value_t::discarded);
  return tree.take();
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

std::string Fields::name(const char* key) const {
  std::string value = text(key);
  if (!valid_name(value))
    bad(key, "a name of up to 64 letters, digits, dots, dashes and underscores");
  return value;
}

std::string Fields::optional_name(const char* key) const {
  return text(key).empty() ? "" : name(key);
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
