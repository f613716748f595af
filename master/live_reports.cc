#include "master/live_reports.h"

#include <algorithm>

#include "common/overloads.h"

namespace heddle::master {
namespace {

/// Latest time of a worker's clock that is used, in nanoseconds. Calculations with times up to this
/// limit, which is more than a century, can't overflow.
constexpr std::int64_t kLatestClock = 4'000'000'000'000'000'000;

}  // namespace

EmuTime LiveReports::event_time(NodeId node, const wire::Report& report, real::Time now) const {
  const EmuTime heard = clock_.emulated(now), resumed = clock_.resumed_at();
  const real::Time at{std::chrono::nanoseconds(std::min(report.monotonic_ns, kLatestClock))};
  // Workers on the master's host share its clock.
  if (!links_.link(node).clock) return std::clamp(clock_.since_start(at), resumed, heard);
  EmuTime least = std::max(resumed, times_.newest(report.container()).value_or(resumed));
  if (std::holds_alternative<ContainerSuspended>(report.what))
    if (const auto decided = times_.suspension(report.container()))
      least = std::max(least, clock_.since_start(*decided));
  const std::optional<ClockEstimate> clock = links_.clock_offset(node, now);
  if (!clock) return heard;
  return std::clamp(clock_.since_start(at - clock->offset), std::min(least, heard), heard);
}

void LiveReports::take(const NodeLinks::Heard& heard, real::Time now, std::vector<Event>& events) {
  for (const wire::Report& report : heard.reports) {
    recorder_.next_step().reports[events.size()] = {*heard.sender, report.number};
    take(*heard.sender, report, now, events);
  }
  for (ContainerId id : heard.vanished)
    if (engine_.state().container(id))
      events.push_back(
          {clock_.emulated(now), ContainerEnded{id,
                                                Outcome::kLost,
                                                OomCause::kNone,
                                                0,
                                                "its worker does not know the container",
                                                {}}});
}

bool LiveReports::was_given(NodeId node, ContainerId id) const {
  const Container* container = engine_.state().container(id);
  return container ? container->node == node : id < engine_.next_container();
}

void LiveReports::take(NodeId node, const wire::Report& report, real::Time now,
                       std::vector<Event>& events) {
  EmuTime at = event_time(node, report, now);
  const ContainerId id = report.container();
  // A worker is only allowed to report about containers that were launched on its node. A wrong
  // report is refused, but its number counts as received.
  if (!was_given(node, id)) {
    events.push_back({at, ActionRefused{"report", "about container " + std::to_string(id.value) +
                                                      ", which was not launched on its node"}});
    return;
  }
  times_.heard(id, at);
  auto happened = [&](const auto& what) { events.push_back({at, what}); };
  std::visit(Overloads{[&](const ContainerStarted& started) { happened(started); },
                       [&](const ContainerEnded& ended) {
                         happened(ended);
                         if (ended.outcome == Outcome::kNotStarted)
                           nodes_.start_failed(node, ended.reason, now, events);
                         else
                           nodes_.ran(node);
                       },
                       [&](const wire::CommandRefused& refused) {
                         happened(ActionRefused{"command", refused.reason});
                       },
                       [&](const ContainerSuspended& suspended) { happened(suspended); },
                       [&](const ContainerResumed& resumed) { happened(resumed); },
                       [&](const InputsRead& read) { happened(read); },
                       [&](const PartDone& done) { happened(done); },
                       [&](const InputLost& lost) { happened(lost); }},
             report.what);
}

}  // namespace heddle::master
