#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "wire/values.h"

namespace heddle::wire {

// The JSON form of a struct is defined once, by a function
//
//   void describe(const auto& io, Of<TheStruct> auto& value);
//
// The function passes the fields to `io`, in the order in which they are written. A FieldWriter
// writes the fields. A FieldReader reads and checks them. If an alternative of a variant has no
// such function, the code does not compile.

/// Satisfied by T and const T.
template <class U, class T>
concept Of = std::same_as<std::remove_const_t<U>, T>;

// The next functions write and read single values, in addition to JsonText::add and values.h.

template <class Tag>
void add(JsonText& json, Id<Tag> id) {
  json.add(id.value);
}
inline void add(JsonText& json, real::Bytes bytes) { json.add(bytes.count()); }
inline void add(JsonText& json, real::Duration time) { json.add(time.count()); }

template <class Tag>
void get(const Fields& from, const char* key, Id<Tag>& id) {
  id = id_field<Id<Tag>>(from, key);
}
inline void get(const Fields& from, const char* key, bool& flag) { flag = from.flag(key); }
inline void get(const Fields& from, const char* key, std::string& text) { text = from.text(key); }
inline void get(const Fields& from, const char* key, std::int64_t& number) {
  number = from.integer(key, 0, kMaxInteger);
}
inline void get(const Fields& from, const char* key, std::uint64_t& number) {
  number = from.unsigned_integer(key);
}
inline void get(const Fields& from, const char* key, EmuTime& time) {
  time = time_field(from, key);
}
inline void get(const Fields& from, const char* key, CoreTime& work) {
  work = core_seconds(from.number(key, 0, kMaxCoreSeconds));
}
inline void get(const Fields& from, const char* key, real::Duration& time) {
  time = real::Duration(from.integer(key, 0, kMaxInteger));
}
inline void get(const Fields& from, const char* key, std::vector<ContainerUse>& containers) {
  containers = containers_from(from, key);
}

struct FieldWriter {
  JsonText& json;
  bool containers = true;  ///< write the containers of a node's heartbeat

  /// Returns whether the field is written.
  bool given(const char*, bool is) const { return is; }
  /// Writes a value. Its bounds matter only for reading.
  template <class Value, class... Bounds>
  [[gnu::always_inline]] void operator()(const char* key, const Value& value, Bounds...) const {
    json.key(key);
    if constexpr (requires { json.add(value); })
      json.add(value);
    else
      add(json, value);
  }
  /// Writes a field, or omits it if there is no value.
  template <class Value, class... Bounds>
  void operator()(const char* key, const std::optional<Value>& value, Bounds... bounds) const {
    if (value) (*this)(key, *value, bounds...);
  }
  /// Does nothing. A FieldReader checks this condition on the fields that a peer sent.
  void require(const char*, bool, const char*) const {}
  void name(const char* key, const std::string& text) const { json.field(key, text); }
  void optional_name(const char* key, const std::string& text) const { json.field(key, text); }
  void long_text(const char* key, const std::string& text, std::size_t) const {
    json.field(key, text);
  }
  template <class Enum>
  [[gnu::always_inline]] void word(const char* key, Enum value,
                                   std::span<const std::string_view> words) const {
    json.key(key).word(words[static_cast<std::size_t>(value)]);
  }
  void texts(const char* key, const std::vector<std::string>& list, std::size_t,
             std::size_t) const {
    json.key(key).list(list, [&](const std::string& text) { json.add(text); });
  }
  template <class Struct>
  void object(const char* key, const Struct& value) const {
    json.key(key);
    put_object(value);
  }
  template <class Struct>
  void object(const char* key, const std::optional<Struct>& value) const {
    if (value) object(key, *value);
  }
  template <class Struct>
  void objects(const char* key, const std::vector<Struct>& list) const {
    json.key(key).list(list, [&](const Struct& value) { put_object(value); });
  }
  /// Writes the name of the variant's alternative, and its fields.
  template <class... Structs>
  void alternative(const char* key, const std::variant<Structs...>& variant) const {
    std::visit(
        [&](const auto& value) {
          json.key(key).word(value.kName);
          describe(*this, value);
        },
        variant);
  }

 private:
  template <class Struct>
  void put_object(const Struct& value) const {
    json.open('{');
    describe(*this, value);
    json.close('}');
  }
};

template <class Variant>
struct Alternatives;

/// Reads and checks the fields of a struct. Errors are thrown as BadField.
struct FieldReader {
  const Fields& from;
  bool containers = true;

  bool given(const char* key, bool) const { return from.has(key); }
  template <class Value>
  void operator()(const char* key, Value& value) const {
    get(from, key, value);
  }
  template <class Value, class... Bounds>
  void operator()(const char* key, std::optional<Value>& value, Bounds... bounds) const {
    if (from.has(key)) (*this)(key, value.emplace(), bounds...);
  }
  void require(const char* key, bool met, const char* expected) const {
    if (!met) from.bad(key, expected);
  }
  void operator()(const char* key, int& value, int least, int most) const {
    value = static_cast<int>(from.integer(key, least, most));
  }
  void operator()(const char* key, std::int64_t& value, std::int64_t least) const {
    value = from.integer(key, least, kMaxInteger);
  }
  void operator()(const char* key, double& value, double least, double most) const {
    value = from.number(key, least, most);
  }
  void operator()(const char* key, std::string& value, std::size_t longest) const {
    value = from.text(key, longest);
  }
  void operator()(const char* key, EmuBytes& value, std::int64_t most) const {
    value = EmuBytes(from.integer(key, 0, most));
  }
  void operator()(const char* key, real::Bytes& value, real::Bytes least, real::Bytes most) const {
    value = real::Bytes(from.integer(key, least.count(), most.count()));
  }
  void operator()(const char* key, real::Duration& value, real::Duration most) const {
    value = real::Duration(from.integer(key, 0, most.count()));
  }
  void operator()(const char* key, EmuTime& value, EmuTime most) const {
    value = emu_seconds(from.number(key, 0, to_seconds(most)));
  }
  void name(const char* key, std::string& text) const { text = from.name(key); }
  void optional_name(const char* key, std::string& text) const { text = from.optional_name(key); }
  void long_text(const char* key, std::string& text, std::size_t longest) const {
    text = from.text(key, longest);
  }
  template <class Enum>
  void word(const char* key, Enum& value, std::span<const std::string_view> words) const {
    value = static_cast<Enum>(from.word(key, words));
  }
  void texts(const char* key, std::vector<std::string>& list, std::size_t most,
             std::size_t longest) const {
    for (const Json& text : from.array(key, most)) {
      if (!text.is_string() || text.get_ref<const std::string&>().size() > longest)
        from.bad(key, "texts of at most " + std::to_string(longest) + " bytes");
      list.push_back(text.get<std::string>());
    }
  }
  template <class Struct>
  void object(const char* key, Struct& value) const {
    describe(FieldReader{from.object(key)}, value);
  }
  template <class Struct>
  void object(const char* key, std::optional<Struct>& value) const {
    if (from.has(key)) object(key, value.emplace());
  }
  template <class Struct>
  void objects(const char* key, std::vector<Struct>& list) const {
    for (const Json& row : from.array(key, 1'000'000)) {
      const Fields fields(row, from.path(key));
      describe(FieldReader{fields}, list.emplace_back());
    }
  }
  template <class... Structs>
  void alternative(const char* key, std::variant<Structs...>& variant) const {
    using All = Alternatives<std::variant<Structs...>>;
    variant = All::kReaders[from.word(key, All::kNames)](from);
  }
};

/// The names of a variant's alternatives, and the functions that read their fields.
template <class... Structs>
struct Alternatives<std::variant<Structs...>> {
  using Variant = std::variant<Structs...>;
  template <class Struct>
  static Variant read(const Fields& from) {
    Struct value;
    describe(FieldReader{from}, value);
    return value;
  }
  static constexpr std::string_view kNames[] = {Structs::kName...};
  static constexpr Variant (*kReaders[])(const Fields&) = {read<Structs>...};
};

/// Reads the alternative with the given name and its fields. Returns nullopt if no alternative of
/// the variant has the name.
template <class Variant>
std::optional<Variant> read_alternative(std::string_view name, const Fields& from) {
  for (std::size_t i = 0; i < std::variant_size_v<Variant>; ++i)
    if (Alternatives<Variant>::kNames[i] == name) return Alternatives<Variant>::kReaders[i](from);
  return std::nullopt;
}

}  // namespace heddle::wire
