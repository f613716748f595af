// Tests what is known about running runs, and the text of their metrics.

#include "serve/live.h"

#include <map>
#include <optional>
#include <regex>
#include <sstream>

#include "serve/metrics.h"
#include "tests/support/matchers.h"

namespace heddle::serve {

wire::Progress progress(std::int64_t events, std::vector<std::string> last) {
  wire::Progress p;
  p.scenario = "s";
  p.policy = "fifo";
  p.events = events;
  p.last_events = std::move(last);
  return p;
}

std::string texts(const LiveRun& run) {
  std::string all;
  for (const LiveEvent& event : run.events) all += event.text + ";";
  return all;
}

TEST(EventOf, HasATimeAndASentence) {
  EXPECT_EQ(event_of("12.5 s  job sort started").t, 12.5);
  EXPECT_EQ(event_of("12.5 s  job sort started").text, "job sort started");
  EXPECT_EQ(event_of("job sort started").text, "job sort started");
  EXPECT_EQ(event_of("job sort started").t, 0);
  EXPECT_EQ(event_of("").text, "");
}

TEST(Take, AddsOnlyNewEvents) {
  LiveRun run;
  take(progress(2, {"1.0 s  a", "2.0 s  b"}), run);
  take(progress(2, {"1.0 s  a", "2.0 s  b"}), run);
  take(progress(3, {"1.0 s  a", "2.0 s  b", "3.0 s  c"}), run);
  EXPECT_EQ(texts(run), "a;b;c;");
  // Messages were missed: event 4 is not in the list of the last ones.
  take(progress(6, {"5.0 s  e", "6.0 s  f"}), run);
  EXPECT_EQ(texts(run), "a;b;c;e;f;");
}

TEST(Take, AResumedMasterCountsFromTheBeginning) {
  LiveRun run;
  take(progress(5, {"5.0 s  e"}), run);
  take(progress(1, {"6.0 s  resumed"}), run);
  EXPECT_EQ(texts(run), "e;resumed;");
}

TEST(Take, KeepsAHundredEvents) {
  LiveRun run;
  for (int i = 1; i <= 150; ++i) take(progress(i, {"1.0 s  e" + std::to_string(i)}), run);
  ASSERT_EQ(run.events.size(), 100u);
  EXPECT_EQ(run.events.front().text, "e51");
  EXPECT_EQ(run.events.back().text, "e150");
}

/// A metric as this small parser of the text format reads it.
struct Metric {
  std::string type, help;
  std::map<std::string, double> values;  ///< by the text of the labels
};

/// Parses Prometheus's text format, version 0.0.4, as far as metrics without timestamps need it.
/// Returns nullopt and reports a failure if a line is wrong, a sample has no TYPE and HELP line
/// before it, samples of a metric are apart, or a sample comes twice.
std::optional<std::map<std::string, Metric>> parse_metrics(const std::string& text) {
  static const std::regex comment(R"(# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+))");
  static const std::regex sample(
      R"(([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\n"])*",?)*\})? (\S+))");
  std::map<std::string, Metric> metrics;
  std::string current;
  if (!text.empty() && text.back() != '\n') {
    ADD_FAILURE() << "the last line has no end";
    return std::nullopt;
  }
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    const auto wrong = [&](const char* what) -> std::optional<std::map<std::string, Metric>> {
      ADD_FAILURE() << what << ": " << line;
      return std::nullopt;
    };
    if (std::regex_match(line, match, comment)) {
      if (match[2] != current && metrics.count(match[2])) return wrong("the metric began before");
      current = match[2];
      std::string& place = match[1] == "HELP" ? metrics[current].help : metrics[current].type;
      if (!place.empty()) return wrong("twice");
      place = match[3];
    } else if (std::regex_match(line, match, sample)) {
      if (match[1] != current) return wrong("not in its metric");
      Metric& metric = metrics[current];
      if (metric.type != "gauge" && metric.type != "counter") return wrong("no type");
      if (metric.help.empty()) return wrong("no help");
      std::size_t end = 0;
      const std::string number = match[3];
      const double value = std::stod(number, &end);
      if (end != number.size()) return wrong("not a number");
      if (!metric.values.emplace(match[2], value).second) return wrong("twice");
    } else {
      return wrong("neither a comment nor a sample");
    }
  }
  return metrics;
}

LiveRun live_run() {
  LiveRun run;
  run.run = "3fa1c02b";
  run.progress = progress(0, {});
  wire::Progress& p = *run.progress;
  p.now_s = 12.5;
  p.jobs = 6;
  p.jobs_waiting = 1;
  p.jobs_running = 2;
  p.jobs_done = 3;
  p.tasks = 40;
  p.tasks_done = 10;
  p.containers_running = 7;
  p.work = 0.25;
  p.events_of_kind[static_cast<std::size_t>(wire::EventKind::kMemoryKill)] = 5;
  p.decisions = 20;
  p.decision_s = 0.5;
  wire::Progress::Node node{"n1",
                            "alive",
                            {Millicores(4000), EmuBytes(8LL << 30)},
                            {Millicores(2500), EmuBytes(1LL << 30)}};
  node.used_cores = 1.5;
  node.used_memory = EmuBytes(512LL << 20);
  node.containers = 4;
  node.suspended = 1;
  p.nodes.push_back(node);
  node.name = "n2";
  node.state = "lost";
  p.nodes.push_back(node);
  return run;
}

TEST(MetricsText, IsPrometheusFormat) {
  LiveRun quiet;  // no message of its master has come yet
  quiet.run = "00000000";
  LiveRun odd = live_run();
  odd.run = "11111111";
  odd.progress->policy = "exec:a\"b\\c\nd";
  const auto metrics = parse_metrics(metrics_text({live_run(), quiet, odd}));
  ASSERT_TRUE(metrics);
  const std::string run = "{run=\"3fa1c02b\",scenario=\"s\",policy=\"fifo\"";
  const auto value = [&](const std::string& name, const std::string& labels) {
    const auto metric = metrics->find(name);
    if (metric == metrics->end() || !metric->second.values.count(run + labels + "}")) return -1.0;
    return metric->second.values.at(run + labels + "}");
  };
  EXPECT_EQ(value("heddle_time_seconds", ""), 12.5);
  EXPECT_EQ(value("heddle_jobs", ",state=\"waiting\""), 1);
  EXPECT_EQ(value("heddle_jobs", ",state=\"running\""), 2);
  EXPECT_EQ(value("heddle_jobs", ",state=\"done\""), 3);
  EXPECT_EQ(value("heddle_jobs", ",state=\"failed\""), 0);
  EXPECT_EQ(value("heddle_tasks", ""), 40);
  EXPECT_EQ(value("heddle_tasks_done", ""), 10);
  EXPECT_EQ(value("heddle_work_ratio", ""), 0.25);
  EXPECT_EQ(value("heddle_containers_running", ""), 7);
  EXPECT_EQ(value("heddle_memory_kills_total", ""), 5);
  EXPECT_EQ(value("heddle_decisions_total", ""), 20);
  EXPECT_EQ(value("heddle_decision_seconds_total", ""), 0.5);
  EXPECT_EQ(metrics->at("heddle_decisions_total").type, "counter");
  EXPECT_EQ(metrics->at("heddle_tasks_done").type, "gauge");
  EXPECT_EQ(value("heddle_node_up", ",node=\"n1\""), 1);
  EXPECT_EQ(value("heddle_node_up", ",node=\"n2\""), 0);
  EXPECT_EQ(value("heddle_node_containers", ",node=\"n1\""), 4);
  EXPECT_EQ(value("heddle_node_containers_suspended", ",node=\"n1\""), 1);
  EXPECT_EQ(value("heddle_node_cores", ",node=\"n1\""), 4);
  EXPECT_EQ(value("heddle_node_cores_allocated", ",node=\"n1\""), 2.5);
  EXPECT_EQ(value("heddle_node_cores_used", ",node=\"n1\""), 1.5);
  EXPECT_EQ(value("heddle_node_memory_bytes", ",node=\"n1\""), 8589934592.0);
  EXPECT_EQ(value("heddle_node_memory_allocated_bytes", ",node=\"n1\""), 1073741824.0);
  EXPECT_EQ(value("heddle_node_memory_used_bytes", ",node=\"n1\""), 536870912.0);
  EXPECT_TRUE(metrics->at("heddle_tasks")
                  .values.count(R"({run="11111111",scenario="s",policy="exec:a\"b\\c\nd"})"));
}

TEST(MetricsText, WithoutRunsHasNoSamples) {
  const auto metrics = parse_metrics(metrics_text({}));
  ASSERT_TRUE(metrics);
  for (const auto& [name, metric] : *metrics) EXPECT_THAT(metric.values, IsEmpty()) << name;
}

TEST(LiveJson, SaysOnlyWhatIsKnown) {
  LiveRun run;
  run.run = "3fa1c02b";
  EXPECT_EQ(live_json(run, "0/a").dump(), R"({"id":"0/a","run":"3fa1c02b"})");
  EXPECT_EQ(live_json(live_run(), "0/a")["tasks_done"], 10);
  EXPECT_TRUE(live_json(live_run(), "0/a")["left_s"].is_null());
}

}  // namespace heddle::serve
