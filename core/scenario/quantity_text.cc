#include "core/scenario/quantity_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/number.h"
#include "common/text.h"

namespace heddle {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t factor;  ///< in the smallest unit of the quantity's kind
};

// Printers try the units in this order and keep the first of the shortest texts.
constexpr Unit kDurations[] = {
    {"s", 1000000}, {"ms", 1000}, {"us", 1}, {"min", 60000000}, {"h", 3600000000}};
constexpr Unit kBytes[] = {{"TiB", 1LL << 40}, {"GiB", 1LL << 30},    {"MiB", 1LL << 20},
                           {"KiB", 1LL << 10}, {"TB", 1000000000000}, {"GB", 1000000000},
                           {"MB", 1000000},    {"kB", 1000},          {"B", 1}};
constexpr Unit kCores[] = {{"", 1000}};
constexpr Unit kByteRates[] = {{"TiB/s", 1LL << 40}, {"GiB/s", 1LL << 30},    {"MiB/s", 1LL << 20},
                               {"KiB/s", 1LL << 10}, {"TB/s", 1000000000000}, {"GB/s", 1000000000},
                               {"MB/s", 1000000},    {"kB/s", 1000},          {"B/s", 1}};
constexpr Unit kBitRates[] = {{"Tbit/s", 1000000000000},
                              {"Gbit/s", 1000000000},
                              {"Mbit/s", 1000000},
                              {"kbit/s", 1000},
                              {"bit/s", 1}};

/// The allowed forms of a kind of quantity.
struct Kind {
  std::span<const Unit> units;
  std::int64_t most;           ///< in the smallest unit
  std::string_view most_text;  ///< the same, for users
  std::string_view expected;
};

constexpr Kind kDuration = {kDurations, 1752000LL * 3600000000, "1752000h",
                            "a duration such as 12s, 500ms, 2min or 1h"};
constexpr Kind kInstant = {kDurations, 1'000'000'000'000'000'000, "1000000000000s",
                           "a time such as 12s, 1h or 1500000000s"};
constexpr Kind kByteCount = {kBytes, 1LL << 50, "1024TiB", "bytes such as 700MiB, 1.5GiB or 2GB"};
constexpr Kind kCounts = {kCores, 1000000LL * 1000, "1000000", "an amount such as 1 or 0.5"};
constexpr Kind kCoreCount = {kCores, 1000000LL * 1000, "1000000", "cores such as 1 or 0.5"};
constexpr Kind kByteRate = {kByteRates, 1LL << 50, "1024TiB/s", "bytes per second such as 200MB/s"};
constexpr Kind kBitRate = {kBitRates, 1000000000000000, "1000Tbit/s",
                           "bits per second such as 1Gbit/s"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// Quotes a text for an error message. Cuts long texts.
std::string quoted(std::string_view text) {
  return text.size() <= 60 ? "\"" + std::string(text) + "\""
                           : "\"" + std::string(text.substr(0, 57)) + "…\"";
}

Error bad(std::string_view text, std::string_view what, std::string_view expected) {
  return usage_error(quoted(text) + " " + std::string(what) + "; expected " +
                     std::string(expected));
}

/// An unsigned decimal number: digits / 10^decimals.
struct Decimal {
  std::int64_t digits = 0;
  int decimals = 0;
};

/// Removes a decimal number from the front of `text`. Returns false if there is no number or if it
/// has more than 17 digits.
bool take_decimal(std::string_view& text, Decimal& number) {
  std::size_t at = 0;
  int significant = 0;
  bool point = false;
  for (; at < text.size() && (is_digit(text[at]) || (text[at] == '.' && !point)); ++at) {
    if (text[at] == '.') {
      point = true;
      continue;
    }
    number.digits = number.digits * 10 + (text[at] - '0');
    number.decimals += point ? 1 : 0;
    significant += number.digits > 0 ? 1 : 0;
    if (significant > 17 || number.decimals > 15) return false;
  }
  bool whole = at > 0 && is_digit(text[0]) && is_digit(text[at - 1]);
  text.remove_prefix(at);
  return whole;
}

const Unit* find_unit(std::span<const Unit> units, std::string_view name) {
  for (const Unit& unit : units)
    if (unit.name == name) return &unit;
  return nullptr;
}

/// Other usual names of units, and the unit that they mean.
constexpr std::pair<std::string_view, std::string_view> kUsualNames[] = {
    {"m", "min"},      {"mins", "min"}, {"minute", "min"}, {"minutes", "min"}, {"sec", "s"},
    {"secs", "s"},     {"second", "s"}, {"seconds", "s"},  {"hr", "h"},        {"hrs", "h"},
    {"hour", "h"},     {"hours", "h"},  {"msec", "ms"},    {"millis", "ms"},   {"usec", "us"},
    {"\u00b5s", "us"}, {"micros", "us"}};

/// Returns the unit that an unknown unit most likely means, or "".
std::string meant_unit(std::string_view unit, const std::vector<std::string>& known) {
  for (const auto& [name, meant] : kUsualNames)
    if (name == unit && std::find(known.begin(), known.end(), meant) != known.end())
      return std::string(meant);
  return nearest_word(unit, known);
}

Error bad_unit(std::string_view text, std::string_view unit, const Kind& kind) {
  if (unit.empty()) return bad(text, "has no unit", kind.expected);
  std::vector<std::string> known;
  for (const Unit& row : kind.units)
    if (!row.name.empty()) known.emplace_back(row.name);
  if (known.empty()) return bad(text, "is not a number", kind.expected);
  const std::string near = meant_unit(unit, known);
  return usage_error(quoted(text) + " has an unknown unit " + quoted(unit) + "; expected " +
                     std::string(kind.expected) +
                     (near.empty() ? "" : "; did you mean \"" + near + "\"?"));
}

/// Returns the value in the smallest unit of the kind, rounded to the nearest whole number.
template <class Number>
Result<Number> parse(std::string_view whole, const Kind& kind) {
  std::string_view text = trim(whole);
  if (text.starts_with('-')) return bad(whole, "is negative", kind.expected);
  Decimal number;
  if (text.empty() || !is_digit(text[0])) return bad(whole, "is not a number", kind.expected);
  if (!take_decimal(text, number)) return bad(whole, "is not a number", kind.expected);
  std::string_view name = trim(text);
  const Unit* unit = find_unit(kind.units, name);
  if (!unit && name.empty() && number.digits == 0) unit = &kind.units.front();
  if (!unit) return bad_unit(whole, name, kind);
  __int128 divisor = 1;
  for (int i = 0; i < number.decimals; ++i) divisor *= 10;
  __int128 value = (static_cast<__int128>(number.digits) * unit->factor + divisor / 2) / divisor;
  if (value > kind.most)
    return usage_error(quoted(whole) + " is too large; expected at most " +
                       std::string(kind.most_text));
  return static_cast<Number>(static_cast<std::int64_t>(value));
}

/// Returns the exact text of `value` in the unit. Returns "" if this text needs more than `places`
/// decimals.
std::string print_in(std::int64_t value, const Unit& unit, int places) {
  std::string text = std::to_string(value / unit.factor);
  std::int64_t rest = value % unit.factor;
  if (rest == 0) return text + std::string(unit.name);
  text += '.';
  for (int i = 0; i < places && rest != 0; ++i) {
    rest *= 10;
    text += static_cast<char>('0' + rest / unit.factor);
    rest %= unit.factor;
  }
  return rest == 0 ? text + std::string(unit.name) : "";
}

/// Returns the shortest exact text with at most `places` decimals. In the smallest unit, there is
/// always such a text.
std::string print(std::int64_t value, const Kind& kind, int places) {
  std::string best;
  for (const Unit& unit : kind.units) {
    std::string text = print_in(value, unit, places);
    if (!text.empty() && (best.empty() || text.size() < best.size())) best = text;
  }
  return best;
}

std::optional<double> finite_number(std::string_view text) {
  const auto number = read_number<double>(trim(text));
  return number && std::isfinite(*number) ? number : std::nullopt;
}

}  // namespace

Result<EmuTime> parse_duration(std::string_view text) { return parse<EmuTime>(text, kDuration); }
Result<EmuTime> parse_instant(std::string_view text) { return parse<EmuTime>(text, kInstant); }
Result<EmuBytes> parse_bytes(std::string_view text) { return parse<EmuBytes>(text, kByteCount); }
Result<Millicores> parse_cores(std::string_view text) {
  return parse<Millicores>(text, kCoreCount);
}

Result<Thousandths> parse_count(std::string_view text) { return parse<Thousandths>(text, kCounts); }
Result<double> parse_byte_rate(std::string_view text) { return parse<double>(text, kByteRate); }

Result<double> parse_bit_rate(std::string_view text) {
  std::string_view trimmed = trim(text);
  if (!trimmed.ends_with("bit")) return parse<double>(text, kBitRate);
  return parse<double>(std::string(trimmed) + "/s", kBitRate);
}

Result<double> parse_fraction(std::string_view text) {
  constexpr std::string_view kExpected = "a fraction such as 1/64, 0.05 or 5%";
  std::string_view number = trim(text);
  double divisor = 1;
  if (number.ends_with('%')) {
    divisor = 100;
    number.remove_suffix(1);
  } else if (std::size_t slash = number.find('/'); slash != std::string_view::npos) {
    divisor = finite_number(number.substr(slash + 1)).value_or(0);
    if (!(divisor > 0)) return bad(text, "is not a number", kExpected);
    number = number.substr(0, slash);
  }
  const std::optional<double> value = finite_number(number);
  if (!value || !std::isfinite(*value / divisor)) return bad(text, "is not a number", kExpected);
  if (std::signbit(*value)) return bad(text, "is negative", kExpected);
  return *value / divisor;
}

std::string print_duration(EmuTime time) { return print(time.count(), kDuration, 6); }
std::string print_bytes(EmuBytes bytes) { return print(bytes.count(), kByteCount, 0); }
std::string print_cores(Millicores cores) { return print(cores.count(), kCoreCount, 3); }

std::string print_count(Thousandths amount) { return print(amount.count(), kCounts, 3); }

std::string print_resources(const Resources& resources, const CountNames& names) {
  std::vector<std::string> parts{print_cores(resources.cores) + " cores",
                                 print_bytes(resources.memory)};
  for (std::size_t i = 0; i < names.size(); ++i)
    if (resources.counts[i] != Thousandths(0))
      parts.push_back(print_count(resources.counts[i]) + " " + names[i].name);
  const std::string last = std::move(parts.back());
  parts.pop_back();
  return join(parts) + " and " + last;
}

std::string print_byte_rate(double bytes_per_s) {
  return print(std::llround(bytes_per_s), kByteRate, 0);
}

std::string print_bit_rate(double bits_per_s) {
  return print(std::llround(bits_per_s), kBitRate, 0);
}

std::string print_percent(double value) {
  std::array<char, 40> buffer;
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value * 100,
                           std::chars_format::general, 12)
                 .ptr;
  return std::string(buffer.data(), end) + " %";
}

std::string print_fraction(double value) {
  std::array<char, 40> buffer;
  auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  std::string best(buffer.data(), end);
  double inverse = std::round(1 / value);
  if (inverse >= 2 && inverse <= 1e9 && 1 / inverse == value) {
    std::string ratio = "1/" + std::to_string(static_cast<std::int64_t>(inverse));
    if (ratio.size() < best.size()) best = ratio;
  }
  return best;
}

}  // namespace heddle
