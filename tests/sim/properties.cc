#include "tests/sim/properties.h"

#include <gtest/gtest.h>

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

void check_allocations(const Scenario& scenario, const std::vector<Json>& journal) {
  std::map<std::int64_t, std::pair<std::int64_t, Resources>> held;  // container -> node, resources
  std::map<std::int64_t, Millicores> let_go;  // cores of suspended containers, by container
  std::map<std::int64_t, Resources> sums;
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
    } else if (type == "container_ended") {
      auto it = held.find(line.at("container"));
      ASSERT_NE(it, held.end()) << line.dump();
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
