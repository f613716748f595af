// Reactions of `heddle run` to ends of processes and to signals: the cases of run_watch.yaml. A
// line of a case is a time, an event (happen() below), what is done because of it, and what is so
// then (state_of() below).

#include "cli/run/run_watch.h"

#include <map>
#include <sstream>

#include "tests/support/compact_scenario.h"
#include "tests/support/matchers.h"

namespace heddle::cli::run_watch_test {

using namespace std::chrono_literals;
using YAML::Node;
using Words = std::vector<std::string>;
using Time = RunWatch::Time;

constexpr Time kT0 = Time(100s);

std::chrono::nanoseconds seconds(double s) {
  return std::chrono::round<std::chrono::milliseconds>(std::chrono::duration<double>(s));
}

/// Reads "killed" or an exit status.
host::ChildEnd end_of(const std::string& how) {
  return how == "killed" ? host::ChildEnd{9, true} : host::ChildEnd{std::stoi(how), false};
}

/// Reads one of: signal, time, hung (the master was silent for 30 s), deserted (no worker was there
/// for 30 s), master HOW, worker N HOW, workers HOW (both end), start N, register N.
RunWatch::Asked happen(const std::string& text, Time now, RunWatch& watch) {
  std::istringstream in(text);
  std::string what, how;
  std::size_t worker = 0;
  in >> what;
  if (what == "signal") return watch.on_signal(now);
  if (what == "time") return watch.on_time(now);
  if (what == "hung") return watch.on_hung_master(30s);
  if (what == "deserted") return watch.on_no_workers(30s, now);
  if (what == "master") return in >> how, watch.on_master_end(end_of(how), now);
  if (what == "worker")
    return in >> worker >> how, watch.on_worker_end(worker - 1, end_of(how), now);
  if (what == "workers") {
    in >> how;
    EXPECT_THAT(watch.on_worker_end(0, end_of(how), now).sentences, IsEmpty());
    return watch.on_worker_end(1, end_of(how), now);
  }
  in >> worker;
  what == "start" ? watch.on_started(worker - 1) : watch.on_registered(worker - 1);
  return {};
}

/// Returns what is asked for: "restart master", "restart worker 2", and sentences.
Words words_of(const RunWatch::Asked& asked) {
  static const std::map<Deed, std::string> kDeeds = {
      {Deed::kTerminateMaster, "terminate master"}, {Deed::kTerminateWorkers, "terminate workers"},
      {Deed::kKillWorkers, "kill workers"},         {Deed::kKillAll, "kill all"},
      {Deed::kKillMaster, "kill master"},           {Deed::kRestartMaster, "restart master"}};
  Words words;
  for (const Deed deed : asked.deeds) words.push_back(kDeeds.at(deed));
  for (const std::size_t worker : asked.restarts)
    words.push_back("restart worker " + std::to_string(worker + 1));
  words.insert(words.end(), asked.sentences.begin(), asked.sentences.end());
  return words;
}

/// Returns a part of the state as text.
std::string state_of(const RunWatch& watch, const std::string& name) {
  const auto yes = [](bool it) { return it ? "true" : "false"; };
  if (name == "over") return yes(watch.over());
  if (name == "ending") return yes(watch.ending());
  if (name == "deserted") return yes(watch.no_workers());
  if (name == "status") return std::to_string(watch.status());
  if (name != "next") return "unknown: " + name;
  if (!watch.next_time()) return "none";
  std::ostringstream text;
  text << std::chrono::duration<double>(*watch.next_time() - kT0).count();
  return text.str();
}

/// Returns a watch of n1, n2, … `kills` has the planned kills of workers, each with the time until
/// the restart. Workers have started and registered unless the case says otherwise.
RunWatch watch_of(const Node& it) {
  const auto count = it["workers"].as<std::size_t>(2);
  Words nodes;
  std::vector<RunWatch::PlannedKills> kills(count);
  for (std::size_t i = 1; i <= count; ++i) nodes.push_back("n" + std::to_string(i));
  for (const auto& worker : it["kills"])
    for (const Node& restart : worker.second)
      kills[worker.first.as<std::size_t>() - 1].push_back(
          restart.IsNull() ? std::nullopt : std::optional(seconds(restart.as<double>())));
  RunWatch watch(nodes, kills);
  if (it["unregistered"]) return watch;
  for (std::size_t i = 0; i < count; ++i) {
    watch.on_started(i);
    watch.on_registered(i);
  }
  return watch;
}

class RunWatchCase : public testing::TestWithParam<tests::Case> {};

TEST_P(RunWatchCase, DoesWhatItShould) {
  RunWatch watch = watch_of(GetParam().node);
  for (const Node& line : GetParam().node["do"]) {
    SCOPED_TRACE(testing::Message() << GetParam().place << ": " << line);
    const auto event = line[1].as<std::string>();
    EXPECT_EQ(words_of(happen(event, kT0 + seconds(line[0].as<double>()), watch)),
              line[2].as<Words>());
    if (line.size() < 4) continue;
    for (const auto& entry : line[3])
      EXPECT_EQ(state_of(watch, entry.first.as<std::string>()), entry.second.as<std::string>())
          << entry.first.as<std::string>();
  }
}

INSTANTIATE_TEST_SUITE_P(Cli, RunWatchCase,
                         testing::ValuesIn(tests::cases_of("cli/run_watch.yaml")),
                         [](const auto& test) { return test.param.name; });

TEST(RunWatch, WorkersOfOtherHostsAreNotThisProcesss) {
  EXPECT_FALSE(RunWatch(Words()).no_workers());
}

}  // namespace heddle::cli::run_watch_test
