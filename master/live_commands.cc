// What workers are told of the engine's decisions.
#include "master/live_run.h"

namespace heddle {

void LiveRun::queue(const std::vector<Event>& events, const Step& step, real::Time now,
                    std::set<NodeId>& urgent) {
  for (const Event& event : events) {
    if (const auto* load = std::get_if<ExternalLoad>(&event.what)) {
      load_[load->node.value] = load->load;
      tell(load->node, wire::ExternalLoadCommand{load->load}, urgent);
    }
    const auto* registered = std::get_if<NodeRegistered>(&event.what);
    if (!registered || known_.insert(registered->node).second) continue;
    // The last that there was goes for the worker that has come anew.
    if (const NodeConditions* conditions = faults_.conditions(registered->node))
      tell(registered->node, wire::FaultCommand{FaultKind::kSlowNode, EmuTime(0), *conditions},
           urgent);
    if (const auto& last = load_[registered->node.value])
      tell(registered->node, wire::ExternalLoadCommand{*last}, urgent);
  }
  for (const Action& action : step.actions) carry_out(action, now, urgent);
  for (const JobFinished& job : step.finished) {
    display_.finished(job, now_);
    forget(scenario_.jobs[job.job.value]);
  }
}

void LiveRun::tell(NodeId node, decltype(wire::Command::what) what, std::set<NodeId>& urgent) {
  if (links_.link(node).state != NodeLinks::State::kAlive) return;
  links_.command(node, std::move(what));
  urgent.insert(node);
}

void LiveRun::announce(const std::vector<DataWrite>& writes, NodeId from,
                       std::set<NodeId>& urgent) {
  for (const DataWrite& write : writes)
    for (NodeId copy : write.copies)
      if (copy != from)
        tell(copy, wire::ExpectCommand{write.object, write.size, write.kept, from}, urgent);
}

void LiveRun::send(const std::set<NodeId>& urgent, Effects& effects) const {
  for (NodeId node : urgent)
    effects.send.emplace_back(links_.link(node).identity, links_.commands_now(node));
}

void LiveRun::carry_out(const Action& action, real::Time now, std::set<NodeId>& urgent) {
  bool immediate = scenario_.cluster.dispatch == Dispatch::kImmediate;
  auto send = [&](NodeId node, decltype(wire::Command::what) what, bool at_once) {
    links_.command(node, std::move(what));
    if (at_once) urgent.insert(node);
  };
  auto node_of = [&](ContainerId id) { return engine_.state().container(id)->node; };
  if (const auto* launch = std::get_if<Launch>(&action.what)) {
    const JobSpec& job = scenario_.jobs[launch->phase.job.value];
    const PhaseSpec& phase = job.phases[launch->phase.phase];
    decided_[launch->container] = now;
    newest_[launch->container] = now_;
    announce(launch->work.writes, launch->node, urgent);
    send(launch->node,
         wire::LaunchCommand{launch->container, job.name, phase.name, launch->task, launch->attempt,
                             launch->resources, launch->work, phase.command, phase.output_limit},
         immediate);
  } else if (const auto* kill = std::get_if<Kill>(&action.what)) {
    send(node_of(kill->container), wire::KillCommand{kill->container}, true);
  } else if (const auto* ready = std::get_if<InputsReady>(&action.what)) {
    // Not the scheduler's news but the shuffle's own, which waits for no heartbeat. The container
    // may have ended in the very step.
    if (engine_.state().container(ready->container))
      send(node_of(ready->container), wire::InputsReadyCommand{ready->container}, true);
  } else if (const auto* fetch = std::get_if<Fetch>(&action.what)) {
    if (engine_.state().container(fetch->container))
      send(node_of(fetch->container), wire::FetchCommand{fetch->container, fetch->reads}, true);
  } else if (const auto* part = std::get_if<RunPart>(&action.what)) {
    announce(part->part.writes, node_of(part->container), urgent);
    send(node_of(part->container), wire::RunPartCommand{part->container, part->part}, true);
  } else if (const auto* finish = std::get_if<Finish>(&action.what)) {
    send(node_of(finish->container), wire::FinishCommand{finish->container}, true);
  } else if (const auto* suspend = std::get_if<Suspend>(&action.what)) {
    suspended_[suspend->container] = now;
    send(node_of(suspend->container), wire::SuspendCommand{suspend->container}, true);
  } else if (const auto* resume = std::get_if<Resume>(&action.what)) {
    send(node_of(resume->container), wire::ResumeCommand{resume->container}, true);
  } else if (const auto* wake = std::get_if<WakeAt>(&action.what)) {
    wakes_.insert(wake->at);
  }
}

void LiveRun::forget(const JobSpec& job) {
  if (!job.hands_over()) return;
  for (std::int64_t i = 0; i < std::ssize(scenario_.cluster.nodes); ++i)
    if (links_.link(NodeId{i}).state == NodeLinks::State::kAlive)
      links_.command(NodeId{i}, wire::ForgetCommand{job.name});
}

}  // namespace heddle
