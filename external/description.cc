#include "external/description.h"

#include <algorithm>

#include "common/text.h"
#include "core/policy/own_options.h"
#include "external/heddle_dialect.h"
#include "wire/fields.h"

namespace heddle::external {
namespace {

using wire::Fields;
using wire::Json;
using Type = DeclaredOption::Type;

constexpr std::size_t kMostOptions = 100, kMostWords = 12, kLongestText = 1000;
/// In the order of DeclaredOption::Type.
constexpr std::string_view kTypes[] = {"flag", "number", "integer", "word", "text"};

std::string optional_text(const Fields& fields, const char* key) {
  return fields.has(key) ? fields.text(key, kLongestText) : "";
}

DeclaredOption read_option(const Json& json, std::size_t index) {
  const Fields fields(json, "reply.options[" + std::to_string(index) + "]");
  DeclaredOption option;
  option.name = fields.name("name");
  if (const Result<void> good = check_own_option(std::string(kOwnOption) + option.name, ""); !good)
    fields.bad("name", "letters, digits, _ and -, got " + option.name);
  option.type = static_cast<Type>(fields.word("type", kTypes));
  option.by_default = fields.text("default", kLongestText);
  const double none = std::numeric_limits<double>::infinity();
  if (fields.has("min")) option.least = fields.number("min", -none, none);
  if (fields.has("max")) option.most = fields.number("max", option.least, none);
  option.unit = optional_text(fields, "unit");
  option.help = optional_text(fields, "help");
  if (option.type == Type::kWord)
    for (const Json& word : fields.array("words", kMostWords)) {
      if (!word.is_string()) fields.bad("words", "a list of texts");
      option.words.push_back(word.get<std::string>());
    }
  if (const Result<void> good = option.check(option.by_default); !good)
    fields.bad("default", "a value of the option; " + good.error().text);
  return option;
}

/// Returns the description of a built-in option with the same values. REQUIRES: the option is no
/// text. It is valid as long as `declared` and `name` are.
Option as_option(const DeclaredOption& declared, std::string_view name) {
  Option option{.name = name, .least = declared.least, .most = declared.most};
  option.unit = declared.unit;
  for (const std::string& word : declared.words) option.words = option.words.with(word);
  option.type = declared.type == Type::kFlag   ? Option::Type::kFlag
                : declared.type == Type::kWord ? Option::Type::kWord
                                               : Option::Type::kNumber;
  option.whole = declared.type == Type::kInteger;
  return option;
}

}  // namespace

std::string DeclaredOption::values() const {
  return type == Type::kText ? "any text" : as_option(*this, name).values();
}

Result<void> DeclaredOption::check(std::string_view value) const {
  const std::string key = std::string(kOwnOption) + name;
  return type == Type::kText ? Result<void>() : as_option(*this, key).check(value);
}

std::string describe_request() {
  return Json{{"type", "describe"}, {"protocol", kProtocolVersion}, {"request", 0}}.dump();
}

Result<Description> read_description(std::string_view reply) {
  try {
    const Json json = wire::parse_json(reply);
    if (!json.is_object()) return aborted_error("the reply to describe is no JSON object");
    const Fields fields(json, "reply");
    if (fields.has("error"))
      return aborted_error("the program failed:\n" + fields.text("error", kLongestError));
    Description description{optional_text(fields, "name"), optional_text(fields, "help"), {}};
    if (!fields.has("options")) return description;
    description.options.emplace();
    for (const Json& option : fields.array("options", kMostOptions))
      description.options->push_back(read_option(option, description.options->size()));
    return description;
  } catch (const wire::BadField& bad) {
    return aborted_error(bad.text);
  }
}

Result<void> check_own_options(const PolicySpec& policy, const Description& description) {
  if (!policy.external || !description.options) return {};
  std::vector<std::string> known;
  for (const DeclaredOption& option : *description.options) known.push_back(option.name);
  for (const auto& [name, value] : own_options(policy)) {
    const auto option = std::ranges::find(*description.options, name, &DeclaredOption::name);
    Result<void> good;
    if (option != description.options->end())
      good = option->check(value);
    else if (known.empty())
      good = usage_error("unknown option \"" + name + "\"; the program declares no options");
    else
      good = usage_error(with_nearest("unknown option \"" + name + "\"", name, known) +
                         " (known: " + join(known) + ")");
    if (!good) return std::move(good).error().in(program_name(*policy.external));
  }
  return {};
}

}  // namespace heddle::external
