#include "trace/import/slurm_fields.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "common/number.h"
#include "common/text.h"

namespace heddle::trace::slurm {
namespace {

constexpr std::string_view kDigits = "0123456789";

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}
bool is_no_length(std::string_view text) {
  return is_one_of(text, {"UNLIMITED", "Partition_Limit", "INVALID"});
}

/// Reads a number of digits and at most one point.
std::optional<double> read_plain(std::string_view text) {
  if (text.empty() || text.front() == '.' ||
      text.find_first_not_of("0123456789.") != std::string_view::npos)
    return std::nullopt;
  return read_number<double>(text);
}

/// Reads a number of exactly so many digits.
std::optional<int> read_digits(std::string_view text, std::size_t digits) {
  if (text.size() != digits || text.find_first_not_of(kDigits) != std::string_view::npos)
    return std::nullopt;
  return read_number<int>(text);
}

/// Removes a letter for a power of 1024 from the end. Returns the power, or `otherwise` if there is
/// no letter.
double take_power(std::string_view& text, double otherwise) {
  constexpr std::string_view kLetters = "KMGTPE";
  const std::size_t at = text.empty() ? std::string_view::npos : kLetters.find(text.back());
  if (at == std::string_view::npos) return otherwise;
  text.remove_suffix(1);
  return std::exp2(10 * static_cast<double>(at + 1));
}

std::optional<double> read_scaled(std::string_view text, double otherwise) {
  const double power = take_power(text, otherwise);
  const std::optional<double> number = read_plain(text);
  return number ? std::optional(*number * power) : std::nullopt;
}

void add_name(std::string& names, std::string_view name) {
  if (!names.empty()) names += '|';
  names += name;
}

/// Removes and returns the text before a comma that is in no brackets.
std::string_view take_item(std::string_view& text, char open, char close) {
  int depth = 0;
  std::size_t end = 0;
  for (; end < text.size() && (text[end] != ',' || depth > 0); ++end)
    depth += (text[end] == open) - (text[end] == close);
  const std::string_view item = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return item;
}

/// Appends `before` with each number of a range such as "01-03" or "7". Returns false if the range
/// can't be read, or the names become more than `most`.
bool add_range(const std::string& before, std::string_view range, std::size_t most,
               std::vector<std::string>& names) {
  const std::string_view first = take_until(range, '-'), last = range.empty() ? first : range;
  const std::optional<int> from = read_digits(first, first.size());
  const std::optional<int> to = read_digits(last, last.size());
  if (!from || !to || *to < *from || static_cast<std::size_t>(*to - *from) >= most) return false;
  for (int i = *from; i <= *to; ++i) {
    const std::string number = std::to_string(i);
    const std::size_t zeros = first.size() - std::min(first.size(), number.size());
    names.push_back(before + std::string(zeros, '0') + number);
  }
  return names.size() <= most;
}

/// Expands the brackets of one item: "r[1-2]n[1-4]".
std::optional<std::vector<std::string>> expand(std::string_view item, std::size_t most) {
  if (item.empty()) return std::nullopt;
  std::vector<std::string> names = {""};
  while (!item.empty()) {
    const std::size_t open = std::min(item.find('['), item.size());
    for (std::string& name : names) name += item.substr(0, open);
    item.remove_prefix(open);
    if (item.empty()) break;
    const std::size_t close = item.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    const std::string_view ranges = item.substr(1, close - 1);
    item.remove_prefix(close + 1);
    std::vector<std::string> longer;
    for (const std::string& name : names)
      for (std::string_view left = ranges; !left.empty();)
        if (!add_range(name, take_until(left, ','), most, longer)) return std::nullopt;
    names = std::move(longer);
  }
  return names;
}

}  // namespace

std::optional<double> read_instant(std::string_view text) {
  namespace chrono = std::chrono;
  if (is_one_of(text, {"Unknown", "None"})) return kNoValue;
  if (text.size() != std::string_view("2026-01-05T10:00:00").size() || text[4] != '-' ||
      text[7] != '-' || text[10] != 'T' || text[13] != ':' || text[16] != ':')
    return text.find('.') == std::string_view::npos ? read_plain(text) : std::nullopt;
  const auto part = [&](std::size_t at, std::size_t digits = 2) {
    return read_digits(text.substr(at, digits), digits).value_or(-1);
  };
  const int year = part(0, 4), hour = part(11), minute = part(14), second = part(17);
  const chrono::year_month_day day{chrono::year(year),
                                   chrono::month(static_cast<unsigned>(part(5))),
                                   chrono::day(static_cast<unsigned>(part(8)))};
  if (!day.ok() || std::min({year, hour, minute, second}) < 0 || hour > 23 || minute > 59 ||
      second > 60)
    return std::nullopt;
  const double midnight =
      86400.0 * static_cast<double>(chrono::sys_days(day).time_since_epoch().count());
  return midnight + hour * 3600 + minute * 60 + second;
}

std::optional<double> read_length(std::string_view text) {
  if (is_no_length(text)) return kNoValue;
  const bool has_days = text.find('-') != std::string_view::npos;
  const std::optional<double> days = has_days ? read_plain(take_until(text, '-')) : 0;
  const auto parts = std::ranges::count(text, ':') + 1;
  if (!days || parts < (has_days ? 3 : 2) || parts > 3) return std::nullopt;
  double seconds = 0;
  for (auto part = parts; part > 0; --part) {
    const std::optional<double> number = read_plain(take_until(text, ':'));
    if (!number) return std::nullopt;
    seconds = seconds * 60 + *number;
  }
  return *days * 86400 + seconds;
}

std::optional<double> read_count(std::string_view text) {
  return is_no_length(text) ? kNoValue : read_scaled(text, 1);
}

std::optional<double> read_bytes(std::string_view text) { return read_scaled(text, 1); }

std::optional<Memory> read_memory(std::string_view text) {
  Memory memory;
  if (text.ends_with('n')) memory.per = Memory::Per::kNode;
  if (text.ends_with('c')) memory.per = Memory::Per::kCpu;
  if (memory.per != Memory::Per::kJob) text.remove_suffix(1);
  const std::optional<double> bytes = read_scaled(text, kMebibyte);
  if (!bytes) return std::nullopt;
  memory.bytes = *bytes;
  return memory;
}

Tres read_tres(std::string_view text) {
  constexpr std::string_view kTyped = "gres/gpu:";
  Tres tres;
  double typed = 0;
  while (!text.empty()) {
    std::string_view value = take_until(text, ',');
    const std::string_view name = take_until(value, '=');
    if (name == "mem") tres.bytes = read_scaled(value, kMebibyte);
    if (name == "cpu") tres.cpus = read_count(value);
    if (name == "node") tres.nodes = read_count(value);
    if (name == "gres/gpu") tres.gpus = read_count(value);
    if (!name.starts_with(kTyped)) continue;
    typed += read_count(value).value_or(0);
    add_name(tres.models, name.substr(kTyped.size()));
  }
  if (!tres.gpus && typed > 0) tres.gpus = typed;
  return tres;
}

std::optional<Gres> read_gres(std::string_view text) {
  Gres gres;
  int models = 0;
  while (!text.empty()) {
    std::string_view item = take_item(text, '(', ')');
    item = item.substr(0, item.find('('));  // sockets, as in "gpu:2(S:0-1)"
    if (take_until(item, ':') != "gpu") continue;
    const bool typed = !item.empty() && !read_count(item);
    if (typed) ++models, gres.model = take_until(item, ':');
    const std::optional<double> gpus = item.empty() ? 1 : read_count(item);
    if (!gpus) return std::nullopt;
    gres.gpus += *gpus;
  }
  if (models > 1) gres.model.clear();
  return gres;
}

std::optional<std::vector<std::string>> read_hosts(std::string_view text, std::size_t most) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const auto some = expand(take_item(text, '[', ']'), most - names.size());
    if (!some) return std::nullopt;
    names.insert(names.end(), some->begin(), some->end());
    if (names.size() > most) return std::nullopt;
  }
  return names;
}

}  // namespace heddle::trace::slurm
