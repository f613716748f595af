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

// JSON forms of the values that messages and journal lines share. Times are in emulated seconds,
// exact to the microsecond. CPU work is in core-seconds. Cores are a number. Memory is in bytes.

inline constexpr std::int64_t kMaxInteger = std::numeric_limits<std::int64_t>::max();
/// Largest size of an object, in bytes. The sum of two such sizes does not overflow.
inline constexpr std::int64_t kMaxBytes = 1LL << 60;
/// Longest emulated time that is accepted: about 100 years.
inline constexpr double kMaxSeconds = 9e9;
/// Longest real time that is accepted, about as long. Adding it to a time does not overflow.
inline constexpr real::Duration kLongestReal{4'000'000'000'000'000'000};
/// Most CPU work of a container that is accepted. 256 threads that work for 10000 h, as long as a
/// scenario can be, do 9.2e9 core-seconds.
inline constexpr double kMaxCoreSeconds = 1e10;

inline constexpr std::string_view kOutcomes[] = {"completed", "failed", "oom_killed",
                                                 "killed",    "lost",   "not_started"};
inline constexpr std::string_view kLocalities[] = {"any", "local", "rack", "remote"};
inline constexpr std::string_view kPeakMethods[] = {"kernel", "samples", "limit"};
inline constexpr std::string_view kOomCauses[] = {"none", "container", "node", "other"};

/// Rounds the value to millionths, the resolution of emulated times.
double rounded(double value);
/// Returns the rounded value, or null if there is no value.
Json rounded_or_null(const std::optional<double>& value);
/// Returns the rounded p-quantile of the n values: the value at rank ceil(p n) (nearest rank).
/// Returns null if there are no values. REQUIRES: p is in (0, 1].
Json percentile(std::vector<double> values, double p);
/// Returns {p50, p99, max} of the values. Each is null if there are no values.
Json percentiles(const std::vector<double>& values);

EmuTime time_field(const Fields& fields, const char* key);
template <class Id>
Id id_field(const Fields& fields, const char* key) {
  return Id{fields.integer(key, 0, kMaxInteger)};
}

/// Adds cores, memory and the amounts of the named resources to `json`.
void put(Json& json, const Resources& resources, const CountNames& counted = {});
/// Returns {cores, memory, …}.
Json resources_json(const Resources& resources, const CountNames& counted = {});
/// Reads cores and memory, which are required, and the amounts of the named resources.
Resources resources_from(const Fields& fields, const CountNames& counted = {});
/// Form: [amount…], in the order of the cluster's resources.
void add(JsonText& json, const Counts& counts);
void get(const Fields& from, const char* key, Counts& counts);
/// Form: [[number…]…], for each resource the devices that a container holds. They hold the amounts
/// of `counts`: a part of one device, or whole devices.
template <class C>
struct DevicesOf {
  C& counts;
};
template <class C>
DevicesOf<C> devices_of(C& counts) {
  return {counts};
}
void add(JsonText& json, const DevicesOf<const Counts>& held);
void get(const Fields& from, const char* key, const DevicesOf<Counts>& held);
void get(const Fields& from, const char* key, Millicores& cores);

/// Form: [[object, offset, size, [nodes…], source]…]. If the field is missing, there are no reads.
void add(JsonText& json, const std::vector<DataRead>& reads);
void get(const Fields& from, const char* key, std::vector<DataRead>& reads);
/// Form: [[object, size, kept, [nodes…]]…]. If the field is missing, there are no writes.
void add(JsonText& json, const std::vector<DataWrite>& writes);
void get(const Fields& from, const char* key, std::vector<DataWrite>& writes);

/// Form: [[ideal_s, took_s]…].
void add(JsonText& json, const std::vector<WorkTime>& times);
void get(const Fields& from, const char* key, std::vector<WorkTime>& times);
/// Form: [[write, bytes, [nodes…], begun_s, took_s, done]…]. `write` and `done` are true or false.
void add(JsonText& json, const std::vector<TransferTime>& times);
void get(const Fields& from, const char* key, std::vector<TransferTime>& times);

/// Form: [[progress, bytes]…].
void add(JsonText& json, const std::vector<MemoryPoint>& memory);
void get(const Fields& from, const char* key, std::vector<MemoryPoint>& memory);
/// Forms: [[error in thousandths, samples]…], and a list of milliseconds (MemoryFidelity).
void add(JsonText& json, const std::map<int, int>& samples);
void get(const Fields& from, const char* key, std::map<int, int>& samples);
void add(JsonText& json, const std::vector<double>& numbers);
void get(const Fields& from, const char* key, std::vector<double>& numbers);

/// Form: [[core-seconds, seconds of pause]…].
void add(JsonText& json, const std::vector<WorkPiece>& pieces);
void get(const Fields& from, const char* key, std::vector<WorkPiece>& pieces);
/// Returns whether the work's pieces, if there are any, meet the conditions of TaskWork.
bool pieces_agree(const TaskWork& work);

/// Form: [cores of the containers, memory of the containers, cores of the node, memory of the
/// node]. If the field is missing, the use is 0.
void add(JsonText& json, const NodeUse& use);
void get(const Fields& from, const char* key, NodeUse& use);
/// Form: the same numbers as in a NodeUse.
void add(JsonText& json, const NodeEstimate& estimate);
void get(const Fields& from, const char* key, NodeEstimate& estimate);

/// Form: [[id, cpu_core_s, memory_bytes, progress]…]. If a container has moved data, the bytes of
/// disk and of network follow.
void add(JsonText& json, const std::vector<ContainerUse>& containers);
std::vector<ContainerUse> containers_from(const Fields& fields, const char* key);

}  // namespace heddle::wire
