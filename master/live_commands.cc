#include "master/live_commands.h"

#include "common/overloads.h"

namespace heddle::master {

LiveCommands::LiveCommands(LiveParts& parts)
    : parts_(parts), scenario_(parts.scenario), links_(parts.links) {}

void LiveCommands::queue(const std::vector<Event>& events, const Step& step, real::Time now,
                         std::set<NodeId>& urgent) {
  for (const Event& event : events) {
    if (const auto* load = std::get_if<ExternalLoad>(&event.what)) tell(load->node, *load, urgent);
    const auto* registered = std::get_if<NodeRegistered>(&event.what);
    if (!registered || known_.insert(registered->node).second) continue;
    // A node's new worker gets the node's latest conditions and external load.
    if (const NodeConditions* conditions = parts_.calendar.faults().conditions(registered->node))
      tell(registered->node, wire::FaultCommand{FaultKind::kSlowNode, EmuTime(0), *conditions},
           urgent);
    if (const auto& last = parts_.calendar.load(registered->node))
      tell(registered->node, ExternalLoad{registered->node, *last}, urgent);
  }
  for (const Action& action : step.actions) carry_out(action, now, urgent);
  for (const JobFinished& job : step.finished) {
    parts_.display.finished(job, parts_.clock.now());
    forget(scenario_.jobs[job.job.value]);
  }
}

void LiveCommands::tell(NodeId node, decltype(wire::Command::what) what, std::set<NodeId>& urgent) {
  if (links_.link(node).state != NodeLinks::State::kAlive) return;
  links_.command(node, std::move(what));
  urgent.insert(node);
}

void LiveCommands::bring_about_faults(real::Time now) {
  std::set<NodeId> urgent;
  while (const FaultMoment* moment = parts_.calendar.faults().take(parts_.clock.emulated(now))) {
    parts_.recorder.fault(*moment);
    parts_.display.fault(*moment);
    const auto fault = static_cast<std::size_t>(moment->fault);
    if (scenario_.faults[fault].kind == FaultKind::kKillMaster) {
      parts_.effects.kill_master = true;
      return;
    }
    tell(*moment, urgent);
  }
  send(urgent);
}

void LiveCommands::tell(const FaultMoment& moment, std::set<NodeId>& urgent) {
  const FaultSpec& fault = scenario_.faults[static_cast<std::size_t>(moment.fault)];
  tell(*moment.node,
       wire::FaultCommand{fault.kind, fault.lasts.value_or(EmuTime(0)), moment.conditions}, urgent);
}

void LiveCommands::announce(const std::vector<DataWrite>& writes, NodeId from,
                            std::set<NodeId>& urgent) {
  for (const DataWrite& write : writes)
    for (NodeId copy : write.copies)
      if (copy != from)
        tell(copy, wire::ExpectCommand{write.object, write.size, write.kept, from}, urgent);
}

void LiveCommands::send(const std::set<NodeId>& urgent) {
  for (NodeId node : urgent)
    parts_.effects.send.emplace_back(links_.link(node).identity, links_.commands_now(node));
}

void LiveCommands::carry_out(const Action& action, real::Time now, std::set<NodeId>& urgent) {
  auto node_of = [&](ContainerId id) { return parts_.engine.state().container(id)->node; };
  // Sends a command that does not wait for a heartbeat.
  auto send_now = [&](const auto& what) {
    links_.command(node_of(what.container), what);
    urgent.insert(node_of(what.container));
  };
  // Sends a command of the shuffle, unless its container has ended in the same step.
  auto send_if_alive = [&](const auto& what) {
    if (parts_.engine.state().container(what.container)) send_now(what);
  };
  auto send_launch = [&](const Launch& launch) {
    const JobSpec& job = scenario_.jobs[launch.phase.job.value];
    const PhaseSpec& phase = job.phases[launch.phase.phase];
    parts_.times.launched(launch.container, now, parts_.clock.now());
    announce(launch.work.writes, launch.node, urgent);
    links_.command(
        launch.node,
        wire::LaunchCommand{launch.container, job.name, phase.name, launch.task, launch.attempt,
                            launch.resources, launch.work, phase.command, phase.output_limit});
    if (scenario_.cluster.dispatch == Dispatch::kImmediate || parts_.offers.contains(launch.node))
      urgent.insert(launch.node);
  };
  std::visit(Overloads{send_launch, [&](const Kill& kill) { send_now(kill); },
                       [&](const Suspend& suspend) {
                         parts_.times.suspended(suspend.container, now);
                         send_now(suspend);
                       },
                       [&](const Resume& resume) { send_now(resume); },
                       [&](const InputsReady& ready) { send_if_alive(ready); },
                       [&](const Fetch& fetch) { send_if_alive(fetch); },
                       [&](const RunPart& part) {
                         announce(part.part.writes, node_of(part.container), urgent);
                         send_now(part);
                       },
                       [&](const Finish& finish) { send_now(finish); },
                       [&](const WakeAt& wake) { parts_.calendar.wake_at(wake.at); },
                       // Workers do not know reservations, and the engine also kills the
                       // containers of a job.
                       [](const Reserve&) {}, [](const Unreserve&) {}, [](const KillJob&) {}},
             action.what);
}

void LiveCommands::forget(const JobSpec& job) {
  if (!job.hands_over()) return;
  for (NodeId node : links_.nodes(NodeLinks::State::kAlive))
    links_.command(node, wire::ForgetCommand{job.name});
}

}  // namespace heddle::master
