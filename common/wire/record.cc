#include "common/wire/record.h"

#include "common/wire/values.h"

namespace heddle::wire {
namespace {

/// Adds a record's fields, its type first.
struct EventWriter {
  JsonText& line;
  bool containers;

  void operator()(const JobSubmitted& e) const { type("job_submitted").field("job", e.job.value); }
  void operator()(const NodeRegistered& e) const { at_node("node_registered", e.node); }
  void operator()(const NodeLost& e) const {
    at_node("node_lost", e.node).field("reason", e.reason);
    if (e.returns) line.field("returns", true);
  }
  void operator()(const NodeDrained& e) const {
    at_node("node_drained", e.node).field("reason", e.reason);
  }
  void operator()(const NodeRestored& e) const { at_node("node_restored", e.node); }
  void operator()(const NodeHeartbeat& e) const {
    at_node("heartbeat", e.node);
    put(line, e.use, e.estimate);
    if (containers) add(line.key("containers"), e.containers);
  }
  void operator()(const ContainerStarted& e) const { of("container_started", e.container); }
  void operator()(const ContainerEnded& e) const {
    of("container_ended", e.container).field("outcome", name_of(e.outcome));
    line.field("oom", name_of(e.oom)).field("exit_code", e.exit_code).field("reason", e.reason);
    put(line, e.usage);
  }
  void operator()(const InputsRead& e) const { of("inputs_read", e.container); }
  void operator()(const PartDone& e) const { of("part_done", e.container).field("part", e.part); }
  void operator()(const InputLost& e) const {
    of("input_lost", e.container).field("source", e.source).field("object", e.object);
    line.field("reason", e.reason);
  }
  void operator()(const ContainerSuspended& e) const { of("container_suspended", e.container); }
  void operator()(const ContainerResumed& e) const { of("container_resumed", e.container); }
  void operator()(const ActionRefused& e) const {
    type("action_refused").field("action", e.action).field("reason", e.reason);
  }
  void operator()(const Wake&) const { type("wake"); }
  void operator()(const ExternalLoad& e) const {
    at_node("external_load", e.node);
    put(line, e.load);
  }

 private:
  JsonText& type(const char* name) const { return line.field("type", name); }
  JsonText& of(const char* name, ContainerId id) const {
    return type(name).field("container", id.value);
  }
  JsonText& at_node(const char* name, NodeId id) const {
    return type(name).field("node", id.value);
  }
};

struct ActionWriter {
  JsonText& line;

  void operator()(const Launch& a) const {
    of("launch", a.container).field("job", a.phase.job.value).field("phase", a.phase.phase);
    line.field("task", a.task).field("attempt", a.attempt).field("node", a.node.value);
    put(line, a.resources);
    add(line.key("work"), a.work);
    if (a.locality != Locality::kAny)
      line.field("locality", kLocalities[static_cast<std::size_t>(a.locality)]);
  }
  void operator()(const Reserve& a) const { held("reserve", a.phase, a.node); }
  void operator()(const Unreserve& a) const { held("unreserve", a.phase, a.node); }
  void operator()(const Suspend& a) const { of("suspend", a.container); }
  void operator()(const Resume& a) const { of("resume", a.container); }
  void operator()(const Kill& a) const { of("kill", a.container); }
  void operator()(const InputsReady& a) const { of("inputs_ready", a.container); }
  void operator()(const Fetch& a) const { add(of("fetch", a.container).key("reads"), a.reads); }
  void operator()(const RunPart& a) const { add(of("run_part", a.container).key("work"), a.part); }
  void operator()(const Finish& a) const { of("finish", a.container); }
  void operator()(const WakeAt& a) const { line.field("type", "wake_at").field("at", a.at); }

 private:
  JsonText& of(const char* name, ContainerId id) const {
    return line.field("type", name).field("container", id.value);
  }
  void held(const char* name, PhaseId phase, NodeId node) const {
    line.field("type", name).field("job", phase.job.value).field("phase", phase.phase);
    line.field("node", node.value);
  }
};

struct ValueWriter {
  JsonText& line;
  template <class Value>
  void operator()(const Value& value) const {
    line.add(value);
  }
  void operator()(const std::vector<double>& numbers) const {
    line.open('[');
    for (double number : numbers) line.add(number);
    line.close(']');
  }
};

PhaseId phase_from(const Fields& f) {
  return {id_field<JobId>(f, "job"), static_cast<int>(f.integer("phase", 0, 1'000'000))};
}
ContainerId container_from(const Fields& f) { return id_field<ContainerId>(f, "container"); }
NodeId node_from(const Fields& f) { return id_field<NodeId>(f, "node"); }

using Record = std::variant<std::monostate, Event, Action>;
using Reader = Record (*)(const Fields&);

template <class E>
Record event(const Fields& f, E what) {
  return Event{time_field(f, "t"), std::move(what)};
}

template <class A>
Record action(const Fields& f, A what) {
  return Action{std::move(what), f.has("reason") ? f.text("reason") : ""};
}

Record ended_from(const Fields& f) {
  ContainerEnded e;
  e.container = container_from(f);
  e.outcome = static_cast<Outcome>(f.word("outcome", kOutcomes));
  e.oom = static_cast<OomCause>(f.word("oom", kOomCauses));
  e.exit_code = static_cast<int>(f.integer("exit_code", 0, 1023));
  e.reason = f.text("reason");
  e.usage = usage_from(f);
  return event(f, std::move(e));
}

Record launch_from(const Fields& f) {
  Launch a;
  a.phase = phase_from(f);
  a.node = node_from(f);
  a.resources = resources_from(f);
  a.container = container_from(f);
  a.task = static_cast<int>(f.integer("task", 0, 100'000'000));
  a.attempt = static_cast<int>(f.integer("attempt", 1, 1'000'000));
  a.work = work_from(f.object("work"));
  if (f.has("locality")) a.locality = static_cast<Locality>(f.word("locality", kLocalities));
  return action(f, std::move(a));
}

const std::vector<std::pair<std::string_view, Reader>>& readers() {
  static const std::vector<std::pair<std::string_view, Reader>> table = {
      {"job_submitted",
       [](const Fields& f) { return event(f, JobSubmitted{id_field<JobId>(f, "job")}); }},
      {"node_registered", [](const Fields& f) { return event(f, NodeRegistered{node_from(f)}); }},
      {"node_lost",
       [](const Fields& f) {
         return event(
             f, NodeLost{node_from(f), f.text("reason"), f.has("returns") && f.flag("returns")});
       }},
      {"node_drained",
       [](const Fields& f) {
         return event(f, NodeDrained{node_from(f), f.text("reason")});
       }},
      {"node_restored", [](const Fields& f) { return event(f, NodeRestored{node_from(f)}); }},
      {"heartbeat",
       [](const Fields& f) {
         return event(f, NodeHeartbeat{node_from(f),
                                       f.has("containers") ? containers_from(f, "containers")
                                                           : std::vector<ContainerUse>(),
                                       use_from(f), estimate_from(f)});
       }},
      {"external_load",
       [](const Fields& f) {
         return event(f, ExternalLoad{node_from(f), resources_from(f)});
       }},
      {"container_started",
       [](const Fields& f) { return event(f, ContainerStarted{container_from(f)}); }},
      {"container_ended", ended_from},
      {"inputs_read", [](const Fields& f) { return event(f, InputsRead{container_from(f)}); }},
      {"part_done",
       [](const Fields& f) {
         return event(
             f, PartDone{container_from(f), static_cast<int>(f.integer("part", 1, 1'000'000'000))});
       }},
      {"input_lost",
       [](const Fields& f) {
         return event(
             f, InputLost{container_from(f), static_cast<int>(f.integer("source", 0, 100'000'000)),
                          f.unsigned_integer("object"), f.text("reason")});
       }},
      {"container_suspended",
       [](const Fields& f) { return event(f, ContainerSuspended{container_from(f)}); }},
      {"container_resumed",
       [](const Fields& f) { return event(f, ContainerResumed{container_from(f)}); }},
      {"action_refused",
       [](const Fields& f) {
         return event(f, ActionRefused{f.text("action"), f.text("reason")});
       }},
      {"wake", [](const Fields& f) { return event(f, Wake{}); }},
      {"launch", launch_from},
      {"reserve",
       [](const Fields& f) {
         return action(f, Reserve{phase_from(f), node_from(f)});
       }},
      {"unreserve",
       [](const Fields& f) {
         return action(f, Unreserve{phase_from(f), node_from(f)});
       }},
      {"suspend", [](const Fields& f) { return action(f, Suspend{container_from(f)}); }},
      {"resume", [](const Fields& f) { return action(f, Resume{container_from(f)}); }},
      {"inputs_ready", [](const Fields& f) { return action(f, InputsReady{container_from(f)}); }},
      {"fetch",
       [](const Fields& f) {
         return action(f, Fetch{container_from(f), reads_from(f, "reads")});
       }},
      {"run_part",
       [](const Fields& f) {
         return action(f, RunPart{container_from(f), part_from(f.object("work"))});
       }},
      {"finish", [](const Fields& f) { return action(f, Finish{container_from(f)}); }},
      {"kill", [](const Fields& f) { return action(f, Kill{container_from(f)}); }},
      {"wake_at", [](const Fields& f) { return action(f, WakeAt{time_field(f, "at")}); }},
  };
  return table;
}

}  // namespace

std::string_view name_of(Outcome outcome) { return kOutcomes[static_cast<std::size_t>(outcome)]; }
std::string_view name_of(OomCause cause) { return kOomCauses[static_cast<std::size_t>(cause)]; }
std::string_view name_of(JobState state) {
  switch (state) {
    case JobState::kWaiting:
    case JobState::kPending:
      return "pending";
    case JobState::kRunning:
      return "running";
    case JobState::kCompleted:
      return "completed";
    case JobState::kFailed:
      return "failed";
    case JobState::kKilled:
      return "killed";
  }
  return "";
}

void put(JsonText& line, const Event& event, bool containers) {
  std::visit(EventWriter{line, containers}, event.what);
  line.field("t", event.at);
}

void put(JsonText& line, const Action& action) {
  std::visit(ActionWriter{line}, action.what);
  if (!action.reason.empty()) line.field("reason", action.reason);
}

void put(JsonText& line, const PolicyNote& note) {
  line.field("type", "policy_state").field("about", note.about);
  for (const auto& [name, value] : note.values) {
    line.key(name);
    std::visit(ValueWriter{line}, value);
  }
}

Result<std::variant<std::monostate, Event, Action>> from_json(const Json& line) {
  try {
    Fields fields(line, "line");
    std::string type = fields.text("type");
    for (const auto& [name, read] : readers())
      if (name == type) return read(fields);
    return Record(std::monostate());
  } catch (const BadField& bad) {
    return aborted_error(bad.text);
  }
}

}  // namespace heddle::wire
