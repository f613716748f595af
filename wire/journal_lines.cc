#include "wire/journal_lines.h"

#include <algorithm>
#include <utility>

#include "core/policy/own_options.h"
#include "core/policy/registry.h"
#include "core/scenario/words.h"
#include "wire/journal_format.h"
#include "wire/values.h"

namespace heddle::wire {
namespace {

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string line_of(Json json, const JournalLines::Times& times) {
  if (times) json["wall"] = rounded(times->wall_s);
  return text_of(json) + '\n';
}

/// Adds an array to the text of an object, element by element: as a Json, those of a long log take
/// more memory than the simulation.
template <class Element, class Of>
void add_list(std::string& object, const char* key, const std::vector<Element>& elements, Of json) {
  object.pop_back();
  object.append(",\"").append(key).append("\":[");
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (i > 0) object += ',';
    object += text_of(json(i, elements[i]));
  }
  object += "]}";
}

Json job_json(std::size_t id, const JobSpec& job) {
  return {{"id", id},
          {"name", job.name},
          {"queue", job.queue},
          {"submit_s", to_seconds(job.submit)},
          {"tasks", job.task_count()}};
}

/// Writes an event or action that has a container for its first single container, and then how many
/// there are.
template <class Whole, class What>
void put_counted(const Whole& whole, What what, const CountedTasks& counted, JsonText& line) {
  const CountedTasks::Containers& containers = counted.of(what.container);
  constexpr bool launches = std::is_same_v<What, Launch>;
  if constexpr (launches)
    what = counted.first(std::move(what));
  else
    what.container = containers.first;
  Whole first = whole;
  first.what = std::move(what);
  put(line, first);
  line.field("count", containers.count);
  if constexpr (launches)
    line.key("nodes").list(counted.nodes_of(containers), [&](const CountedTasks::Nodes& nodes) {
      line.row(nodes.first.value, nodes.last.value, nodes.tasks);
    });
}

/// Writes an event or action of a simulation in which one container stands for several. Returns
/// false if it is not one of a container or a node.
template <class Whole>
bool put_if_counted(const Whole& whole, const CountedTasks* counted, JsonText& line) {
  if (!counted) return false;
  return std::visit(
      [&](const auto& what) {
        if constexpr (std::is_same_v<std::decay_t<decltype(what)>, NodeRegistered>) {
          put(line, whole);
          line.field("count", counted->node_count());
          return true;
        } else if constexpr (requires { what.container; }) {
          put_counted(whole, what, *counted, line);
          return true;
        } else {
          return false;
        }
      },
      whole.what);
}

/// Writes the line of an event of the step, without the end of the line.
void put_event(const Event& event, const Step& step, std::size_t place, bool containers,
               const JournalLines::Times& times, const CountedTasks* counted, JsonText& line) {
  if (put_if_counted(event, counted, line)) return;
  put(line, event, containers);
  if (const auto* ended = std::get_if<ContainerEnded>(&event.what);
      ended && std::ranges::count(step.kept, ended->container) > 0)
    line.field("kept", true);
  // A refusal by the engine is an outcome. A refusal among the events of a step is from a worker.
  if (std::holds_alternative<ActionRefused>(event.what)) line.field("by", "worker");
  if (!times) return;
  auto put_ms = [&](const char* key, const std::map<ContainerId, double>& ms,
                    ContainerId container) {
    auto it = ms.find(container);
    if (it != ms.end()) line.field(key, it->second);
  };
  if (const auto* started = std::get_if<ContainerStarted>(&event.what))
    put_ms("launch_ms", times->launch_ms, started->container);
  if (const auto* suspended = std::get_if<ContainerSuspended>(&event.what))
    put_ms("stop_ms", times->stop_ms, suspended->container);
  if (const auto* registered = std::get_if<NodeRegistered>(&event.what))
    if (auto it = times->incarnations.find(registered->node); it != times->incarnations.end())
      line.field("incarnation", it->second);
  if (auto it = times->reports.find(place); it != times->reports.end())
    line.key("report").row(it->second.first.value, it->second.second);
}

/// Writes the lines of the outcome. Calls `begin` before the fields of each line, and `end` after
/// them.
template <class Begin, class End>
void put_outcome(const Step& step, EmuTime now, const CountedTasks* counted, JsonText& text,
                 Begin begin, End end) {
  auto add = [&](const auto& fields) {
    begin();
    fields();
    end();
  };
  auto noted = [&](const std::vector<PolicyNote>& notes) {
    for (const PolicyNote& note : notes)
      add([&] {
        put(text, note);
        text.field("t", now);
      });
  };
  for (const PlacesReleased& released : step.released)
    add([&] {
      text.field("type", "released").key("containers").list(released.containers, [&](auto id) {
        text.add(id.value);
      });
      text.field("at", released.at).field("t", now);
    });
  for (const Action& action : step.actions)
    add([&] {
      if (!put_if_counted(action, counted, text)) put(text, action);
      text.field("t", now);
    });
  for (const Event& event : step.refused)
    add([&] {
      put(text, Event{now, event.what});
      text.field("by", "engine");
    });
  noted(step.notes);
  noted(step.capacity_notes);
  for (const JobFinished& job : step.finished)
    add([&] {
      text.field("type", "job_finished").field("job", job.job.value);
      text.field("state", name_of(job.state)).field("reason", job.reason).field("t", now);
    });
}

}  // namespace

std::string JournalLines::run(const Scenario& scenario, const std::string& run, bool lists,
                              const Times& times) const {
  std::string text = text_of({{"type", "run"},
                              {"heddle_version", HEDDLE_VERSION},
                              {"format", counted_ ? kCountedFormat : kJournalFormat},
                              {"run", run},
                              {"scenario", scenario.name},
                              {"mode", mode_ == Mode::kReal ? "real" : "simulated"},
                              {"journal", heartbeats_ ? "full" : "decisions"},
                              {"seed", scenario.seed},
                              {"policy", policy_json(scenario.policy)}});
  if (lists) {
    add_list(text, "jobs", scenario.jobs, job_json);
    add_list(text, "nodes", scenario.cluster.nodes, [&](std::size_t id, const NodeSpec& node) {
      Json json = {{"id", id}, {"name", node.name}};
      put(json, node.capacity, scenario.cluster.resources);
      return json;
    });
  }
  if (times) {
    text.pop_back();
    text += ",\"wall\":" + text_of(rounded(times->wall_s)) + '}';
  }
  return text + '\n';
}

std::string_view JournalLines::step(EmuTime now, std::span<const Event> events, const Step& step,
                                    const Times& times) {
  // Whether the step has an effect that must be written, or events that the journal must have.
  const bool decided = step.remembers || !step.actions.empty() || !step.refused.empty() ||
                       !step.notes.empty() || !step.finished.empty();
  const bool heartbeats =
      heartbeats_ && !counted_ && (decided || step.measured != Measured::kNothing);
  const bool containers = decided || step.measured != Measured::kUse;
  text_.clear();
  bool first = true;
  auto begin = [&] { text_.open('{'); };
  auto end = [&](EmuTime t) {
    if (std::exchange(first, false) && t != now) text_.field("now", now);
    text_.field("step", steps_);
    if (times) text_.field("wall", rounded(times->wall_s));
    text_.end_line();
  };
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (std::holds_alternative<NodeHeartbeat>(events[i].what) && !heartbeats) {
      ++silent_heartbeats_;
      continue;
    }
    begin();
    put_event(events[i], step, i, containers, times, counted_, text_);
    end(events[i].at);
  }
  put_outcome(step, now, counted_, text_, begin, [&] { end(now); });
  if (!first) ++steps_;
  return text_.view();
}

std::string JournalLines::fault(const Scenario& scenario, const FaultMoment& moment,
                                const Times& times) const {
  Json json = {{"type", "fault"},
               {"fault", moment.fault},
               {"kind", word_of(scenario.faults[static_cast<std::size_t>(moment.fault)].kind)}};
  if (moment.node) json["node"] = moment.node->value;
  if (moment.ends) json["ends"] = true;
  json["t"] = to_seconds(moment.at);
  return line_of(std::move(json), times);
}

std::string JournalLines::workers(EmuTime now, Json nodes, const Times& times) const {
  return line_of({{"type", "workers"}, {"nodes", std::move(nodes)}, {"t", to_seconds(now)}}, times);
}

std::string JournalLines::leaving(EmuTime now, std::string_view status, const std::string& reason,
                                  const Times& times) const {
  return line_of(
      {{"type", "leaving"}, {"status", status}, {"reason", reason}, {"t", to_seconds(now)}}, times);
}

std::string JournalLines::continue_journal(std::int64_t next, std::vector<Json> missing,
                                           const Times& times) {
  steps_ = next;
  std::string out;
  for (Json& line : missing) {
    line["step"] = next - 1;
    out += line_of(std::move(line), times);
  }
  return out;
}

std::string JournalLines::resumed(EmuTime now, double downtime_s, const Times& times) const {
  return line_of({{"type", "resumed"}, {"downtime_s", rounded(downtime_s)}, {"t", to_seconds(now)}},
                 times);
}

std::string JournalLines::end(EmuTime now, std::string_view status, const std::string& reason,
                              Json overhead, const Times& times) const {
  Json json = {{"type", "end"},
               {"status", status},
               {"reason", reason},
               {"t", to_seconds(now)},
               {"silent_heartbeats", silent_heartbeats_ * (counted_ ? counted_->node_count() : 1)}};
  if (!overhead.is_null()) json["overhead"] = std::move(overhead);
  return line_of(std::move(json), times);
}

std::vector<Json> outcome_lines(const Step& step, EmuTime now) {
  std::vector<Json> lines;
  JsonText text;
  put_outcome(
      step, now, nullptr, text, [&] { text.open('{'); },
      [&] {
        text.close('}');
        lines.push_back(parse_json(text.take()));
      });
  return lines;
}

std::string sample_line(EmuTime now, const NodeHeartbeat& heartbeat, double cpu_cores,
                        EmuBytes memory) {
  JsonText line;
  line.open('{').field("t", now).field("node", heartbeat.node.value);
  line.field("cpu_cores", cpu_cores).field("memory", memory);
  add(line.key("containers"), heartbeat.containers);
  line.end_line();
  return line.take();
}

void take_recorded(PolicySpec& policy, const Json& recorded) {
  if (!recorded.is_object()) return;
  const auto text_of = [&](std::string_view key) {
    const auto it = recorded.find(std::string(key));
    return it != recorded.end() && it->is_string() ? it->get<std::string>() : std::string();
  };
  if (!policy.external)
    for (const PartKind& kind : part_kinds())
      if (const std::string part = text_of(kind.name);
          !part.empty() && part != chosen_part(policy, kind.name))
        (void)set_policy_key(policy, kind.name, part);
  for (const Option* option : policy_options()) {
    if (!reads(policy, *option)) continue;
    const std::string text = recorded.contains(std::string(option->name))
                                 ? text_of(option->name)
                                 : std::string(option->before);
    if (!text.empty() && text != option_text(policy, *option))
      (void)set_policy_key(policy, option->name, text);
  }
}

Json policy_json(const PolicySpec& policy) {
  Json json = {{"preset", policy.preset}};
  for (const PartKind& kind : part_kinds())
    json[std::string(kind.name)] = chosen_part(policy, kind.name);
  for (const Option* option : policy_options())
    if (in_force(policy, *option)) json[std::string(option->name)] = option_text(policy, *option);
  for (const auto& [key, value] : policy.options)
    if (is_own_option(key)) json[key] = value;
  if (const auto& external = policy.external)
    json["external"] = {{"program", external->program},
                        {"arguments", external->arguments},
                        {"sha256", external->sha256},
                        {"endpoint", external->endpoint},
                        {"protocol", word_of(external->protocol)},
                        {"label", policy_label(policy)}};
  return json;
}

}  // namespace heddle::wire
