#include "common/wire/journal_lines.h"

#include <array>
#include <charconv>
#include <type_traits>
#include <utility>

#include "common/wire/values.h"
#include "core/policy/table.h"
#include "core/scenario/words.h"

namespace heddle::wire {
namespace {

/// JSON put together by hand, for what a run writes most: Json itself takes several times as long.
class LineText {
 public:
  LineText() { text_.reserve(1024); }

  LineText& operator<<(std::string_view text) {
    text_ += text;
    return *this;
  }
  /// The shortest text that reads back as that number. REQUIRES: it is finite.
  template <class Number>
  requires std::is_arithmetic_v<Number> LineText& operator<<(Number number) {
    char text[32];
    text_.append(text, std::to_chars(text, text + sizeof text, number).ptr);
    return *this;
  }
  template <class Numbers>
  LineText& row(const Numbers& numbers) {
    char before = '[';
    for (const auto& number : numbers) {
      text_ += before;
      *this << number;
      before = ',';
    }
    text_ += before == '[' ? "[]" : "]";
    return *this;
  }

  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

/// What a heartbeat has beside its containers and its time.
void put_heartbeat(const NodeHeartbeat& beat, LineText& line) {
  auto cores = [](const Resources& of) { return static_cast<double>(of.cores.count()) / 1e3; };
  auto bytes = [](const Resources& of) { return static_cast<double>(of.memory.count()); };
  const auto& [containers, node] = beat.use;
  line << R"({"type":"heartbeat","node":)" << beat.node.value << R"(,"use":)";
  line.row(std::array{cores(containers), bytes(containers), cores(node), bytes(node)});
  if (!beat.estimate) return;
  const NodeEstimate& e = *beat.estimate;
  line << R"(,"estimate":)";
  line.row(std::array{e.containers.cores, e.containers.memory, e.node.cores, e.node.memory});
}

struct ValueWriter {
  LineText& line;
  void operator()(std::int64_t number) const { line << number; }
  void operator()(double number) const { line << number; }
  void operator()(const std::string& text) const { line << Json(text).dump(); }
  void operator()(const std::vector<double>& numbers) const { line.row(numbers); }
};

/// As to_json has it, but for its time. REQUIRES: names of values are plain words.
void put_note(const PolicyNote& note, LineText& line) {
  line << R"({"type":"policy_state","about":")" << note.about << "\"";
  for (const auto& [name, value] : note.values) {
    line << ",\"" << name << "\":";
    std::visit(ValueWriter{line}, value);
  }
}

void put_line(Json json, const JournalLines::Times& times, std::string& out) {
  if (times) json["wall"] = rounded(times->wall_s);
  out += json.dump(-1, ' ', false, Json::error_handler_t::replace);
  out += '\n';
}

Json jobs_json(const Scenario& scenario) {
  Json jobs = Json::array();
  for (std::size_t i = 0; i < scenario.jobs.size(); ++i) {
    const JobSpec& job = scenario.jobs[i];
    jobs.push_back({{"id", i},
                    {"name", job.name},
                    {"queue", job.queue},
                    {"submit_s", to_seconds(job.submit)},
                    {"tasks", job.task_count()}});
  }
  return jobs;
}

Json nodes_json(const Scenario& scenario) {
  Json nodes = Json::array();
  for (std::size_t i = 0; i < scenario.cluster.nodes.size(); ++i) {
    const NodeSpec& node = scenario.cluster.nodes[i];
    Json json = {{"id", i}, {"name", node.name}};
    put(json, node.capacity);
    nodes.push_back(std::move(json));
  }
  return nodes;
}

Json event_line(const Event& event, std::size_t place, const JournalLines::Times& times) {
  Json json = to_json(event);
  // What the engine refused is an outcome; a refusal among a step's events came from a worker.
  if (std::holds_alternative<ActionRefused>(event.what)) json["by"] = "worker";
  if (!times) return json;
  auto put_ms = [&](const char* key, const std::map<ContainerId, double>& ms,
                    ContainerId container) {
    auto it = ms.find(container);
    if (it != ms.end()) json[key] = it->second;
  };
  if (const auto* started = std::get_if<ContainerStarted>(&event.what))
    put_ms("launch_ms", times->launch_ms, started->container);
  if (const auto* suspended = std::get_if<ContainerSuspended>(&event.what))
    put_ms("stop_ms", times->stop_ms, suspended->container);
  if (const auto* registered = std::get_if<NodeRegistered>(&event.what))
    if (auto it = times->incarnations.find(registered->node); it != times->incarnations.end())
      json["incarnation"] = it->second;
  if (auto it = times->reports.find(place); it != times->reports.end())
    json["report"] = {it->second.first.value, it->second.second};
  return json;
}

}  // namespace

std::string JournalLines::run(const Scenario& scenario, const std::string& run,
                              const Times& times) const {
  std::string out;
  put_line({{"type", "run"},
            {"heddle_version", HEDDLE_VERSION},
            {"run", run},
            {"scenario", scenario.name},
            {"mode", mode_ == Mode::kReal ? "real" : "simulated"},
            {"journal", heartbeats_ ? "full" : "decisions"},
            {"seed", scenario.seed},
            {"policy", policy_json(scenario.policy)},
            {"jobs", jobs_json(scenario)},
            {"nodes", nodes_json(scenario)}},
           times, out);
  return out;
}

std::string JournalLines::step(EmuTime now, std::span<const Event> events, const Step& step,
                               const Times& times) {
  // Beyond what heartbeats alone bring about.
  const bool decided = step.remembers || !step.actions.empty() || !step.refused.empty() ||
                       !step.notes.empty() || !step.finished.empty();
  const bool heartbeats = heartbeats_ && (decided || step.measured != Measured::kNothing);
  if (heartbeats && !decided && events.size() == 1 && step.measured == Measured::kUse)
    return measured(now, events.front(), step, times);
  std::vector<Json> outcome = outcome_lines(step, now);
  std::vector<Json> lines;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto* heartbeat = std::get_if<NodeHeartbeat>(&events[i].what);
    if (heartbeat && !heartbeats) {
      ++silent_heartbeats_;
      continue;
    }
    lines.push_back(event_line(events[i], i, times));
    if (heartbeat && !decided && step.measured == Measured::kUse) lines.back().erase("containers");
  }
  lines.insert(lines.end(), std::make_move_iterator(outcome.begin()),
               std::make_move_iterator(outcome.end()));
  if (lines.empty()) return "";
  if (lines.front()["t"] != to_seconds(now)) lines.front()["now"] = to_seconds(now);
  std::string out;
  for (Json& line : lines) {
    line["step"] = steps_;
    put_line(std::move(line), times, out);
  }
  ++steps_;
  return out;
}

/// Most lines of a run with estimates.
std::string JournalLines::measured(EmuTime now, const Event& event, const Step& step,
                                   const Times& times) {
  LineText line;
  auto end = [&] {
    line << R"(,"step":)" << steps_;
    if (times) line << R"(,"wall":)" << rounded(times->wall_s);
    line << "}\n";
  };
  put_heartbeat(std::get<NodeHeartbeat>(event.what), line);
  line << R"(,"t":)" << to_seconds(event.at);
  if (event.at != now) line << R"(,"now":)" << to_seconds(now);
  end();
  for (const PolicyNote& note : step.capacity_notes) {
    put_note(note, line);
    line << R"(,"t":)" << to_seconds(now);
    end();
  }
  ++steps_;
  return line.take();
}

std::string JournalLines::fault(const Scenario& scenario, const FaultMoment& moment,
                                const Times& times) const {
  Json json = {{"type", "fault"},
               {"fault", moment.fault},
               {"kind", word_of(scenario.faults[static_cast<std::size_t>(moment.fault)].kind)}};
  if (moment.node) json["node"] = moment.node->value;
  if (moment.ends) json["ends"] = true;
  json["t"] = to_seconds(moment.at);
  std::string out;
  put_line(std::move(json), times, out);
  return out;
}

std::string JournalLines::workers(EmuTime now, Json nodes, const Times& times) const {
  std::string out;
  put_line({{"type", "workers"}, {"nodes", std::move(nodes)}, {"t", to_seconds(now)}}, times, out);
  return out;
}

std::string JournalLines::leaving(EmuTime now, std::string_view status, const std::string& reason,
                                  const Times& times) const {
  std::string out;
  put_line({{"type", "leaving"}, {"status", status}, {"reason", reason}, {"t", to_seconds(now)}},
           times, out);
  return out;
}

std::string JournalLines::go_on(std::int64_t next, std::vector<Json> missing, const Times& times) {
  steps_ = next;
  std::string out;
  for (Json& line : missing) {
    line["step"] = next - 1;
    put_line(std::move(line), times, out);
  }
  return out;
}

std::string JournalLines::resumed(EmuTime now, double downtime_s, const Times& times) const {
  std::string out;
  put_line({{"type", "resumed"}, {"downtime_s", rounded(downtime_s)}, {"t", to_seconds(now)}},
           times, out);
  return out;
}

std::string JournalLines::end(EmuTime now, std::string_view status, const std::string& reason,
                              Json overhead, const Times& times) const {
  Json json = {{"type", "end"},
               {"status", status},
               {"reason", reason},
               {"t", to_seconds(now)},
               {"silent_heartbeats", silent_heartbeats_}};
  if (!overhead.is_null()) json["overhead"] = std::move(overhead);
  std::string out;
  put_line(std::move(json), times, out);
  return out;
}

std::vector<Json> outcome_lines(const Step& step, EmuTime now) {
  std::vector<Json> lines;
  auto add = [&](Json json) {
    json["t"] = to_seconds(now);
    lines.push_back(std::move(json));
  };
  for (const Action& action : step.actions) add(to_json(action));
  for (const Event& event : step.refused) {
    add(to_json(event));
    lines.back()["by"] = "engine";
  }
  for (const PolicyNote& note : step.notes) add(to_json(note));
  for (const PolicyNote& note : step.capacity_notes) add(to_json(note));
  for (const JobFinished& job : step.finished)
    add({{"type", "job_finished"},
         {"job", job.job.value},
         {"state", name_of(job.state)},
         {"reason", job.reason}});
  return lines;
}

std::string sample_line(EmuTime now, const NodeHeartbeat& heartbeat, double cpu_cores,
                        EmuBytes memory) {
  LineText line;
  line << R"({"t":)" << to_seconds(now) << R"(,"node":)" << heartbeat.node.value
       << R"(,"cpu_cores":)" << cpu_cores << R"(,"memory":)" << memory.count()
       << R"(,"containers":[)";
  std::string_view before = "[";
  for (const ContainerUse& use : heartbeat.containers) {
    line << std::exchange(before, ",[") << use.container.value << "," << to_core_seconds(use.cpu)
         << "," << use.memory.count() << "," << use.progress;
    if (use.disk != EmuBytes(0) || use.network != EmuBytes(0))
      line << "," << use.disk.count() << "," << use.network.count();
    line << "]";
  }
  line << "]}\n";
  return line.take();
}

Json policy_json(const PolicySpec& policy) {
  Json json = {{"preset", policy.preset}};
  for (const std::string& part : policy_parts()) json[part] = policy_value(policy, part);
  for (const PolicyOption& option : policy_options())
    json[option.name] = policy_value(policy, option.name);
  return json;
}

}  // namespace heddle::wire
