#include "trace/plain_json.h"

#include "common/text.h"

namespace heddle::trace {
namespace {

using wire::Json;

Json value_json(const Form& form, const void* member) {
  const std::string text = form.plain(member);
  switch (form.plain_kind()) {
    case Form::Plain::kText:
      return text;
    case Form::Plain::kFlag:
      return text.empty() ? Json() : Json(text == "1");
    case Form::Plain::kWhole:
      return text.empty() ? Json() : Json::parse(text);
    case Form::Plain::kNumber:
      return text.empty() ? Json() : Json(Json::parse(text).get<double>());
    case Form::Plain::kNames: {
      Json names;
      for (std::string_view all = text; !all.empty();)
        names.push_back(std::string(take_until(all, ';')));
      return names;
    }
  }
  return {};
}

/// Returns the plain text of a value; nullopt if the JSON is of another type.
std::optional<std::string> text_from(const Json& json, Form::Plain kind) {
  if (kind == Form::Plain::kText && json.is_string()) return json.get<std::string>();
  if (kind == Form::Plain::kNames && json.is_array()) {
    std::vector<std::string> names;
    for (const Json& name : json)
      names.push_back(name.is_string() ? name.get<std::string>() : std::string());
    return join(names, ";");
  }
  if (kind == Form::Plain::kFlag && json.is_boolean()) return json.get<bool>() ? "1" : "0";
  const bool number = (kind == Form::Plain::kWhole && json.is_number_integer()) ||
                      (kind == Form::Plain::kNumber && json.is_number());
  return number ? std::optional(json.dump()) : std::nullopt;
}

std::string field_of(const Key& key) { return key.name + std::string(key.form->suffix()); }

}  // namespace

Json plain_json(const Keys& keys, const void* structure, const CountNames& counted) {
  Json json = Json::object();
  keys.each(counted, [&](const Key& key) {
    if (key.map) {
      json[key.name] = plain_json(*key.map, structure, counted);
    } else if (key.form) {
      Json value = value_json(*key.form, key.at(structure));
      const bool sparse = key.sparse || key.form->plain_kind() == Form::Plain::kNames;
      if (!sparse || !(value.is_null() || value == "")) json[field_of(key)] = std::move(value);
    }
  });
  return json;
}

void read_plain(const Keys& keys, const Json& json, const wire::Fields& fields, void* structure,
                const CountNames& counted) {
  keys.each(counted, [&](const Key& key) {
    if (!key.form) return;
    const std::string name = key.map ? key.name : field_of(key);
    const auto at = json.find(name);
    if (at == json.end() || at->is_null()) {
      if (key.required) fields.bad(name.c_str(), key.form->plain_form());
      return;
    }
    if (key.map) {
      read_plain(*key.map, *at, fields.object(name.c_str()), structure, counted);
      return;
    }
    const auto text = text_from(*at, key.form->plain_kind());
    // Without a name, the member keeps its default.
    if (text && text->empty() && !key.required) return;
    if (!text || !key.form->read_plain(*text, key.at(structure)))
      fields.bad(name.c_str(), key.form->plain_form());
  });
}

}  // namespace heddle::trace
