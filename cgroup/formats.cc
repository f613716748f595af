#include "cgroup/formats.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/number.h"

namespace heddle::cgroup {
namespace {

/// If a quota is closer than this to a whole number of microseconds, it counts as that number. The
/// reason is rounding: 0.05 * 20000 is not exactly 1000 in binary.
constexpr double kNoise = 1e-6;

/// Removes the next word from the front of `text` and returns it. Returns "" at the end of the
/// text.
std::string_view next_word(std::string_view& text) {
  std::size_t begin = text.find_first_not_of(" \t\n");
  if (begin == std::string_view::npos) return text = {};
  std::size_t end = std::min(text.find_first_of(" \t\n", begin), text.size());
  std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

std::string describe(const CpuCap& cap) {
  if (!cap.cpus) return "no CPU cap";
  Quota quota = quota_of(cap);
  return std::to_string(quota.quota) + " of " + std::to_string(quota.period) + " us" +
         (cap.burst ? " with burst" : "");
}

std::string describe(const MemoryCap& cap) {
  if (!cap.limit) return "no memory limit";
  return std::to_string(cap.limit->count()) + " bytes" + (cap.swap ? " and swap" : "");
}

}  // namespace

CpuCap representable(const CpuCap& cap, Rounding rounding) {
  if (!cap.cpus) return cap;
  double cpus = std::max(cap.cpus->value, 1.0 * kLeastQuota / kLongestPeriod);
  auto faithful = static_cast<std::int64_t>(std::ceil(kLeastQuota / cpus - kNoise));
  std::int64_t wanted =
      std::clamp(std::int64_t{cap.period.count()}, kShortestPeriod, kLongestPeriod);
  std::int64_t period = std::min(std::max(wanted, faithful), kLongestPeriod);
  double exact = cpus * static_cast<double>(period);
  double whole = rounding == Rounding::kUp ? std::ceil(exact - kNoise) : std::floor(exact + kNoise);
  auto quota = std::max(static_cast<std::int64_t>(whole), kLeastQuota);
  return cap_of({quota, period, cap.burst ? quota : 0});
}

Quota quota_of(const CpuCap& cap) {
  Quota result{-1, cap.period.count(), 0};
  if (!cap.cpus) return result;
  result.quota = std::llround(cap.cpus->value * static_cast<double>(result.period));
  if (cap.burst) result.burst = result.quota;
  return result;
}

CpuCap cap_of(const Quota& quota) {
  CpuCap cap;
  cap.period = std::chrono::microseconds(quota.period);
  if (quota.quota < 0) return cap;
  cap.cpus = real::Cpus{static_cast<double>(quota.quota) / static_cast<double>(quota.period)};
  cap.burst = quota.burst > 0;
  return cap;
}

std::string cpu_max_text(const Quota& quota) {
  return (quota.quota < 0 ? "max" : std::to_string(quota.quota)) + " " +
         std::to_string(quota.period);
}

std::optional<Quota> parse_cpu_max(std::string_view text) {
  std::string_view first = next_word(text);
  std::optional<std::int64_t> quota = first == "max" ? -1 : read_number<std::int64_t>(first);
  std::optional<std::int64_t> period = read_number<std::int64_t>(next_word(text));
  if (!quota || !period || *period <= 0) return std::nullopt;
  return Quota{*quota, *period, 0};
}

namespace {
constexpr std::int64_t kUsualShares = 1024, kMostShares = 262'144;
}  // namespace

std::int64_t shares_of(CpuWeight weight) {
  if (weight.value >= CpuWeight::kUrgent.value) return kMostShares;
  return std::lround(static_cast<double>(weight.value * kUsualShares) / CpuWeight::kUsual.value);
}

CpuWeight weight_of_shares(std::int64_t shares) {
  if (shares >= kMostShares) return CpuWeight::kUrgent;
  const double weight = static_cast<double>(shares * CpuWeight::kUsual.value) / kUsualShares;
  return {static_cast<int>(std::clamp<long>(std::lround(weight), 1, CpuWeight::kUrgent.value - 1))};
}

std::optional<std::int64_t> parse_number(std::string_view text) {
  std::string_view word = next_word(text);
  if (!next_word(text).empty()) return std::nullopt;
  return read_number<std::int64_t>(word);
}

std::optional<std::optional<std::int64_t>> parse_limit(std::string_view text) {
  std::string_view rest = text;
  if (next_word(rest) == "max") return std::optional<std::int64_t>();
  std::optional<std::int64_t> value = parse_number(text);
  if (!value) return std::nullopt;
  constexpr std::int64_t kAboveAnyMemory = std::numeric_limits<std::int64_t>::max() - (1 << 20);
  if (*value < 0 || *value > kAboveAnyMemory) return std::optional<std::int64_t>();
  return value;
}

std::string limit_text(std::optional<std::int64_t> limit) {
  return limit ? std::to_string(*limit) : "max";
}

std::optional<std::int64_t> keyed_number(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (next_word(line) == key) return read_number<std::int64_t>(next_word(line));
  }
  return std::nullopt;
}

std::optional<std::int64_t> parse_cache(std::string_view text, Version version) {
  const std::string total = version == Version::kV1 ? "total_" : "";
  const std::optional<std::int64_t> inactive = keyed_number(text, total + "inactive_file");
  const std::optional<std::int64_t> active = keyed_number(text, total + "active_file");
  if (!inactive || !active) return std::nullopt;
  return *inactive + *active;
}

std::vector<pid_t> parse_pids(std::string_view text) {
  std::vector<pid_t> pids;
  for (std::string_view word = next_word(text); !word.empty(); word = next_word(text))
    if (std::optional<std::int64_t> pid = read_number<std::int64_t>(word); pid && *pid > 0)
      pids.push_back(static_cast<pid_t>(*pid));
  std::sort(pids.begin(), pids.end());
  pids.erase(std::unique(pids.begin(), pids.end()), pids.end());
  return pids;
}

std::vector<std::string> parse_words(std::string_view text) {
  std::vector<std::string> words;
  for (std::string_view word = next_word(text); !word.empty(); word = next_word(text))
    words.emplace_back(word);
  return words;
}

Result<void> check_cpu(const CpuCap& wanted, const CpuCap& in_force) {
  if (!wanted.cpus && !in_force.cpus) return {};
  if (wanted.cpus && in_force.cpus && quota_of(wanted) == quota_of(in_force)) return {};
  return aborted_error("CPU cap set to " + describe(wanted) + ", but in force is " +
                       describe(in_force));
}

Result<void> check_memory(const MemoryCap& wanted, const MemoryCap& in_force, std::int64_t page) {
  if (!wanted.limit && !in_force.limit) return {};
  if (wanted.limit && in_force.limit && wanted.swap == in_force.swap) {
    std::int64_t lost = wanted.limit->count() - in_force.limit->count();
    if (lost >= 0 && lost < page) return {};
  }
  return aborted_error("memory limit set to " + describe(wanted) + ", but in force is " +
                       describe(in_force));
}

}  // namespace heddle::cgroup
