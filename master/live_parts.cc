#include "master/live_parts.h"

#include <algorithm>

#include "core/model/least_silence.h"
#include "core/policy/registry.h"
#include "core/scenario/draw.h"

namespace heddle::master {

real::Duration liveness(const Scenario& scenario) {
  return std::max<real::Duration>(scenario.scale().to_real(scenario.cluster.node_timeout),
                                  kLeastSilence);
}

LiveParts::LiveParts(const Scenario& in, LiveOptions with)
    : scenario(in),
      options(std::move(with)),
      policy(external::make_policy(in)),
      engine(in, std::move(policy.policy), [&in](TaskId task) { return draw_work(in, task); }),
      calendar(in),
      recorder(
          in, {wire::JournalLines::Mode::kReal, options.journal_heartbeats, options.stopwatch},
          [this](std::string_view lines) { effects.journal += lines; },
          [this](std::string_view lines) { effects.samples += lines; }),
      clock(in.scale()),
      links(in, options.run, liveness(in), options.clock),
      display(in) {}

double LiveParts::wall_s(real::Time at) const {
  return seconds(at.time_since_epoch()) + options.realtime_offset_s;
}

std::string LiveParts::about_policy(const std::string& what) const {
  return "policy " + policy_text(scenario.policy) + ": " + what;
}

void LiveParts::send_to_all(wire::Message message) {
  std::vector<std::string> all;
  for (NodeId node : links.nodes(NodeLinks::State::kAlive))
    all.push_back(links.link(node).identity);
  if (!all.empty()) effects.send.emplace_back(std::move(all), std::move(message));
}

}  // namespace heddle::master
