#include "master/registration.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/policy/capacity/estimation.h"
#include "core/policy/reduces/suspension.h"
#include "core/resolve.h"

namespace heddle::master {

using wire::Json;

void Registration::note(const wire::Hello& hello, const NodeLinks::Heard& heard, real::Time now) {
  if (heard.registered && came_.insert(*heard.registered).second) last_came_ = now;
  for (const wire::Message& reply : heard.replies) {
    const auto* error = std::get_if<wire::ErrorMessage>(&reply);
    if (!error) continue;
    const std::string where = hello.host ? " of host " + hello.host->name : "";
    const std::string sentence = "a worker" + where + " was refused: " + error->text;
    // A refused worker asks again each second.
    if (sentence != refused_) display_.say(clock_.emulated(now), sentence);
    refused_ = sentence;
  }
}

real::Time Registration::limit() const { return last_came_ + options_.patience; }

std::string Registration::missing() const {
  constexpr std::size_t kMostNamed = 10;
  const std::vector<NodeId> missing = links_.nodes(NodeLinks::State::kWaiting);
  std::string text = "no worker came for node";
  for (std::size_t i = 0; i < std::min(missing.size(), kMostNamed); ++i)
    text += " " + scenario_.cluster.nodes[missing[i].value].name;
  if (missing.size() > kMostNamed) text += fmt::format(" and {} more", missing.size() - kMostNamed);
  text += fmt::format(" within {:g} s", seconds(options_.patience));
  return refused_.empty() ? text : text + "; " + refused_;
}

void Registration::send_welcome(NodeId node) {
  const NodeSpec& spec = scenario_.cluster.nodes[node.value];
  const EmulationSpec& emulation = scenario_.emulation;
  wire::Welcome welcome;
  welcome.node = node;
  welcome.spec = spec;
  welcome.scale = clock_.scale();
  welcome.cpu_limit = emulation.cpu_limit;
  welcome.pacing = emulation.pacing;
  welcome.swap = emulation.swap;
  welcome.suspend_with = emulation.suspend_with;
  welcome.overhead = emulation.overhead;
  welcome.heartbeat = scenario_.cluster.heartbeat;
  welcome.node_timeout = scenario_.cluster.node_timeout;
  welcome.max_containers =
      static_cast<int>(std::min<std::int64_t>(ContainerBounds(scenario_).overheads(spec), 100'000));
  if (estimated_at_worker(scenario_.policy)) welcome.estimate = damping_of(scenario_.policy);
  welcome.suspend_cost = suspend_cost(scenario_.policy);
  welcome.node_use = emulation.node_use;
  welcome.oom_preference = emulation.oom_preference;
  welcome.cpu_weight = emulation.cpu_weight;
  welcome.run = options_.run;
  welcome.incarnation = links_.link(node).incarnation;
  outbox_.to_node(node, std::move(welcome));
}

void Registration::send_beat(NodeId node, real::Time now) {
  const std::int64_t period = scenario_.cluster.heartbeat.count();
  const std::int64_t at = clock_.since_start(now).count();
  const std::int64_t wait = scenario_.cluster.beat_offset(node).count() - at % period;
  const EmuTime next(wait < 0 ? wait + period : wait);
  const real::Duration next_in = clock_.scale().to_real(next);
  const std::int64_t due_ns = (now + next_in).time_since_epoch().count();
  outbox_.to_node(node, wire::Beat{next_in, links_.shares_clock(node) ? due_ns : 0});
}

void Registration::send_beats(real::Time now) {
  for (NodeId node : links_.nodes(NodeLinks::State::kAlive)) send_beat(node, now);
}

void Registration::record_workers(real::Time now) {
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
  if (!rows.empty()) recorder_.workers(clock_.emulated(now), std::move(rows));
}

}  // namespace heddle::master
