// Who plays the nodes, and what workers are told that come.
#include <fmt/core.h>

#include <algorithm>

#include "core/policy/capacity/estimation.h"
#include "core/policy/reduces/suspension.h"
#include "core/scenario/resolve.h"
#include "master/live_run.h"

namespace heddle {

using wire::Json;

void LiveRun::note_refusal(const wire::Hello& hello, const NodeLinks::Heard& heard,
                           real::Time now) {
  for (const wire::Message& reply : heard.replies) {
    const auto* error = std::get_if<wire::ErrorMessage>(&reply);
    if (!error) continue;
    const std::string where = hello.host ? " of host " + hello.host->name : "";
    const std::string sentence = "a worker" + where + " was refused: " + error->text;
    // It asks again each second.
    if (sentence != refused_) display_.say(emulated(now), sentence);
    refused_ = sentence;
  }
}

std::string LiveRun::missing_workers() const {
  constexpr std::size_t kMostNamed = 10;
  const std::vector<std::string> missing = links_.waiting_nodes();
  std::string text = "no worker came for node";
  for (std::size_t i = 0; i < std::min(missing.size(), kMostNamed); ++i) text += " " + missing[i];
  if (missing.size() > kMostNamed) text += fmt::format(" and {} more", missing.size() - kMostNamed);
  text += fmt::format(" within {:g} s", seconds(options_.registration_limit));
  return refused_.empty() ? text : text + "; " + refused_;
}

void LiveRun::note_workers(real::Time now, Effects& effects) const {
  Json rows = Json::array();
  for (std::int64_t i = 0; i < std::ssize(scenario_.cluster.nodes); ++i) {
    const std::string host = links_.host(NodeId{i});
    if (host.empty()) continue;
    const std::optional<ClockEstimate> clock = links_.clock_offset(NodeId{i}, now);
    auto text = [&](auto ClockEstimate::*part) {
      return clock ? Json(seconds((*clock).*part)) : Json();
    };
    rows.push_back({{"node", i},
                    {"host", host},
                    {"clock_offset_s", text(&ClockEstimate::offset)},
                    {"clock_uncertainty_s", text(&ClockEstimate::uncertainty)}});
  }
  if (!rows.empty()) effects.journal += lines_.workers(emulated(now), std::move(rows), times(now));
}

void LiveRun::tell_peers(Effects& effects) const {
  std::vector<std::string> all;
  for (std::int64_t i = 0; i < std::ssize(scenario_.cluster.nodes); ++i) {
    const NodeLinks::Link& link = links_.link(NodeId{i});
    if (link.state == NodeLinks::State::kAlive) all.push_back(link.identity);
  }
  effects.send.emplace_back(std::move(all), links_.peers());
}

wire::Beat LiveRun::next_beat(NodeId node, real::Time now) const {
  const std::int64_t period = scenario_.cluster.heartbeat.count();
  const std::int64_t at = scale_.to_emulated(now - epoch_).count();
  const std::int64_t wait = scenario_.cluster.beat_offset(node).count() - at % period;
  return {scale_.to_real(EmuTime(wait < 0 ? wait + period : wait))};
}

wire::Welcome LiveRun::welcome(NodeId node) const {
  const NodeSpec& spec = scenario_.cluster.nodes[node.value];
  const EmulationSpec& emulation = scenario_.emulation;
  wire::Welcome welcome{
      node,
      spec,
      scale_,
      emulation.cpu_limit,
      emulation.pacing,
      emulation.swap,
      emulation.suspend_with,
      emulation.overhead,
      scenario_.cluster.heartbeat,
      scenario_.cluster.node_timeout,
      static_cast<int>(std::min<std::int64_t>(most_overheads(scenario_, spec), 100'000))};
  welcome.run = options_.run;
  welcome.incarnation = links_.link(node).incarnation;
  welcome.node_use = emulation.node_use;
  welcome.oom_preference = emulation.oom_preference;
  welcome.suspend_cost = suspend_cost(scenario_.policy);
  if (estimated_at_worker(scenario_.policy)) welcome.estimate = damping_of(scenario_.policy);
  return welcome;
}

}  // namespace heddle
