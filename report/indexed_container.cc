#include "report/indexed_container.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace heddle::report {
namespace {

static_assert(std::endian::native == std::endian::little);

/// A delay that is not known.
constexpr std::uint32_t kNone = UINT32_MAX;

template <class To>
To clamped(std::int64_t value) {
  return static_cast<To>(
      std::clamp<std::int64_t>(value, 0, std::numeric_limits<To>::max() - (sizeof(To) == 4)));
}

std::uint32_t kib(EmuBytes bytes) { return clamped<std::uint32_t>((bytes.count() + 1023) / 1024); }
EmuBytes bytes_of(std::uint32_t kib) { return EmuBytes(std::int64_t{kib} * 1024); }

void put(std::uint32_t (&to)[2], std::uint64_t value) { std::memcpy(to, &value, sizeof value); }

std::uint32_t delay(EmuTime from, const std::optional<EmuTime>& to) {
  return to ? clamped<std::uint32_t>(std::llround(to_seconds(*to - from) * 1e3)) : kNone;
}
std::optional<EmuTime> after(EmuTime from, std::uint32_t ms) {
  return ms == kNone ? std::nullopt : std::optional(from + EmuTime(std::int64_t{ms} * 1000));
}

// `kinds` holds three small enumerations and a flag.
constexpr int kOutcomes = 8, kCauses = 4, kLocalities = 4;

}  // namespace

std::uint64_t microseconds(const std::uint32_t (&time)[2]) {
  std::uint64_t value = 0;
  std::memcpy(&value, time, sizeof value);
  return value;
}

IndexedContainer indexed(const AttemptRow& row) {
  IndexedContainer entry{};
  put(entry.allocated, static_cast<std::uint64_t>(row.allocated.count()));
  put(entry.ended, row.ended ? static_cast<std::uint64_t>(row.ended->count()) : UINT64_MAX);
  entry.started_ms = delay(row.allocated, row.started);
  entry.begun_ms = delay(row.allocated, row.begun ? row.begun : row.inputs);
  entry.container = clamped<std::uint32_t>(row.container.value);
  entry.job = clamped<std::uint32_t>(row.phase.job.value);
  entry.phase = clamped<std::uint16_t>(row.phase.phase);
  entry.task = clamped<std::uint32_t>(row.task);
  entry.node = clamped<std::uint32_t>(row.node.value);
  entry.attempt = clamped<std::uint8_t>(row.attempt);
  entry.millicores = clamped<std::uint32_t>(row.held.cores.count());
  entry.memory_kib = kib(row.held.memory);
  int outcome = kOutcomes - 1, cause = 0;  // the container lives
  if (row.end) {
    entry.cpu_s = static_cast<float>(to_core_seconds(row.end->usage.cpu));
    entry.memory_byte_s = static_cast<float>(row.end->usage.memory_byte_seconds);
    entry.peak_kib = kib(row.end->usage.peak_memory);
    outcome = static_cast<int>(row.end->outcome);
    cause = static_cast<int>(row.end->oom);
  }
  entry.kinds = static_cast<std::uint8_t>(
      outcome + kOutcomes * (cause + kCauses * (static_cast<int>(row.locality) +
                                                kLocalities * (row.awaits_inputs ? 1 : 0))));
  return entry;
}

AttemptRow row_of(const IndexedContainer& entry) {
  AttemptRow row;
  row.allocated = EmuTime(static_cast<std::int64_t>(microseconds(entry.allocated)));
  row.started = after(row.allocated, entry.started_ms);
  row.begun = after(row.allocated, entry.begun_ms);
  row.container = ContainerId{entry.container};
  row.phase = {JobId{static_cast<int>(entry.job)}, entry.phase};
  row.task = static_cast<int>(entry.task);
  row.node = NodeId{static_cast<int>(entry.node)};
  row.attempt = entry.attempt;
  row.held = {Millicores(entry.millicores), bytes_of(entry.memory_kib)};
  const int outcome = entry.kinds % kOutcomes, cause = entry.kinds / kOutcomes % kCauses;
  row.locality = static_cast<Locality>(entry.kinds / (kOutcomes * kCauses) % kLocalities);
  row.awaits_inputs = entry.kinds / (kOutcomes * kCauses * kLocalities) != 0;
  if (const std::uint64_t ended = microseconds(entry.ended); ended != UINT64_MAX)
    row.ended = EmuTime(static_cast<std::int64_t>(ended));
  if (outcome <= static_cast<int>(Outcome::kNotStarted)) {
    row.end.emplace();
    row.end->container = row.container;
    row.end->outcome = static_cast<Outcome>(outcome);
    row.end->oom = static_cast<OomCause>(cause);
    row.end->usage.cpu = CoreTime(std::llround(static_cast<double>(entry.cpu_s) * 1e6));
    row.end->usage.memory_byte_seconds = static_cast<double>(entry.memory_byte_s);
    row.end->usage.peak_memory = bytes_of(entry.peak_kib);
  }
  return row;
}

}  // namespace heddle::report
