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
/// Largest size of an object, in bytes; the sum of two is far from overflowing.
inline constexpr std::int64_t kMaxBytes = 1LL << 60;
/// Longest emulated time and most CPU work accepted, in seconds and core-seconds: about 100 years.
inline constexpr double kMaxSeconds = 3.2e9;

inline constexpr std::string_view kOutcomes[] = {"completed", "failed", "oom_killed",
                                                 "killed",    "lost",   "not_started"};
inline constexpr std::string_view kLocalities[] = {"any", "local", "rack", "remote"};
inline constexpr std::string_view kOomCauses[] = {"none", "container", "node", "other"};

/// Rounds to millionths, the resolution of emulated times.
double rounded(double value);
/// Returns the rounded value, or null if there is none.
Json rounded_or_null(const std::optional<double>& value);
/// Returns the rounded value at rank ceil(p n) of n (nearest rank); null if there is no value. p in
/// (0, 1].
Json percentile(std::vector<double> values, double p);
/// Returns {p50, p99, max} of the values; each null if there are none.
Json percentiles(const std::vector<double>& values);

EmuTime time_field(const Fields& fields, const char* key);
template <class Id>
Id id_field(const Fields& fields, const char* key) {
  return Id{fields.integer(key, 0, kMaxInteger)};
}

/// Adds cores and memory to `json`.
void put(Json& json, const Resources& resources);
/// Returns {cores, memory}.
Json resources_json(const Resources& resources);
Resources resources_from(const Fields& fields);
void get(const Fields& from, const char* key, Millicores& cores);

/// Form: [[object, offset, size, [nodes…], source]…]. A missing field is read as no reads.
void add(JsonText& json, const std::vector<DataRead>& reads);
void get(const Fields& from, const char* key, std::vector<DataRead>& reads);
/// Form: [[object, size, kept, [nodes…]]…]. A missing field is read as no writes.
void add(JsonText& json, const std::vector<DataWrite>& writes);
void get(const Fields& from, const char* key, std::vector<DataWrite>& writes);

/// Form: [[progress, bytes]…].
void add(JsonText& json, const std::vector<MemoryPoint>& memory);
void get(const Fields& from, const char* key, std::vector<MemoryPoint>& memory);
/// Form: [[core-seconds, seconds of pause]…].
// [[error in thousandths, samples], …], and a list of milliseconds (MemoryFidelity).
void add(JsonText& json, const std::map<int, int>& samples);
void get(const Fields& from, const char* key, std::map<int, int>& samples);
void add(JsonText& json, const std::vector<double>& numbers);
void get(const Fields& from, const char* key, std::vector<double>& numbers);

void add(JsonText& json, const std::vector<WorkPiece>& pieces);
void get(const Fields& from, const char* key, std::vector<WorkPiece>& pieces);
/// Returns whether the work's pieces, if there are any, meet the conditions of TaskWork.
bool pieces_agree(const TaskWork& work);

/// Form: [cores, memory of the containers, cores, memory of the node]. A missing field is read as
/// no use.
void add(JsonText& json, const NodeUse& use);
void get(const Fields& from, const char* key, NodeUse& use);
/// Form: the same numbers as in a NodeUse.
void add(JsonText& json, const NodeEstimate& estimate);
void get(const Fields& from, const char* key, NodeEstimate& estimate);

/// Form: [[id, cpu_core_s, memory_bytes, progress]…]. Two more numbers, bytes of disk and network,
/// follow if there are any.
void add(JsonText& json, const std::vector<ContainerUse>& containers);
std::vector<ContainerUse> containers_from(const Fields& fields, const char* key);

}  // namespace heddle::wire
