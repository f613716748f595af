#include "cli/run/episodes.h"

#include <unistd.h>

#include <iostream>
#include <limits>
#include <string>

#include "cli/base/exit_status.h"
#include "cli/base/signals.h"
#include "cli/run/prepare.h"
#include "core/policy/registry.h"
#include "report/simulated.h"

namespace heddle::cli {
namespace {

/// Reads the line that starts an episode. Returns the options of its simulation.
Result<RunOptions> options_of(const std::string& line, RunOptions options) {
  try {
    const wire::Json json = wire::parse_json(line);
    if (json.is_discarded() || !json.is_object())
      throw wire::BadField{"expected a JSON object such as {\"seed\": 1}"};
    const wire::Fields fields(json, "episode");
    if (fields.has("seed"))
      options.overrides.seed = fields.integer("seed", 0, std::numeric_limits<std::int64_t>::max());
    if (fields.has("scenario")) options.scenario = fields.text("scenario");
    return options;
  } catch (const wire::BadField& bad) {
    return usage_error("standard input: " + bad.text);
  }
}

}  // namespace

Result<int> episodes_command(const RunOptions& options) {
  const Fd signals = take_signals();
  const pid_t parent = ::getppid();
  std::unique_ptr<PolicyLink> link;
  for (std::string line; !asked_to_stop() && std::getline(std::cin, line);) {
    const Result<RunOptions> episode = options_of(line, options);
    if (!episode) return episode.error();
    Result<Scenario> scenario = prepare_simulated(episode->scenario, episode->overrides);
    if (!scenario) return std::move(scenario).error();
    HEDDLE_TRY(settle_policy(episode->policy(), *scenario));
    if (!scenario->policy.external)
      return usage_error("--episodes: the policy is " + policy_text(scenario->policy) +
                         "; expected an external policy");
    if (!link) {
      host::adopt_orphans();
      Result<std::unique_ptr<PolicyLink>> started = PolicyLink::start(episode->policy(), *scenario);
      if (!started) return std::move(started).error();
      link = *std::move(started);
      link->end_with(parent);
    }
    bool lost = false;
    const Result<wire::Json> summary = report::simulated_summary(
        *scenario, {.ask =
                        [&](const std::string& request) {
                          Result<std::string> reply = link->ask(request);
                          lost = !reply;
                          return reply;
                        },
                    .farewell = [&](const std::string& text) { link->farewell(text); }});
    if (!summary) return summary.error();
    std::cout << summary->dump() << std::endl;
    if (lost) return aborted_error(summary->at("reason").get<std::string>());
  }
  return asked_to_stop() ? kExitInterrupted : kExitDone;
}

}  // namespace heddle::cli
