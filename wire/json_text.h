#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
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
  /// REQUIRES: `word` has no characters that JSON escapes. Inline, so that the length of a literal
  /// is known and the copy takes a few instructions.
  [[gnu::always_inline]] JsonText& key(std::string_view word) {
    *quote(word, 1) = ':';
    ++size_;
    comma_ = false;
    return *this;
  }

  JsonText& add(bool flag) {
    comma();
    put(flag ? "true" : "false");
    return *this;
  }
  /// Writes a text. REQUIRES: `word` has no characters that JSON escapes.
  JsonText& word(std::string_view word) {
    quote(word, 0);
    return *this;
  }
  /// Writes a text with escapes. Bytes that aren't UTF-8 are replaced.
  JsonText& add(std::string_view text);
  JsonText& add(const char* text) { return add(std::string_view(text)); }
  /// Writes the shortest text that is read as exactly this number. Writes null if the number isn't
  /// finite.
  template <std::floating_point Number>
  JsonText& add(Number number) {
    if (std::abs(number) < kFewDigits) {
      // This also writes -0 as 0. A reader would take "-0" for an integer.
      const int whole = static_cast<int>(number);
      if (static_cast<Number>(whole) == number) return add(whole);
    }
    comma();
    if (!std::isfinite(number)) {
      put("null");
      return *this;
    }
    char* start = room(kDigits);
    set_end(std::to_chars(start, start + kDigits, number).ptr);
    return *this;
  }
  template <std::integral Number>
  JsonText& add(Number number) {
    comma();
    if constexpr (std::is_signed_v<Number>)
      put_integer(number);
    else
      set_end(write_digits(room(kDigits), number));
    return *this;
  }
  /// Write seconds and core-seconds exactly.
  JsonText& add(EmuTime time) { return millionths(time.count()); }
  JsonText& add(CoreTime work) { return millionths(work.count()); }
  JsonText& add(EmuBytes bytes) { return add(bytes.count()); }
  JsonText& add(Millicores cores) { return millionths(cores.count() * 1000); }
  JsonText& add(Thousandths amount) { return millionths(amount.count() * 1000); }

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
  template <class Elements, class Add>
  void list(const Elements& elements, const Add& add) {
    open('[');
    for (const auto& element : elements) add(element);
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
  /// Writes a text in quotes, after a comma if one is needed. Returns the end of the text. There is
  /// room for `more` characters.
  [[gnu::always_inline]] char* quote(std::string_view word, std::size_t more) {
    char* at = room(word.size() + 3 + more);
    if (comma_) *at++ = ',';
    comma_ = true;
    *at++ = '"';
    std::memcpy(at, word.data(), word.size());
    at += word.size();
    *at++ = '"';
    set_end(at);
    return at;
  }
  /// Writes the number in decimal digits. Returns the end of the digits.
  static char* write_digits(char* at, std::uint64_t number);
  void put_integer(std::int64_t number);
  JsonText& millionths(std::int64_t number);

  static constexpr std::size_t kDigits = 32;
  /// Below this number, the shortest text of a whole number is its digits. 100000 is "1e+05".
  static constexpr int kFewDigits = 100'000;
  std::string text_;  ///< the first size_ characters are the text; the rest is free
  std::size_t size_ = 0;
  bool comma_ = false;  ///< a comma is needed before the next key or value
};

}  // namespace heddle::wire
