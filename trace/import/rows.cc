#include "trace/import/rows.h"

#include <cmath>

#include "common/number.h"
#include "common/text.h"

namespace heddle::trace {
namespace {

constexpr std::size_t kMostCells = 1000;
constexpr std::string_view kBlanks = " \t";

void trim(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  text = text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

/// Calls `found` for each part of a text between separators, until it returns true. Returns whether
/// it has.
bool any_part(std::string_view text, char separator, const auto& found) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    if (found(text.substr(begin, end - begin))) return true;
    begin = end + 1;
  }
  return false;
}

bool equal_in_lower_case(std::string_view text, std::string_view word) {
  return std::ranges::equal(text, word, {}, [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
}

bool is_none(const Rule& rule, std::string_view text) {
  return text.empty() || (!rule.none_word.empty() && equal_in_lower_case(text, rule.none_word));
}

const Word* find_word(const Rule& rule, std::string_view text) {
  const auto word = std::ranges::find(rule.words, text, &Word::text);
  return word == rule.words.end() ? nullptr : &*word;
}

bool is_comment(std::string_view line, const Layout& layout) {
  const std::size_t begin = std::min(line.find_first_not_of(kBlanks), line.size());
  return layout.comment != '\0' && line.substr(begin).starts_with(layout.comment);
}

bool is_row(std::string_view line, const Layout& layout) {
  return line.find_first_not_of(layout.blanks) != std::string_view::npos &&
         !is_comment(line, layout);
}

}  // namespace

std::optional<double> number(std::string_view text) {
  const std::optional<double> value = read_number<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

void split(std::string_view line, Cells& cells, char separator) {
  cells.clear();
  std::size_t begin = 0;
  bool quoted = false;
  const bool words = separator == ' ';
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (i < line.size() && line[i] == '"' && separator == ',') quoted = !quoted;
    if (i < line.size() && (quoted || (line[i] != separator && !(words && line[i] == '\t'))))
      continue;
    std::string_view cell = line.substr(begin, i - begin);
    begin = i + 1;
    if (!words) trim(cell);
    if (words && cell.empty()) continue;
    if (separator == ',' && cell.size() >= 2 && cell.front() == '"' && cell.back() == '"')
      cell = cell.substr(1, cell.size() - 2);
    if (cells.size() < kMostCells) cells.push_back(cell);
  }
}

std::vector<Cells> first_rows(std::string_view head, std::size_t most, const Layout& layout) {
  const bool cut = head.size() >= kHead || layout.whole_lines;
  std::vector<Cells> rows;
  while (!head.empty() && rows.size() < most) {
    const std::size_t end = head.find('\n');
    if (end == std::string_view::npos && cut && !rows.empty()) break;
    std::string_view line = head.substr(0, end);
    head.remove_prefix(end == std::string_view::npos ? head.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (is_row(line, layout)) split(line, rows.emplace_back(), layout.separator);
  }
  return rows;
}

std::size_t place_of(std::string_view spellings, const Cells& header) {
  for (std::size_t i = 0; i < header.size(); ++i)
    if (!header[i].empty() &&
        any_part(spellings, '|', [&](std::string_view name) { return name == header[i]; }))
      return i;
  return kNamed;
}

std::vector<std::size_t> places_of(std::span<const std::string_view> names, const Cells& header) {
  std::vector<std::size_t> places;
  for (const std::string_view name : names)
    if (const std::size_t place = place_of(name, header); place != kNamed) places.push_back(place);
  return places;
}

bool Judge::begin(const Input& input, const Cells& cells, const Layout& layout) {
  begin(input);
  ++report_.rows;
  if (cells.size() > layout.most()) repaired(kFieldsMore);
  return cells.size() >= layout.fields || fault(layout.few) != Verdict::kLeaveOut;
}

void Judge::unclear(const Input& input) {
  begin(input);
  ++report_.rows;
  repaired(kSeparators);
}

void Judge::unused(const Cells& header, const std::vector<std::size_t>& places) {
  for (std::size_t i = 0; i < header.size(); ++i)
    if (!header[i].empty() && std::ranges::find(places, i) == places.end())
      report_.unused(std::string(header[i]));
}

void Judge::kept() {
  for (const Repair* repair : later_) repaired(*repair);
  later_.clear();
}

Judge::Verdict Judge::fault(const Fault& fault) {
  if (fault.repair && fault.if_kept)
    later_.push_back(fault.repair);
  else if (fault.repair)
    repaired(*fault.repair);
  switch (fault.then) {
    case Fault::Then::kTakeNone:
      return Verdict::kSkip;
    case Fault::Then::kTakeNearest:
      return Verdict::kUse;
    case Fault::Then::kLeaveOut:
      return Verdict::kLeaveOut;
  }
  return Verdict::kSkip;
}

Judge::Verdict Judge::text(const Rule& rule, Field& value) {
  if (is_none(rule, value.text)) return fault(rule.blank);
  if (!rule.words.empty()) {
    const Word* word = find_word(rule, value.text);
    if (word == nullptr) return fault(rule.unknown);
    return word->fault ? fault(*word->fault) : Verdict::kUse;
  }
  if (static_cast<double>(value.text.size()) <= rule.most) return Verdict::kUse;
  value.text = value.text.substr(0, static_cast<std::size_t>(rule.most));
  value.text = value.text.substr(0, find_no_text(value.text));  // the cut can be in a character
  return fault(rule.above);
}

Judge::Verdict Judge::number(const Rule& rule, Field& value) {
  if (!value.number && !value.other && is_none(rule, value.text)) return fault(rule.blank);
  if (!value.number) value.number = rule.read(value.text);
  if (!value.number) return fault(rule.wrong);
  double& number = *value.number;
  if (number == rule.none) return Verdict::kSkip;
  Verdict verdict = Verdict::kUse;
  if (number < rule.least)
    verdict = fault(rule.below);
  else if (number > rule.most)
    verdict = fault(rule.above);
  else if (rule.whole && number != std::floor(number))
    verdict = fault(rule.fraction);
  number = std::clamp(number, rule.least, rule.most);
  if (rule.whole) number = std::round(number);
  number = number * rule.unit / rule.per;
  return verdict;
}

bool fits(const Rule& rule, std::string_view text, bool is_number) {
  if (is_none(rule, text)) return rule.blank.repair != &kUnreadable;
  if (!is_number) return rule.words.empty() || find_word(rule, text) != nullptr;
  const std::optional<double> value = rule.read(text);
  if (!value) return false;
  // Numbers that are not exact can be repaired, so a row with any number can be one.
  const bool exact = rule.whole && rule.fraction.repair == &kUnreadable;
  return !exact || (*value >= rule.least && *value <= rule.most && *value == std::floor(*value));
}

void each_line(Input& input, const Layout& layout, const UseCells& row, const UseLine& comment) {
  Cells cells;
  while (const auto line = input.line()) {
    if (is_row(*line, layout)) {
      split(*line, cells, layout.separator);
      row(cells);
    } else if (comment && is_comment(*line, layout)) {
      comment(*line);
    }
  }
}

const wire::Json* find(const wire::Json& json, std::string_view path) {
  const wire::Json* found = nullptr;
  any_part(path, '|', [&](std::string_view spelling) {
    found = &json;
    any_part(spelling, '/', [&](std::string_view key) {
      if (!found->is_object()) return found = nullptr, true;
      const auto member = found->find(std::string(key));
      found = member == found->end() || member->is_null() ? nullptr : &*member;
      return found == nullptr;
    });
    return found != nullptr;
  });
  return found;
}

const wire::Json::array_t& elements(const wire::Json& json, std::string_view path) {
  static const wire::Json::array_t none;
  const wire::Json* found = find(json, path);
  return found && found->is_array() ? found->get_ref<const wire::Json::array_t&>() : none;
}

Field field_of(const wire::Json& json, std::string_view path, std::string* text) {
  const wire::Json* value = find(json, path);
  if (value == nullptr) return {};
  if (value->is_string()) return {.text = value->get_ref<const std::string&>()};
  if (value->is_boolean()) return {.flag = value->get<bool>(), .other = true};
  if (!value->is_number()) return {.other = true};
  if (text != nullptr) return {.text = *text = value->dump()};
  return {.number = value->get<double>()};
}

}  // namespace heddle::trace
