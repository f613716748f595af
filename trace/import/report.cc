#include "trace/import/report.h"

#include <algorithm>
#include <numeric>

#include "common/text.h"

namespace heddle::trace {
namespace {

std::string times(std::int64_t count) { return std::to_string(count) + " x "; }

}  // namespace

bool IgnoredFields::look_up(std::string_view spellings, std::size_t place) {
  const auto note = [&](std::string_view name) {
    if (!known_.contains(name)) known_.emplace(name);
    const auto found = found_.find(name);
    if (found != found_.end()) found->second = true;
    return found != found_.end();
  };
  if (spellings.empty()) return note(std::to_string(place + 1));
  bool ignored = false;
  while (!spellings.empty()) {
    const std::string_view path = take_until(spellings, '|');
    ignored |= note(path);
  }
  return ignored;
}

std::string IgnoredFields::unknown() const {
  for (const auto& [field, found] : found_) {
    if (found) continue;
    const std::vector<std::string> known(known_.begin(), known_.end());
    return with_nearest("--ignore-field " + field +
                            ": the import reads no such field; expected one of " + join(known),
                        field, known);
  }
  return "";
}

std::string counted(std::int64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

void ImportReport::repaired(const Repair& repair, const std::string& where) {
  Kind& kind = kinds_[repair.key];
  kind.text = repair.text;
  ++kind.count;
  if (kind.first.size() < kFirst) kind.first.push_back(where);
}

void ImportReport::unused(const std::string& field) {
  if (std::ranges::find(unused_, field) == unused_.end()) unused_.push_back(field);
}

std::int64_t ImportReport::repairs() const {
  return std::accumulate(
      kinds_.begin(), kinds_.end(), std::int64_t{0},
      [](std::int64_t sum, const auto& kind) { return sum + kind.second.count; });
}

std::int64_t ImportReport::count(const Repair& repair) const {
  const auto kind = kinds_.find(repair.key);
  return kind == kinds_.end() ? 0 : kind->second.count;
}

wire::Json ImportReport::json() const {
  wire::Json repairs = wire::Json::object(), renamed = wire::Json::object();
  for (const auto& [key, kind] : kinds_)
    repairs[std::string(key)] = {
        {"count", kind.count}, {"text", std::string(kind.text)}, {"first", kind.first}};
  for (const auto& [text, name] : renamed_) renamed[text] = name;
  return {{"rows", rows},
          {"found", found},
          {"chosen", chosen},
          {"jobs", jobs},
          {"tasks", tasks},
          {"repairs", std::move(repairs)},
          {"statements", statements_},
          {"unused", unused_},
          {"renamed", std::move(renamed)}};
}

std::string ImportReport::text() const {
  std::string text = counted(rows, "row") + " read, " + counted(found, "job") + " found, " +
                     counted(jobs, "job") + " of " + counted(tasks, "task") + " made\n";
  for (const std::string& statement : statements_) text += statement + "\n";
  if (!unused_.empty()) {
    std::vector<std::string> fields;
    for (const std::string& field : unused_) fields.push_back(printable_line(field));
    text += "fields of the file that were not used: " + join(fields) + "\n";
  }
  if (!kinds_.empty()) text += "repairs:\n";
  for (const auto& [key, kind] : kinds_)
    text += "  " + times(kind.count) + std::string(kind.text) + " (" + join(kind.first) +
            (kind.count > std::ssize(kind.first) ? ", …)" : ")") + "\n";
  if (renamed_.empty()) return text;
  text += "renamed, because names have only letters, digits, '.', '_' and '-':\n";
  std::size_t told = 0;
  for (const auto& [from, name] : renamed_) {
    if (++told > kNamesTold) {
      text += "  and " + std::to_string(renamed_.size() - kNamesTold) + " more\n";
      break;
    }
    text += "  " + printable_line(from) + " -> " + name + "\n";
  }
  return text;
}

}  // namespace heddle::trace
