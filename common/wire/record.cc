#include "common/wire/record.h"

#include "common/wire/values.h"

namespace heddle::wire {
namespace {

struct EventWriter {
  Json operator()(const JobSubmitted& e) const {
    return {{"type", "job_submitted"}, {"job", e.job.value}};
  }
  Json operator()(const NodeRegistered& e) const {
    return {{"type", "node_registered"}, {"node", e.node.value}};
  }
  Json operator()(const NodeLost& e) const {
    Json json = {{"type", "node_lost"}, {"node", e.node.value}, {"reason", e.reason}};
    if (e.returns) json["returns"] = true;
    return json;
  }
  Json operator()(const NodeHeartbeat& e) const {
    Json json = {{"type", "heartbeat"}, {"node", e.node.value}};
    put(json, e.use, e.estimate);
    json["containers"] = wire::to_json(e.containers);
    return json;
  }
  Json operator()(const ContainerStarted& e) const {
    return container("container_started", e.container);
  }
  Json operator()(const ContainerEnded& e) const {
    Json json = container("container_ended", e.container);
    json["outcome"] = name_of(e.outcome);
    json["oom"] = name_of(e.oom);
    json["exit_code"] = e.exit_code;
    json["reason"] = e.reason;
    put(json, e.usage);
    return json;
  }
  Json operator()(const InputsRead& e) const { return container("inputs_read", e.container); }
  Json operator()(const PartDone& e) const {
    Json json = container("part_done", e.container);
    json["part"] = e.part;
    return json;
  }
  Json operator()(const InputLost& e) const {
    Json json = container("input_lost", e.container);
    json["source"] = e.source;
    json["object"] = e.object;
    json["reason"] = e.reason;
    return json;
  }
  Json operator()(const ContainerSuspended& e) const {
    return container("container_suspended", e.container);
  }
  Json operator()(const ContainerResumed& e) const {
    return container("container_resumed", e.container);
  }
  Json operator()(const ActionRefused& e) const {
    return {{"type", "action_refused"}, {"action", e.action}, {"reason", e.reason}};
  }
  Json operator()(const Wake&) const { return {{"type", "wake"}}; }
  Json operator()(const ExternalLoad& e) const {
    Json json = {{"type", "external_load"}, {"node", e.node.value}};
    put(json, e.load);
    return json;
  }

  static Json container(const char* type, ContainerId id) {
    return {{"type", type}, {"container", id.value}};
  }
};

struct ActionWriter {
  Json operator()(const Launch& a) const {
    Json json = {{"type", "launch"},         {"container", a.container.value},
                 {"job", a.phase.job.value}, {"phase", a.phase.phase},
                 {"task", a.task},           {"attempt", a.attempt},
                 {"node", a.node.value}};
    put(json, a.resources);
    json["work"] = wire::to_json(a.work);
    if (a.locality != Locality::kAny)
      json["locality"] = kLocalities[static_cast<std::size_t>(a.locality)];
    return json;
  }
  Json operator()(const Reserve& a) const { return held("reserve", a.phase, a.node); }
  Json operator()(const Unreserve& a) const { return held("unreserve", a.phase, a.node); }
  Json operator()(const Suspend& a) const { return EventWriter::container("suspend", a.container); }
  Json operator()(const Resume& a) const { return EventWriter::container("resume", a.container); }
  Json operator()(const Kill& a) const { return EventWriter::container("kill", a.container); }
  Json operator()(const InputsReady& a) const {
    return EventWriter::container("inputs_ready", a.container);
  }
  Json operator()(const Fetch& a) const {
    Json json = EventWriter::container("fetch", a.container);
    json["reads"] = wire::to_json(a.reads);
    return json;
  }
  Json operator()(const RunPart& a) const {
    Json json = EventWriter::container("run_part", a.container);
    json["work"] = wire::to_json(a.part);
    return json;
  }
  Json operator()(const Finish& a) const { return EventWriter::container("finish", a.container); }
  Json operator()(const WakeAt& a) const { return {{"type", "wake_at"}, {"at", to_seconds(a.at)}}; }

  static Json held(const char* type, PhaseId phase, NodeId node) {
    return {{"type", type}, {"job", phase.job.value}, {"phase", phase.phase}, {"node", node.value}};
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

Json to_json(const Event& event) {
  Json json = std::visit(EventWriter{}, event.what);
  json["t"] = to_seconds(event.at);
  return json;
}

Json to_json(const Action& action) {
  Json json = std::visit(ActionWriter{}, action.what);
  if (!action.reason.empty()) json["reason"] = action.reason;
  return json;
}

Json to_json(const PolicyNote& note) {
  Json json = {{"type", "policy_state"}, {"about", note.about}};
  for (const auto& value : note.values)
    std::visit([&](const auto& of) { json[value.first] = of; }, value.second);
  return json;
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
