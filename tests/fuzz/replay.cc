#include "sim/replay.h"

#include <array>
#include <sstream>

#include "report/journal_reader.h"
#include "report/why/replay.h"
#include "tests/fuzz/runs.h"
#include "tests/fuzz/targets.h"

namespace heddle::fuzz {
namespace {

constexpr const char* kPolicies[] = {"fifo", "dress", "ikayak", "capacity+preemption=kill"};

/// Feeds all lines to the machine. Returns whether it took them without an error.
template <class Machine>
bool feed(Machine& machine, const std::string& text) {
  report::JournalReader lines(std::make_unique<std::istringstream>(text), "journal.jsonl");
  for (;;) {
    const Result<std::optional<wire::Json>> line = lines.next();
    if (!line) return false;
    if (!*line) return bool(machine.finish());
    if (!machine.add(**line)) return false;
  }
}

}  // namespace

/// The first character chooses the policy.
bool replay(std::string_view input) {
  static const std::array scenarios = {run_scenario(kPolicies[0]), run_scenario(kPolicies[1]),
                                       run_scenario(kPolicies[2]), run_scenario(kPolicies[3])};
  if (input.empty()) return false;
  const Scenario& scenario = scenarios[static_cast<unsigned char>(input[0]) % scenarios.size()];
  const std::string text(input.substr(1));
  report::WhyReplay why(scenario, {JobId{0}, JobId{2}}, true);
  const bool whole = feed(why, text);
  (void)why.log(JobId{0}).all(EmuTime(0), std::max(why.now(), EmuTime(1)), Obstacle{});
  if (why.difference()) (void)sim::format_difference(*why.difference());
  return whole && !why.difference();
}

}  // namespace heddle::fuzz
