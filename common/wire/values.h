#pragma once

#include <limits>

#include "common/wire/fields.h"
#include "common/wire/json_text.h"
#include "core/model/event.h"
#include "core/model/resources.h"
#include "core/model/work.h"
#include "core/scenario/scenario.h"

namespace heddle::wire {

// JSON forms of the values that messages and journal lines share: times in emulated seconds (exact
// to the microsecond), CPU work in core-seconds, cores as a number, memory in bytes.

inline constexpr std::int64_t kMaxInteger = std::numeric_limits<std::int64_t>::max();
/// Most bytes of an object: sums of two are far from overflowing.
inline constexpr std::int64_t kMaxBytes = 1LL << 60;
/// Longest emulated time and most CPU work that is accepted: 100 years.
inline constexpr double kMaxSeconds = 3.2e9;

inline constexpr std::string_view kOutcomes[] = {"completed", "failed", "oom_killed",
                                                 "killed",    "lost",   "not_started"};
inline constexpr std::string_view kLocalities[] = {"any", "local", "rack", "remote"};
inline constexpr std::string_view kReportKinds[] = {"started",   "ended",     "suspended",
                                                    "resumed",   "refused",   "inputs_read",
                                                    "part_done", "input_lost"};
inline constexpr std::string_view kOomCauses[] = {"none", "container", "node", "other"};

/// To the microsecond (or millionth), which is as far as our times go.
double rounded(double value);
/// The value at rank ceil(p n) of n (nearest rank), rounded; null if there is none. p in (0, 1].
Json percentile(std::vector<double> values, double p);

EmuTime time_field(const Fields& fields, const char* key);
CoreTime work_field(const Fields& fields, const char* key);
template <class Id>
Id id_field(const Fields& fields, const char* key) {
  return Id{fields.integer(key, 0, kMaxInteger)};
}

/// Adds cores and memory to `json`.
void put(Json& json, const Resources& resources);
void put(JsonText& json, const Resources& resources);
Resources resources_from(const Fields& fields);

/// [[object, offset, size, [nodes…], source]…]
void add(JsonText& json, const std::vector<DataRead>& reads);
std::vector<DataRead> reads_from(const Fields& fields, const char* key);

void add(JsonText& json, const TaskPart& part);
TaskPart part_from(const Fields& fields);

void add(JsonText& json, const TaskWork& work);
TaskWork work_from(const Fields& fields);

/// Adds the fields of `usage` to `json`.
void put(JsonText& json, const AttemptUsage& usage);
AttemptUsage usage_from(const Fields& fields);

/// Adds "use" and, where there is one, "estimate": [cores, memory of the containers, cores, memory
/// of the node].
void put(JsonText& json, const NodeUse& use, const std::optional<NodeEstimate>& estimate);
/// None at all without "use".
NodeUse use_from(const Fields& fields);
std::optional<NodeEstimate> estimate_from(const Fields& fields);

/// [[id, cpu_core_s, memory_bytes, progress]…], with two more numbers, bytes of disk and network,
/// where there are any.
void add(JsonText& json, const std::vector<ContainerUse>& containers);
std::vector<ContainerUse> containers_from(const Fields& fields, const char* key);

}  // namespace heddle::wire
