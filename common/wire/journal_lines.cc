#include "common/wire/journal_lines.h"

#include <charconv>

#include "common/wire/values.h"
#include "core/policy/table.h"

namespace heddle::wire {
namespace {

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

Json event_line(const Event& event, const JournalLines::Times& times) {
  Json json = to_json(event);
  // What the engine refused is an outcome; a refusal among a step's events came from a worker.
  if (std::holds_alternative<ActionRefused>(event.what)) json["by"] = "worker";
  const auto* started = std::get_if<ContainerStarted>(&event.what);
  if (!started || !times) return json;
  auto it = times->launch_ms.find(started->container);
  if (it != times->launch_ms.end()) json["launch_ms"] = it->second;
  return json;
}

/// The shortest text that reads back as that number. REQUIRES: it is finite.
template <class Number>
std::string number_text(Number number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
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
  std::vector<Json> outcome = outcome_lines(step, now);
  // Beyond what heartbeats alone bring about.
  const bool decided = step.remembers || outcome.size() > step.capacity_notes.size();
  const bool heartbeats = heartbeats_ && (decided || step.measured != Measured::kNothing);
  std::vector<Json> lines;
  for (const Event& event : events) {
    const auto* heartbeat = std::get_if<NodeHeartbeat>(&event.what);
    if (heartbeat && !heartbeats) {
      ++silent_heartbeats_;
      continue;
    }
    lines.push_back(event_line(event, times));
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

std::string JournalLines::leaving(EmuTime now, std::string_view status, const std::string& reason,
                                  const Times& times) const {
  std::string out;
  put_line({{"type", "leaving"}, {"status", status}, {"reason", reason}, {"t", to_seconds(now)}},
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
  // Most of what a run writes: put together by hand, as Json takes three times as long.
  std::string line = "{\"t\":" + number_text(to_seconds(now)) +
                     ",\"node\":" + number_text(heartbeat.node.value) +
                     ",\"cpu_cores\":" + number_text(cpu_cores) +
                     ",\"memory\":" + number_text(memory.count()) + ",\"containers\":[";
  for (const ContainerUse& use : heartbeat.containers) {
    if (line.back() == ']') line += ',';
    line += '[';
    line += number_text(use.container.value) + ',' + number_text(to_core_seconds(use.cpu)) + ',' +
            number_text(use.memory.count()) + ',' + number_text(use.progress);
    if (use.disk != EmuBytes(0) || use.network != EmuBytes(0))
      line += ',' + number_text(use.disk.count()) + ',' + number_text(use.network.count());
    line += ']';
  }
  return line + "]}\n";
}

Json policy_json(const PolicySpec& policy) {
  Json json = {{"preset", policy.preset}};
  for (const std::string& part : policy_parts()) json[part] = policy_value(policy, part);
  for (const PolicyOption& option : policy_options())
    json[option.name] = policy_value(policy, option.name);
  return json;
}

}  // namespace heddle::wire
