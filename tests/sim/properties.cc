#include "tests/sim/properties.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/sim/replayed.h"

namespace heddle::sim {

using wire::Json;

std::string failures(const std::vector<Json>& journal) {
  std::string text;
  for (const Json& line : journal)
    if (line.at("type") == "job_finished" && line.at("state") != "completed")
      text += "\n" + line.dump();
  return text;
}

namespace {

/// Returns whether the job may not start on the node then, because the site has reserved it. Knows
/// only the lists that random scenarios have.
bool kept_out(const Scenario& scenario, const Json& launch) {
  const NodeId node{launch.at("node").get<std::int64_t>()};
  const EmuTime at = emu_seconds(launch.at("t"));
  for (const ReservationSpec& one : scenario.reservations) {
    const std::string& user = scenario.jobs[launch.at("job")].user;
    if (std::ranges::count(one.nodes, node) == 0 || std::ranges::count(one.users, user) > 0)
      continue;
    for (int i = 0; i < one.times; ++i) {
      const EmuTime later = one.every.value_or(EmuTime(0)) * i;
      if (one.from + later <= at && at < one.until + later) return true;
    }
  }
  return false;
}

/// Returns whether an array has more jobs with containers than its limit. `live`: containers by
/// job.
bool exceeds_array(const Scenario& scenario, const std::map<std::int64_t, int>& live) {
  std::map<std::string, int> arrays;
  for (const auto& [job, containers] : live) {
    const JobSpec& spec = scenario.jobs[job];
    if (containers > 0 && spec.array_limit && ++arrays[spec.array] > *spec.array_limit) return true;
  }
  return false;
}

}  // namespace

void check_allocations(const Scenario& scenario, const std::vector<Json>& journal) {
  std::map<std::int64_t, std::pair<std::int64_t, Resources>> held;  // container -> node, resources
  std::map<std::int64_t, Millicores> let_go;  // cores of suspended containers, by container
  std::map<std::int64_t, Resources> sums;
  std::map<std::int64_t, std::int64_t> jobs;  // by container
  std::map<std::int64_t, int> live;           // containers by job
  for (const Json& line : journal) {
    const std::string type = line.at("type");
    EXPECT_NE(type, "action_refused") << line.dump();
    if (type == "launch") {
      const std::int64_t node = line.at("node");
      Resources what{Millicores(std::llround(line.at("cores").get<double>() * 1000)),
                     EmuBytes(line.at("memory").get<std::int64_t>())};
      const std::vector<double> counts = line.value("counts", std::vector<double>());
      for (std::size_t i = 0; i < counts.size(); ++i)
        what.counts.set(i, Thousandths(std::llround(counts[i] * 1000)));
      held[line.at("container")] = {node, what};
      sums[node] += what;
      EXPECT_TRUE(sums[node].fits_in(scenario.cluster.nodes[node].allowance)) << line.dump();
      EXPECT_FALSE(kept_out(scenario, line)) << line.dump();
      jobs[line.at("container")] = line.at("job");
      ++live[line.at("job")];
      EXPECT_FALSE(exceeds_array(scenario, live)) << line.dump();
    } else if (type == "container_ended") {
      auto it = held.find(line.at("container"));
      ASSERT_NE(it, held.end()) << line.dump();
      --live[jobs[line.at("container")]];
      if (line.contains("kept")) continue;
      sums[it->second.first] -= it->second.second;
      held.erase(it);
    } else if (type == "released") {
      for (const Json& container : line.at("containers")) {
        const auto it = held.find(container);
        ASSERT_NE(it, held.end()) << line.dump();
        sums[it->second.first] -= it->second.second;
        held.erase(it);
      }
    } else if (type == "container_suspended" || type == "container_resumed") {
      // The cores of a suspended container are free. When it resumes, it gets them back even if
      // others have them. Nothing more is launched on that node then.
      auto it = held.find(line.at("container"));
      ASSERT_NE(it, held.end()) << line.dump();
      auto& [node, what] = it->second;
      sums[node] -= what;
      std::swap(what.cores, let_go[it->first]);
      sums[node] += what;
    } else if (type == "reserve") {
      const PhaseSpec& phase = scenario.jobs[line.at("job")].phases[line.at("phase")];
      EXPECT_TRUE(phase.request.fits_in(scenario.cluster.nodes[line.at("node")].allowance));
    }
  }
  EXPECT_TRUE(held.empty());
}

void check_run(const Scenario& scenario, const Simulated& outcome) {
  const std::vector<Json> journal = outcome.records();
  EXPECT_EQ(outcome.status, RunStatus::kDone) << outcome.reason << failures(journal);
  check_allocations(scenario, journal);
  check_replay(scenario, journal);
}

void check_replay(const Scenario& scenario, const std::vector<Json>& journal) {
  EXPECT_EQ(replayed(scenario, journal), "");
}

}  // namespace heddle::sim
