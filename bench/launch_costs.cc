#include "bench/launch_costs.h"

#include <fmt/core.h>
#include <time.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "common/own_usage.h"
#include "core/engine.h"
#include "master/journal.h"
#include "report/table.h"
#include "wire/journal_lines.h"
#include "wire/line_checksums.h"
#include "wire/values.h"

namespace heddle::bench {
namespace {

using wire::Json;

/// Returns the step in which a master learns that the container has ended.
std::vector<Event> end_of(std::int64_t container) {
  ContainerEnded ended;
  ended.container = ContainerId{container};
  return {{emu_seconds(1), ended}};
}

/// Returns the outcome of that step: the launch of the next task.
Step launch_of(std::int64_t container) {
  Launch launch;
  launch.phase = {JobId{0}, 0};
  launch.node = NodeId{0};
  launch.resources = {Millicores(1000), EmuBytes(64 << 20)};
  launch.container = ContainerId{container};
  launch.task = static_cast<int>(container);
  launch.attempt = 1;
  Step step;
  step.actions = {{launch, ""}};
  return step;
}

}  // namespace

LaunchCpu per_launch(const LaunchCpu& before, const LaunchCpu& after, int count) {
  return {(after.start - before.start) / count, (after.process - before.process) / count,
          (after.limits - before.limits) / count, (after.measure - before.measure) / count};
}

Json launch_parts(const LaunchCosts& costs) {
  const double own = costs.bare.start + costs.bare.process;
  const double join = costs.groups.start + costs.groups.process - own;
  const double worker =
      costs.worker - costs.groups.start - costs.groups.limits - costs.groups.measure;
  const std::vector<std::pair<const char*, double>> beyond = {
      {"limits", costs.groups.limits},    {"join", join},
      {"measure", costs.groups.measure},  {"messages, worker", worker},
      {"messages, master", costs.master}, {"journal", costs.journal}};
  Json parts = Json::array();
  const auto add = [&](const char* part, double seconds) {
    parts.push_back({{"part", part}, {"us", wire::rounded(seconds * 1e6)}});
  };
  add("task's own start", own);
  double sum = 0;
  for (const auto& [part, seconds] : beyond) {
    add(part, seconds);
    sum += seconds;
  }
  add("sum beyond it", sum);
  return parts;
}

std::string format_launch_parts(const Json& parts) {
  std::vector<std::vector<std::string>> rows;
  for (const Json& part : parts)
    rows.push_back({part.at("part"), report::number_cell(part.at("us"), "{:.1f}")});
  return report::format_table({{"CPU per launch"}, {"us", true}}, rows);
}

Result<double> journal_cpu_s(const std::string& path, int count) {
  Result<master::Journal> journal = master::Journal::create(path);
  if (!journal) return std::move(journal).error();
  wire::JournalLines lines(wire::JournalLines::Mode::kReal, true);
  wire::LineChecksums checksums;
  wire::JournalLines::RealTimes times;
  const double began = thread_cpu_s();
  for (std::int64_t i = 1; i <= count; ++i) {
    const EmuTime now = emu_seconds(static_cast<double>(i));
    HEDDLE_TRY(
        journal->append(checksums.seal(lines.step(now, end_of(i), launch_of(i + 1), times))));
    times.launch_ms[ContainerId{i + 1}] = 1;
    const std::vector<Event> started = {{now, ContainerStarted{ContainerId{i + 1}}}};
    HEDDLE_TRY(journal->append(checksums.seal(lines.step(now, started, Step{}, times))));
    times.launch_ms.clear();
  }
  return (thread_cpu_s() - began) / count;
}

Result<double> cpu_s_of(pid_t process) {
  clockid_t clock{};
  if (int error = ::clock_getcpuclockid(process, &clock))
    return system_error("measure the CPU time of process " + std::to_string(process), error);
  timespec time{};
  if (::clock_gettime(clock, &time) < 0)
    return system_error("measure the CPU time of process " + std::to_string(process), errno);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

}  // namespace heddle::bench
