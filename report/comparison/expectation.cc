#include "report/comparison/expectation.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace heddle::report {
namespace {

constexpr std::string_view kForms =
    "expected less, more, same, NUMBER, NUMBER .. NUMBER, at most NUMBER or at least NUMBER; a "
    "number may be followed by % or a unit";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

/// Reads "-27.6 %" as -0.276 and "40 s" as 40.
std::optional<double> number_in(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number)) return std::nullopt;
  const std::string_view unit = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
  if (unit == "%") return number / 100;
  const bool word = std::all_of(unit.begin(), unit.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
  });
  return word ? std::optional(number) : std::nullopt;
}

std::optional<Expectation> range_in(std::string_view text) {
  const std::size_t dots = text.find("..");
  const std::optional<double> first = number_in(text.substr(0, dots));
  const std::optional<double> last =
      dots == std::string_view::npos ? first : number_in(text.substr(dots + 2));
  if (!first || !last) return std::nullopt;
  return Expectation{Expectation::Kind::kRange, std::min(*first, *last), std::max(*first, *last)};
}

std::optional<Expectation> bound_in(std::string_view text, std::string_view words,
                                    Expectation::Kind kind) {
  if (!text.starts_with(words)) return std::nullopt;
  const std::optional<double> bound = number_in(text.substr(words.size()));
  if (!bound) return std::nullopt;
  return Expectation{kind, *bound, *bound};
}

std::optional<Expectation> word_in(std::string_view text) {
  using Kind = Expectation::Kind;
  if (text == "less") return Expectation{Kind::kLess, 0, 0};
  if (text == "more") return Expectation{Kind::kMore, 0, 0};
  if (text == "same") return Expectation{Kind::kSame, 0, 0};
  return std::nullopt;
}

ClaimVerdict reproduced_if(bool holds) {
  return holds ? ClaimVerdict::kReproduced : ClaimVerdict::kNotReproduced;
}

/// Returns whether no value of the interval is much worse than 0.
bool same(const Interval& all, std::optional<bool> less_is_better) {
  const bool may_be_less = less_is_better == true, may_be_more = less_is_better == false;
  return (may_be_less || all.low >= -kSameWithin) && (may_be_more || all.high <= kSameWithin);
}

ClaimVerdict judge_difference(const Expectation& expected, const ClaimMeasurement& measured) {
  const Interval all = measured.interval.value_or(Interval{measured.value, measured.value});
  switch (expected.kind) {
    case Expectation::Kind::kLess:
      return reproduced_if(all.high < 0);
    case Expectation::Kind::kMore:
      return reproduced_if(all.low > 0);
    case Expectation::Kind::kSame:
      return reproduced_if(same(all, measured.less_is_better));
    case Expectation::Kind::kAtMost:
      return reproduced_if(all.high <= expected.high);
    case Expectation::Kind::kAtLeast:
      return reproduced_if(all.low >= expected.low);
    case Expectation::Kind::kRange:
      break;
  }
  const double paper = (expected.low + expected.high) / 2;
  if (expected.low == 0 && expected.high == 0)
    return reproduced_if(same(all, measured.less_is_better));
  if (all.contains(0) || measured.value * paper <= 0) return ClaimVerdict::kNotReproduced;
  const double size = std::abs(measured.value);
  const double least = std::min(std::abs(expected.low), std::abs(expected.high));
  const double most = std::max(std::abs(expected.low), std::abs(expected.high));
  return size >= least / kSizeFactor && size <= most * kSizeFactor ? ClaimVerdict::kReproduced
                                                                   : ClaimVerdict::kDirectionOnly;
}

ClaimVerdict judge_value(const Expectation& expected, const ClaimMeasurement& measured) {
  const double value = measured.value;
  const double away = std::max({0.0, expected.low - value, value - expected.high});
  switch (expected.kind) {
    case Expectation::Kind::kAtMost:
      return reproduced_if(value <= expected.high);
    case Expectation::Kind::kAtLeast:
      return reproduced_if(value >= expected.low);
    case Expectation::Kind::kRange:
      return reproduced_if(value >= expected.low / kValueFactor &&
                           value <= expected.high * kValueFactor &&
                           (!measured.share || away <= kShareWithin));
    case Expectation::Kind::kLess:
    case Expectation::Kind::kMore:
    case Expectation::Kind::kSame:
      break;
  }
  return ClaimVerdict::kNotReproduced;
}

}  // namespace

Result<Expectation> parse_expectation(std::string_view text) {
  text = trimmed(text);
  for (const std::optional<Expectation>& found :
       {word_in(text), bound_in(text, "at most ", Expectation::Kind::kAtMost),
        bound_in(text, "at least ", Expectation::Kind::kAtLeast), range_in(text)})
    if (found) return *found;
  return usage_error("\"" + std::string(text) + "\": " + std::string(kForms));
}

const char* name_of(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::kReproduced:
      return "reproduced";
    case ClaimVerdict::kDirectionOnly:
      return "direction only";
    case ClaimVerdict::kNotReproduced:
      return "not reproduced";
  }
  return "";
}

ClaimVerdict judge(const Expectation& expected, const ClaimMeasurement& measured) {
  return measured.difference ? judge_difference(expected, measured)
                             : judge_value(expected, measured);
}

}  // namespace heddle::report
