#include "serve/metrics.h"

#include <fmt/core.h>

#include <functional>

namespace heddle::serve {
namespace {

using wire::Progress;
using Labels = std::vector<std::pair<std::string, std::string>>;

/// Returns {name="value",…}. A backslash, a quote and the end of a line have to be escaped.
std::string label_text(const Labels& labels) {
  std::string text;
  for (const auto& [name, value] : labels) {
    text += (text.empty() ? "{" : ",") + name + "=\"";
    for (char c : value) {
      if (c == '\n')
        text += "\\n";
      else if (c == '\\' || c == '"')
        text += std::string("\\") + c;
      else
        text += c;
    }
    text += '"';
  }
  return text + "}";
}

Labels labels_of(const LiveRun& run) {
  return {{"run", run.run}, {"scenario", run.progress->scenario}, {"policy", run.progress->policy}};
}

/// Writes the text, metric by metric, as the format demands.
class Metrics {
 public:
  explicit Metrics(const std::vector<LiveRun>& runs) : runs_(runs) {}

  void begin(const char* name, const char* help) {
    const char* type = std::string_view(name).ends_with("_total") ? "counter" : "gauge";
    text_ += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
  }
  void line(const char* name, const Labels& labels, double value) {
    text_ += fmt::format("{}{} {}\n", name, label_text(labels), value);
  }
  void of_runs(const char* name, const char* help,
               const std::function<double(const Progress&)>& value) {
    begin(name, help);
    for (const LiveRun& run : runs_)
      if (run.progress) line(name, labels_of(run), value(*run.progress));
  }
  void of_nodes(const char* name, const char* help,
                const std::function<double(const Progress::Node&)>& value) {
    begin(name, help);
    for (const LiveRun& run : runs_) {
      if (!run.progress) continue;
      Labels labels = labels_of(run);
      labels.emplace_back("node", "");
      for (const Progress::Node& node : run.progress->nodes) {
        labels.back().second = node.name;
        line(name, labels, value(node));
      }
    }
  }
  void jobs() {
    begin("heddle_jobs", "Number of jobs in this state.");
    for (const LiveRun& run : runs_) {
      if (!run.progress) continue;
      const Progress& p = *run.progress;
      Labels labels = labels_of(run);
      labels.emplace_back("state", "");
      for (const auto& [state, count] : {std::pair{"waiting", p.jobs_waiting},
                                         {"running", p.jobs_running},
                                         {"done", p.jobs_done},
                                         {"failed", p.jobs_failed}}) {
        labels.back().second = state;
        line("heddle_jobs", labels, count);
      }
    }
  }
  std::string text() && { return std::move(text_); }

 private:
  const std::vector<LiveRun>& runs_;
  std::string text_;
};

double cores_of(const Resources& resources) {
  return static_cast<double>(resources.cores.count()) / 1e3;
}
double bytes_of(const Resources& resources) {
  return static_cast<double>(resources.memory.count());
}

}  // namespace

std::string metrics_text(const std::vector<LiveRun>& runs) {
  Metrics m(runs);
  m.of_runs("heddle_time_seconds", "Emulated time of the run.",
            [](const Progress& p) { return p.now_s; });
  m.jobs();
  m.of_runs("heddle_tasks", "Number of tasks of all jobs.",
            [](const Progress& p) { return p.tasks; });
  m.of_runs("heddle_tasks_done", "Number of tasks that completed.",
            [](const Progress& p) { return p.tasks_done; });
  m.of_runs("heddle_work_ratio", "Approximate share of all work that is done, 0 to 1.",
            [](const Progress& p) { return p.work; });
  m.of_runs("heddle_containers_running", "Number of running containers.",
            [](const Progress& p) { return p.containers_running; });
  m.of_runs("heddle_memory_kills_total", "Containers that were killed for lack of memory.",
            [](const Progress& p) {
              constexpr auto kKills = static_cast<std::size_t>(wire::EventKind::kMemoryKill);
              return static_cast<double>(p.events_of_kind[kKills]);
            });
  m.of_runs("heddle_decisions_total", "Number of decisions of the policy.",
            [](const Progress& p) { return static_cast<double>(p.decisions); });
  m.of_runs("heddle_decision_seconds_total", "Real time that the decisions took.",
            [](const Progress& p) { return p.decision_s; });
  m.of_nodes("heddle_node_up", "1 if the node's worker is connected and the node is not drained.",
             [](const Progress::Node& node) { return node.state == "alive"; });
  m.of_nodes("heddle_node_containers", "Number of containers on the node.",
             [](const Progress::Node& node) { return node.containers; });
  m.of_nodes("heddle_node_containers_suspended", "Number of suspended containers on the node.",
             [](const Progress::Node& node) { return node.suspended; });
  m.of_nodes("heddle_node_cores", "Emulated cores of the node.",
             [](const Progress::Node& node) { return cores_of(node.capacity); });
  m.of_nodes("heddle_node_cores_allocated", "Emulated cores that containers hold.",
             [](const Progress::Node& node) { return cores_of(node.allocated); });
  m.of_nodes("heddle_node_cores_used", "Emulated cores in use, mean of a heartbeat period.",
             [](const Progress::Node& node) { return node.used_cores; });
  m.of_nodes("heddle_node_memory_bytes", "Emulated memory of the node.",
             [](const Progress::Node& node) { return bytes_of(node.capacity); });
  m.of_nodes("heddle_node_memory_allocated_bytes", "Emulated memory that containers hold.",
             [](const Progress::Node& node) { return bytes_of(node.allocated); });
  m.of_nodes(
      "heddle_node_memory_used_bytes", "Emulated memory in use at the last heartbeat.",
      [](const Progress::Node& node) { return static_cast<double>(node.used_memory.count()); });
  return std::move(m).text();
}

}  // namespace heddle::serve
