#include "master/live_commands.h"

#include "common/overloads.h"
#include "core/scenario/device_env.h"

namespace heddle::master {

void LiveCommands::queue(const std::vector<Event>& events, const Step& step,
                         const std::set<NodeId>& offers, std::set<NodeId>& urgent) {
  for (const Event& event : events) {
    if (const auto* load = std::get_if<ExternalLoad>(&event.what)) tell(load->node, *load, urgent);
    const auto* registered = std::get_if<NodeRegistered>(&event.what);
    if (!registered || known_.insert(registered->node).second) continue;
    // A node's new worker gets the node's latest conditions and external load.
    if (const NodeConditions* conditions = calendar_.faults().conditions(registered->node))
      tell(registered->node, wire::FaultCommand{FaultKind::kSlowNode, EmuTime(0), *conditions},
           urgent);
    if (const auto& last = calendar_.load(registered->node))
      tell(registered->node, ExternalLoad{registered->node, *last}, urgent);
  }
  for (const Action& action : step.actions) carry_out(action, offers, urgent);
  for (const JobFinished& job : step.finished) forget(scenario_.jobs[job.job.value]);
}

void LiveCommands::tell(NodeId node, decltype(wire::Command::what) what, std::set<NodeId>& urgent) {
  if (links_.link(node).state != NodeLinks::State::kAlive) return;
  links_.command(node, std::move(what));
  urgent.insert(node);
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
  for (NodeId node : urgent) outbox_.to_node(node, links_.commands_now(node));
}

void LiveCommands::carry_out(const Action& action, const std::set<NodeId>& offers,
                             std::set<NodeId>& urgent) {
  auto node_of = [&](ContainerId id) { return cluster_.container(id)->node; };
  // Sends a command that does not wait for a heartbeat.
  auto send_now = [&](const auto& what) {
    links_.command(node_of(what.container), what);
    urgent.insert(node_of(what.container));
  };
  // Sends a command of the shuffle, unless its container has ended in the same step.
  auto send_if_alive = [&](const auto& what) {
    if (cluster_.container(what.container)) send_now(what);
  };
  auto send_launch = [&](const Launch& launch) {
    const JobSpec& job = scenario_.jobs[launch.phase.job.value];
    const PhaseSpec& phase = job.phases[launch.phase.phase];
    announce(launch.work.writes, launch.node, urgent);
    std::vector<std::string> devices;
    if (!phase.command.empty())
      devices = device_variables(launch.resources.counts, scenario_.cluster.resources,
                                 scenario_.emulation.device_env);
    links_.command(launch.node, wire::LaunchCommand{.container = launch.container,
                                                    .job = job.name,
                                                    .phase = phase.name,
                                                    .task = launch.task,
                                                    .attempt = launch.attempt,
                                                    .resources = launch.resources,
                                                    .work = launch.work,
                                                    .command = phase.command,
                                                    .output_limit = phase.output_limit,
                                                    .environment = std::move(devices)});
    if (scenario_.cluster.dispatch == Dispatch::kImmediate || offers.contains(launch.node))
      urgent.insert(launch.node);
  };
  std::visit(Overloads{send_launch, [&](const Kill& kill) { send_now(kill); },
                       [&](const Suspend& suspend) { send_now(suspend); },
                       [&](const Resume& resume) { send_now(resume); },
                       [&](const InputsReady& ready) { send_if_alive(ready); },
                       [&](const Fetch& fetch) { send_if_alive(fetch); },
                       [&](const RunPart& part) {
                         announce(part.part.writes, node_of(part.container), urgent);
                         send_now(part);
                       },
                       [&](const Finish& finish) { send_now(finish); },
                       [&](const WakeAt& wake) { calendar_.wake_at(wake.at); },
                       [&](const SubmitAt& it) { calendar_.submit_at(it.job, it.at); },
                       // Workers do not know reservations, and the engine also kills the
                       // containers of a job.
                       [](const Reserve&) {}, [](const Unreserve&) {}, [](const KillJob&) {},
                       [](const Submit&) {}},
             action.what);
}

void LiveCommands::forget(const JobSpec& job) {
  if (!job.hands_over()) return;
  for (NodeId node : links_.nodes(NodeLinks::State::kAlive))
    links_.command(node, wire::ForgetCommand{job.name});
}

}  // namespace heddle::master
