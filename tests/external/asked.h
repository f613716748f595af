#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/simulation.h"
#include "tests/support/journal.h"
#include "wire/fields.h"

namespace heddle::external {

/// A simulation with an external policy, and the conversation with it.
struct Asked {
  std::vector<wire::Json> requests;
  std::vector<wire::Json> journal;
  RunStatus status = RunStatus::kAborted;
  std::string reason;

  /// Returns "TIME job.phase on NODE" for each launch.
  std::vector<std::string> launches(const Scenario& scenario) const {
    std::vector<std::string> all;
    for (const wire::Json& line : journal)
      if (line["type"] == "launch") {
        const JobSpec& job = scenario.jobs[line["job"].get<std::size_t>()];
        all.push_back(line["t"].dump() + " " + job.name + "." +
                      job.phases[line["phase"].get<std::size_t>()].name + " on " +
                      scenario.cluster.nodes[line["node"].get<std::size_t>()].name);
      }
    return all;
  }
  std::vector<wire::Json> lines(const std::string& type) const {
    std::vector<wire::Json> all;
    for (const wire::Json& line : journal)
      if (line["type"] == type) all.push_back(line);
    return all;
  }
};

/// Answers a request. The answer is the text of the reply.
using Answer = std::function<std::string(const wire::Json& request)>;

/// Simulates the scenario. `answer` takes the place of the program.
inline Asked simulate(const Scenario& scenario, const Answer& answer) {
  Asked asked;
  std::string journal;
  sim::Simulation simulation(
      scenario,
      {.ask = [&](const std::string& request) -> Result<std::string> {
         asked.requests.push_back(wire::parse_json(request));
         return answer(asked.requests.back());
       },
       .farewell =
           [&](const std::string& text) { asked.requests.push_back(wire::parse_json(text)); }},
      [&](std::string_view lines) { journal += lines; }, nullptr);
  while (simulation.advance(100'000)) {
    if (asked.requests.size() > 10'000) simulation.stop(RunStatus::kAborted, "too many requests");
  }
  asked.status = simulation.status();
  asked.reason = simulation.reason();
  asked.journal = records_of(journal);
  return asked;
}

}  // namespace heddle::external
