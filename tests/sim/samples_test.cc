// The lines of samples.jsonl have all that the heartbeats say (driver/sample_filter.h). The journal
// has the heartbeats too, and is not made from the samples.

#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "core/resolve.h"
#include "tests/sim/simulated.h"
#include "tests/support/journal.h"
#include "tests/support/scenario_texts.h"
#include "wire/values.h"

namespace heddle::sim::samples_test {

using wire::Json;

/// The lines of a node by their time.
using Lines = std::map<double, Json>;

/// Returns the containers of a line at a time from its own to the next line's.
std::vector<ContainerUse> uses_at(const Lines& lines, double t) {
  const auto next = lines.lower_bound(t);
  if (next == lines.end()) return {};
  std::vector<ContainerUse> uses = wire::containers_from(wire::Fields(next->second), "containers");
  if (next->first == t || next == lines.begin()) return uses;
  const auto& [begin, before] = *std::prev(next);
  const std::vector<ContainerUse> from = wire::containers_from(wire::Fields(before), "containers");
  if (from.size() != uses.size()) return {};
  const double share = (t - begin) / (next->first - begin);
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (from[i].container != uses[i].container) return {};
    uses[i].cpu = from[i].cpu + core_seconds(to_core_seconds(uses[i].cpu - from[i].cpu) * share);
    uses[i].progress = from[i].progress + (uses[i].progress - from[i].progress) * share;
    uses[i].memory = from[i].memory;
  }
  return uses;
}

void check(const Simulated& run) {
  std::map<std::int64_t, Lines> lines;
  for (const Json& line : records_of(run.samples))
    EXPECT_TRUE(lines[line["node"]].emplace(line["t"], line).second) << line;
  int beats = 0;
  for (const Json& beat : run.lines("heartbeat")) {
    if (!beat.contains("containers") || beat["containers"].empty()) continue;
    ++beats;
    const std::vector<ContainerUse> is = wire::containers_from(wire::Fields(beat), "containers");
    const std::vector<ContainerUse> read = uses_at(lines[beat["node"]], beat["t"]);
    ASSERT_EQ(read.size(), is.size()) << beat;
    for (std::size_t i = 0; i < is.size(); ++i) {
      ASSERT_EQ(read[i].container, is[i].container) << beat;
      ASSERT_EQ(read[i].memory, is[i].memory) << beat;
      // A microsecond of rounding beside what the filter allows.
      ASSERT_NEAR(to_core_seconds(read[i].cpu), to_core_seconds(is[i].cpu), 1.002e-3) << beat;
      ASSERT_NEAR(read[i].progress, is[i].progress, 1.002e-5) << beat;
    }
  }
  EXPECT_GT(beats, 0);
}

TEST(Samples, HaveWhatTheHeartbeatsSay) {
  for (const char* name :
       {"quickstart", "papers/haste-small", "faults/worker-crash", "lessons/over-commit"}) {
    SCOPED_TRACE(name);
    check(simulate(shipped(name)));
  }
}

// A task of 1000 s has a heartbeat each second: two lines at the beginning of the work or of
// the idle time before it, two when it goes on evenly, two at its end.
TEST(Samples, OfALongTaskAreFew) {
  const Scenario scenario = resolve_simulated(
      scenario_of("heddle: 1\nname: test\ncluster: {nodes: [{name: n, cores: 4, memory: 8GiB}]}\n" +
                  one_phase("name: map, tasks: 1, request: {cores: 1, memory: 1GiB}, cpu: 1000s")));
  const Simulated run = simulate(scenario);
  EXPECT_LE(records_of(run.samples).size(), 8U);
  EXPECT_GT(records_of(run.samples).back()["t"].get<double>(), 999);
}

}  // namespace heddle::sim::samples_test
