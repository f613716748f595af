#include "report/disturbance.h"

#include <fmt/core.h>

#include <algorithm>

#include "wire/values.h"

namespace heddle::report {
namespace {

using wire::Json;

/// Returns a member of an object, or null.
Json part_of(const Json& json, const char* key) {
  return json.is_object() ? json.value(key, Json()) : Json();
}

/// Returns a share such as "34 %" or, if it is small, "0.62 %".
std::string share_text(double share) {
  return share < 0.0995 ? fmt::format("{:.2g} %", 100 * share)
                        : fmt::format("{:.0f} %", 100 * share);
}

std::string by_others(const Disturbance& disturbance) {
  return "other programs used " + share_text(disturbance.foreign_cpu) + " of the CPU";
}

std::string lost_text(const Disturbance& disturbance) {
  if (disturbance.lost_s < 0.05) return "";
  return fmt::format("; tasks lost {:.1f} s by it", disturbance.lost_s);
}

/// Says why the times of an affected run are wrong.
std::string effect(const Disturbance& disturbance) {
  const bool foreign = disturbance.foreign_cpu > kForeign;
  if (foreign && disturbance.task_error > kFarOff)
    return "tasks took up to " + share_text(*disturbance.task_error) +
           " longer than their work needs, because " + by_others(disturbance) +
           lost_text(disturbance);
  if (disturbance.memory_off)
    return "the memory of tasks did not follow their profiles" +
           (foreign ? "; " + by_others(disturbance) : "");
  if (disturbance.task_error > kUseless)
    return "tasks took up to " + share_text(*disturbance.task_error) +
           " longer than their work needs, although " + by_others(disturbance) +
           "; was the machine or the run stopped?";
  return by_others(disturbance) + ", and no task can be compared with the time that its work needs";
}

}  // namespace

DisturbanceWord word_of(const Disturbance& disturbance) {
  using enum DisturbanceWord;
  if (disturbance.memory_off || disturbance.task_error > kUseless) return kAffected;
  if (disturbance.foreign_cpu <= kForeign) return kClean;
  return disturbance.task_error && *disturbance.task_error <= kFarOff ? kUnaffected : kAffected;
}

std::optional<Disturbance> disturbance_of(const Json& host, const Json& fidelity,
                                          const Json& host_lost_s) {
  const Json foreign = part_of(host, "foreign_cpu");
  if (!foreign.is_number()) return std::nullopt;
  Disturbance disturbance;
  disturbance.foreign_cpu = foreign.get<double>();
  if (host_lost_s.is_number()) disturbance.lost_s = host_lost_s.get<double>();
  for (const Json& error :
       {part_of(fidelity, "p99_error"), part_of(part_of(fidelity, "work"), "p99_error")})
    if (error.is_number())
      disturbance.task_error = std::max(disturbance.task_error.value_or(0), error.get<double>());
  const Json memory = part_of(fidelity, "memory");
  const auto above = [&](const char* key, double bound) {
    const Json value = part_of(memory, key);
    return value.is_number() && value.get<double>() > bound;
  };
  // Older versions did not count the tasks.
  const Json tasks = part_of(memory, "tasks");
  const double most_short = tasks.is_number() ? kFewTasks * tasks.get<double>() : 0;
  disturbance.memory_off = above("short", most_short) || above("p99_error", kFarOff);
  return disturbance;
}

std::optional<Disturbance> disturbance_of(const Json& summary) {
  return disturbance_of(part_of(summary, "host"), part_of(summary, "fidelity"),
                        part_of(summary, "host_lost_s"));
}

Json to_json(const std::optional<Disturbance>& disturbance) {
  if (!disturbance) return nullptr;
  return {{"word", name_of(word_of(*disturbance))},
          {"foreign_cpu", disturbance->foreign_cpu},
          {"lost_s", wire::rounded(disturbance->lost_s)},
          {"task_error", disturbance->task_error ? Json(*disturbance->task_error) : Json()}};
}

std::string disturbance_text(const Disturbance& disturbance) {
  const std::string off = disturbance.task_error ? "99 of 100 tasks are off by at most " +
                                                       share_text(*disturbance.task_error)
                                                 : "";
  switch (word_of(disturbance)) {
    case DisturbanceWord::kClean:
      return "clean: " + by_others(disturbance) + (off.empty() ? "" : "; " + off);
    case DisturbanceWord::kUnaffected:
      return "unaffected: " + by_others(disturbance) + ", but " + off + lost_text(disturbance);
    case DisturbanceWord::kAffected:
      break;
  }
  return "affected: do not use these times: " + effect(disturbance);
}

std::string disturbance_text(const Json& summary) {
  if (const std::optional<Disturbance> disturbance = disturbance_of(summary))
    return disturbance_text(*disturbance);
  return part_of(summary, "disturbed") == true
             ? "affected: do not use these times: other programs disturbed the run"
             : "";
}

}  // namespace heddle::report
