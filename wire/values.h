#pragma once

#include <limits>
#include <optional>

#include "core/model/event.h"
#include "core/model/resources.h"
#include "core/model/work.h"
#include "core/scenario/scenario.h"
#include "wire/fields.h"
#include "wire/json_text.h"

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
inline constexpr std::string_view kOomCauses[] = {"none", "container", "node", "other"};

/// To the microsecond (or millionth), which is as far as our times go.
double rounded(double value);
/// Returns the rounded value, or null if there is none.
Json rounded_or_null(const std::optional<double>& value);
/// The value at rank ceil(p n) of n (nearest rank), rounded; null if there is none. p in (0, 1].
Json percentile(std::vector<double> values, double p);
/// Returns {p50, p99, max} of the values; null each if there are none.
Json percentiles(const std::vector<double>& values);

EmuTime time_field(const Fields& fields, const char* key);
template <class Id>
Id id_field(const Fields& fields, const char* key) {
  return Id{fields.integer(key, 0, kMaxInteger)};
}

/// Adds cores and memory to `json`.
void put(Json& json, const Resources& resources);
/// {cores, memory}
Json resources_json(const Resources& resources);
Resources resources_from(const Fields& fields);
void get(const Fields& from, const char* key, Millicores& cores);

/// [[object, offset, size, [nodes…], source]…]. Read as none where the field is missing.
void add(JsonText& json, const std::vector<DataRead>& reads);
void get(const Fields& from, const char* key, std::vector<DataRead>& reads);
/// [[object, size, kept, [nodes…]]…]. Read as none where the field is missing.
void add(JsonText& json, const std::vector<DataWrite>& writes);
void get(const Fields& from, const char* key, std::vector<DataWrite>& writes);

/// [[progress, bytes]…]
void add(JsonText& json, const std::vector<MemoryPoint>& memory);
void get(const Fields& from, const char* key, std::vector<MemoryPoint>& memory);
/// [[core-seconds, seconds of pause]…]
void add(JsonText& json, const std::vector<WorkPiece>& pieces);
void get(const Fields& from, const char* key, std::vector<WorkPiece>& pieces);
/// Whether the work's pieces, if there are any, are as TaskWork promises.
bool pieces_agree(const TaskWork& work);

/// [cores, memory of the containers, cores, memory of the node]. Read as none at all where the
/// field is missing.
void add(JsonText& json, const NodeUse& use);
void get(const Fields& from, const char* key, NodeUse& use);
/// Numbers as in a NodeUse.
void add(JsonText& json, const NodeEstimate& estimate);
void get(const Fields& from, const char* key, NodeEstimate& estimate);

/// [[id, cpu_core_s, memory_bytes, progress]…], with two more numbers, bytes of disk and network,
/// where there are any.
void add(JsonText& json, const std::vector<ContainerUse>& containers);
std::vector<ContainerUse> containers_from(const Fields& fields, const char* key);

}  // namespace heddle::wire
