#include "trace/plain_json.h"

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
  }
  return {};
}

/// Returns the plain text of a value; nullopt if the JSON is of another type.
std::optional<std::string> text_from(const Json& json, Form::Plain kind) {
  if (kind == Form::Plain::kText && json.is_string()) return json.get<std::string>();
  if (kind == Form::Plain::kFlag && json.is_boolean()) return json.get<bool>() ? "1" : "0";
  const bool number = kind == Form::Plain::kWhole ? json.is_number_integer() : json.is_number();
  return number && kind != Form::Plain::kText && kind != Form::Plain::kFlag
             ? std::optional(json.dump())
             : std::nullopt;
}

std::string field_of(const Key& key) { return key.name + std::string(key.form->suffix()); }

}  // namespace

Json plain_json(const Keys& keys, const void* structure) {
  Json json = Json::object();
  for (const Key& key : keys.all())
    if (key.map)
      json[key.name] = plain_json(*key.map, structure);
    else if (key.form)
      json[field_of(key)] = value_json(*key.form, key.at(structure));
  return json;
}

void read_plain(const Keys& keys, const Json& json, const wire::Fields& fields, void* structure) {
  for (const Key& key : keys.all()) {
    if (!key.form) continue;
    const std::string name = key.map ? key.name : field_of(key);
    const auto at = json.find(name);
    if (at == json.end() || at->is_null()) {
      if (key.required) fields.bad(name.c_str(), key.form->plain_form());
      continue;
    }
    if (key.map) {
      read_plain(*key.map, *at, fields.object(name.c_str()), structure);
      continue;
    }
    const auto text = text_from(*at, key.form->plain_kind());
    // Without a name, the member keeps its default.
    if (text && text->empty() && !key.required) continue;
    if (!text || !key.form->read_plain(*text, key.at(structure)))
      fields.bad(name.c_str(), key.form->plain_form());
  }
}

}  // namespace heddle::trace
