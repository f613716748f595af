#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/model/resources.h"

namespace heddle::wire {

/// Writes JSON directly as text, for the most frequent output of a run. Making a Json object and
/// converting it to text takes ten times as long. Commas are inserted automatically. The caller is
/// responsible for correct brackets and keys.
class JsonText {
 public:
  /// Writes '{' or '[', as a value.
  JsonText& open(char bracket) {
    comma();
    put(bracket);
    comma_ = false;
    return *this;
  }
  JsonText& close(char bracket) {
    put(bracket);
    comma_ = true;
    return *this;
  }
  /// REQUIRES: `word` has no characters that JSON escapes.
  JsonText& key(std::string_view word) {
    comma();
    char* at = room(word.size() + 3);
    *at++ = '"';
    at = std::copy(word.begin(), word.end(), at);
    *at++ = '"';
    *at++ = ':';
    set_end(at);
    comma_ = false;
    return *this;
  }

  JsonText& add(bool flag) {
    comma();
    put(flag ? "true" : "false");
    return *this;
  }
  /// Writes a text with escapes. Bytes that aren't UTF-8 are replaced.
  JsonText& add(std::string_view text);
  JsonText& add(const char* text) { return add(std::string_view(text)); }
  /// Writes the shortest text that is read as exactly this number. Writes null if the number isn't
  /// finite.
  template <class Number>
  requires std::is_arithmetic_v<Number> JsonText& add(Number number) {
    comma();
    if constexpr (std::is_floating_point_v<Number>) {
      if (!std::isfinite(number)) {
        put("null");
        return *this;
      }
      if (number == 0) number = 0;  // "-0" would be read as the integer 0
    }
    put_digits(number);
    return *this;
  }
  /// Write seconds and core-seconds exactly.
  JsonText& add(EmuTime time) { return millionths(time.count()); }
  JsonText& add(CoreTime work) { return millionths(work.count()); }
  JsonText& add(EmuBytes bytes) { return add(bytes.count()); }
  JsonText& add(Millicores cores) { return millionths(cores.count() * 1000); }

  template <class Value>
  JsonText& field(std::string_view name, const Value& value) {
    return key(name).add(value);
  }
  /// Writes an array of numbers.
  template <class... Values>
  JsonText& row(const Values&... values) {
    open('[');
    (add(values), ...);
    return close(']');
  }
  /// Writes an array; `add` writes each element.
  template <class Element, class Add>
  void list(const std::vector<Element>& elements, const Add& add) {
    open('[');
    for (const Element& element : elements) add(element);
    close(']');
  }

  /// Ends an object and the line that consists of it.
  void end_line() {
    put("}\n");
    comma_ = false;
  }
  std::string take() {
    text_.resize(std::exchange(size_, 0));
    comma_ = false;
    return std::exchange(text_, {});
  }
  /// Returns the text so far. The result is valid until more text is written.
  std::string_view view() const { return {text_.data(), size_}; }
  /// Starts an empty text and keeps the memory.
  void clear() {
    size_ = 0;
    comma_ = false;
  }

 private:
  /// Separates the next key or value from the previous one.
  void comma() {
    if (comma_) put(',');
    comma_ = true;
  }
  char* room(std::size_t size) {
    if (size_ + size > text_.size()) [[unlikely]]
      grow(size);
    return text_.data() + size_;
  }
  void grow(std::size_t size);
  void set_end(const char* end) { size_ = static_cast<std::size_t>(end - text_.data()); }
  void put(char c) {
    *room(1) = c;
    ++size_;
  }
  void put(std::string_view text) {
    std::memcpy(room(text.size()), text.data(), text.size());
    size_ += text.size();
  }
  template <class Number>
  void put_digits(Number number) {
    char* start = room(kDigits);
    set_end(std::to_chars(start, start + kDigits, number).ptr);
  }
  JsonText& millionths(std::int64_t number);

  static constexpr std::size_t kDigits = 32;
  std::string text_;  ///< the first size_ characters are the text; the rest is free
  std::size_t size_ = 0;
  bool comma_ = false;  ///< a comma is needed before the next key or value
};

}  // namespace heddle::wire
