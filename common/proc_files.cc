#include "common/proc_files.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "common/file.h"

namespace heddle {
namespace {

/// Removes blanks and then a number from the front of `text`. Returns the number.
std::optional<std::int64_t> take_number(std::string_view& text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return std::nullopt;
  text.remove_prefix(begin);
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

/// Returns the rest of the first line that begins with the word.
std::optional<std::string_view> line_after(std::string_view text, std::string_view word) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.starts_with(word)) return line.substr(word.size());
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> meminfo_bytes(std::string_view meminfo, std::string_view key) {
  std::optional<std::string_view> rest = line_after(meminfo, std::string(key) + ":");
  std::optional<std::int64_t> kib = rest ? take_number(*rest) : std::nullopt;
  std::int64_t bytes = 0;
  if (!kib || __builtin_mul_overflow(*kib, 1024, &bytes)) return std::nullopt;
  return bytes;
}

std::optional<real::Duration> busy_time(std::string_view stat, std::int64_t ticks) {
  std::optional<std::string_view> rest = line_after(stat, "cpu ");
  // The order is: user nice system idle iowait irq softirq steal.
  std::array<std::int64_t, 8> times{};
  for (std::int64_t& time : times) {
    std::optional<std::int64_t> value = rest ? take_number(*rest) : std::nullopt;
    if (!value) return std::nullopt;
    time = *value;
  }
  std::int64_t busy = 0;
  for (std::size_t i : {0, 1, 2, 5, 6, 7})
    if (__builtin_add_overflow(busy, times[i], &busy)) return std::nullopt;
  if (__builtin_mul_overflow(busy, 1'000'000'000 / ticks, &busy)) return std::nullopt;
  return real::Duration(busy);
}

Result<HostUse> host_use() {
  Result<std::string> stat = read_file("/proc/stat");
  if (!stat) return std::move(stat).error();
  Result<std::string> meminfo = read_file("/proc/meminfo");
  if (!meminfo) return std::move(meminfo).error();
  const auto busy = busy_time(*stat, ::sysconf(_SC_CLK_TCK));
  const auto total = meminfo_bytes(*meminfo, "MemTotal");
  const auto available = meminfo_bytes(*meminfo, "MemAvailable");
  if (!busy) return machine_error("/proc/stat doesn't say how busy the CPUs were");
  if (!total || !available) return machine_error("/proc/meminfo has no MemTotal or MemAvailable");
  return HostUse{*busy, real::Bytes(*total - *available)};
}

}  // namespace heddle
