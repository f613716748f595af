// Schedules that were computed by hand: the files of schedules/. A file is a map of cases, by their
// names. A case is a scenario (tests/support/compact_scenario.h) with two more keys: `happens`,
// which has what goes wrong in the run (disturb() below), and `expect`, which has what the run must
// show (kChecks below). `but` is a list of changes to the case, each with its own `expect`, which
// can also say that the run is the `same`. The file's case `each` is the base of all others.

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <sstream>

#include "tests/core/names.h"
#include "tests/core/virtual_cluster.h"
#include "tests/support/compact_scenario.h"
#include "tests/support/matchers.h"
#include "tests/support/text.h"

namespace heddle::schedules_test {

using YAML::Node;
using Words = std::vector<std::string>;

Outcome outcome_called(const std::string& word) {
  static const std::map<std::string, Outcome> words = {{"failed", Outcome::kFailed},
                                                       {"out of memory", Outcome::kOomKilled},
                                                       {"lost", Outcome::kLost},
                                                       {"killed", Outcome::kKilled},
                                                       {"completed", Outcome::kCompleted}};
  return words.at(word);
}

/// Makes happen what the map says:
///   fail: {j.map.0: [2, failed]}   # the task's first two attempts end so
///   lose: {n2: 15}                 # the node is lost at 15 s
///   end: [1, failed, 22]           # of the containers that run at 22 s, the second ends so
///   reads_take: 4                  # seconds; likewise stops_take, the time of a suspension
///   refuse_suspensions: 2          # the worker refuses that many
void disturb(const Scenario& scenario, const Node& happens, VirtualCluster& cluster) {
  for (const auto& entry : happens) {
    const auto key = entry.first.as<std::string>();
    const Node& value = entry.second;
    if (key == "fail")
      for (const auto& task : value)
        cluster.make_fail(task_called(scenario, task.first.as<std::string>()),
                          task.second[0].as<int>(),
                          outcome_called(task.second[1].as<std::string>()));
    else if (key == "lose")
      for (const auto& node : value)
        cluster.lose_node(node_called(scenario, node.first.as<std::string>()),
                          node.second.as<double>());
    else if (key == "end")
      cluster.end_one(value[0].as<std::size_t>(), outcome_called(value[1].as<std::string>()),
                      value[2].as<double>());
    else if (key == "reads_take")
      cluster.set_read_time(value.as<double>());
    else if (key == "stops_take")
      cluster.set_stop_time(value.as<double>());
    else if (key == "refuse_suspensions")
      cluster.refuse_suspensions(value.as<int>());
    else
      ADD_FAILURE() << "unknown: " << key;
  }
}

/// Matches a text of which the pattern leaves something out: "…" stands for any text.
MATCHER_P(Like, pattern, "is like " + testing::PrintToString(pattern)) {
  static const std::string kAny = "…";
  std::size_t at = 0;
  std::string rest = pattern;
  for (std::size_t gap = rest.find(kAny); gap != rest.npos; gap = rest.find(kAny)) {
    const std::size_t found = arg.find(rest.substr(0, gap), at);
    if (found == arg.npos || (at == 0 && rest == pattern && found != 0)) return false;
    at = found + gap;
    rest.erase(0, gap + kAny.size());
  }
  return rest == pattern ? arg == rest : arg.size() >= at + rest.size() && arg.ends_with(rest);
}

std::vector<testing::Matcher<std::string>> lines(const Node& list) {
  std::vector<testing::Matcher<std::string>> all;
  for (const Node& one : list) all.push_back(Like(one.as<std::string>()));
  return all;
}

/// Compares the lines with the list. If the last entry of the list is "…", more lines may follow.
void expect_lines(Words got, const Node& list) {
  auto expected = lines(list);
  if (list.size() > 0 && list[list.size() - 1].as<std::string>() == "…") {
    expected.pop_back();
    got.resize(std::min(got.size(), expected.size()));
  }
  EXPECT_THAT(got, testing::ElementsAreArray(expected));
}

/// Expects that the lines with a word are those of the list, for each word of the map.
void expect_lines_with(const Words& all, const Node& by_word,
                       const std::function<Words(const Words&)>& shown) {
  for (const auto& entry : by_word) {
    const auto word = entry.first.as<std::string>();
    SCOPED_TRACE("lines with \"" + word + "\"");
    expect_lines(shown(lines_with(all, word)), entry.second);
  }
}

void expect_seconds(const Node& by_job, const std::function<double(const std::string&)>& got) {
  for (const auto& entry : by_job) {
    const auto job = entry.first.as<std::string>();
    EXPECT_NEAR(got(job), entry.second.as<double>(), 1e-9) << job;
  }
}

/// Returns the place and the size of each launch: "j.0 on n1 1.5 2" (task, node, cores, GiB).
Words sizes(const Scenario& scenario, const VirtualCluster& cluster) {
  Words all;
  for (const Action& action : cluster.launches()) {
    const auto& launch = std::get<Launch>(action.what);
    std::ostringstream text;
    text.precision(3);
    text << scenario.jobs[launch.phase.job.value].name << "." << launch.task << " on "
         << scenario.cluster.nodes[launch.node.value].name << " "
         << static_cast<double>(launch.resources.cores.count()) / 1e3 << " "
         << static_cast<double>(launch.resources.memory.count()) / (1LL << 30);
    all.push_back(text.str());
  }
  return all;
}

/// Returns the devices of each launch: "j.0 on n1 gpu 0 3".
Words devices(const Scenario& scenario, const VirtualCluster& cluster) {
  Words all;
  for (const Action& action : cluster.launches()) {
    const auto& launch = std::get<Launch>(action.what);
    std::string text = scenario.jobs[launch.phase.job.value].name + "." +
                       std::to_string(launch.task) + " on " +
                       scenario.cluster.nodes[launch.node.value].name;
    for (std::size_t i = 0; i < scenario.cluster.resources.size(); ++i)
      if (launch.resources.counts.has_devices(i)) {
        text += " " + scenario.cluster.resources[i].name;
        for (int number : numbers_of(launch.resources.counts.devices(i)))
          text += " " + std::to_string(number);
      }
    all.push_back(text);
  }
  return all;
}

Words reasons(const VirtualCluster& cluster) {
  Words all;
  for (const Action& launch : cluster.launches()) all.push_back(launch.reason);
  return all;
}

Words launched_for(const VirtualCluster& cluster, const std::string& reason) {
  const Words launches = lines_with(cluster.log(), " launch ");
  Words all;
  for (std::size_t i = 0; i < launches.size(); ++i)
    if (cluster.launches()[i].reason == reason) all.push_back(launches[i]);
  return by_time(all);
}

/// Returns the jobs that get a container at 0 s, in order.
Words first_round(const VirtualCluster& cluster) {
  Words jobs;
  for (const std::string& line : lines_with(cluster.log(), "0.0 launch "))
    if (line.starts_with("0.0")) jobs.push_back(line.substr(11, line.find('.', 4) - 11));
  return jobs;
}

/// Returns "completed", "failed: its reason", "killed: its reason" or "cancelled: its reason".
std::string end_of(const Job& job) {
  if (job.state() == JobState::kCompleted) return "completed";
  return (job.state() == JobState::kKilled      ? "killed: "
          : job.state() == JobState::kCancelled ? "cancelled: "
                                                : "failed: ") +
         job.failure();
}

using Check = std::function<void(const Scenario&, const VirtualCluster&, const Node&)>;

const std::map<std::string, Check> kChecks = {
    // All actions, those of one time in one line (by_time).
    {"log", [](auto&, auto& run, auto& list) { expect_lines(by_time(run.log()), list); }},
    // Lines of the log, among others: single actions, or all of one time.
    {"has",
     [](auto&, auto& run, auto& list) {
       Words all = by_time(run.log());
       all.insert(all.end(), run.log().begin(), run.log().end());
       for (const auto& one : lines(list)) EXPECT_THAT(all, Contains(one));
     }},
    // By word: all actions that have it, those of one time in one line.
    {"with", [](auto&, auto& run, auto& map) { expect_lines_with(run.log(), map, by_time); }},
    // Numbers of actions and notes, by a word that they have.
    {"counts",
     [](auto&, auto& run, auto& map) {
       Words all = run.log();
       all.insert(all.end(), run.notes().begin(), run.notes().end());
       for (const auto& entry : map)
         EXPECT_THAT(lines_with(all, entry.first.template as<std::string>()),
                     SizeIs(entry.second.template as<std::size_t>()));
     }},
    // Notes, among others.
    {"noted",
     [](auto&, auto& run, auto& list) {
       for (const auto& one : lines(list)) EXPECT_THAT(run.notes(), Contains(one));
     }},
    // By word: all notes that have it.
    {"notes",
     [](auto&, auto& run, auto& map) {
       expect_lines_with(run.notes(), map, [](const Words& notes) { return notes; });
     }},
    // By reason: all launches for it.
    {"for_reason",
     [](auto&, auto& run, auto& map) {
       for (const auto& entry : map)
         expect_lines(launched_for(run, entry.first.template as<std::string>()), entry.second);
     }},
    // The reasons of all launches, and their sizes.
    {"reasons", [](auto&, auto& run, auto& list) { expect_lines(reasons(run), list); }},
    // The number of launches on a node that has the task's data.
    {"local",
     [](auto&, auto& run, auto& count) {
       EXPECT_EQ(std::ranges::count_if(run.launches(),
                                       [](const Action& action) {
                                         return std::get<Launch>(action.what).locality ==
                                                Locality::kLocal;
                                       }),
                 count.template as<int>());
     }},
    {"sizes",
     [](auto& scenario, auto& run, auto& list) { expect_lines(sizes(scenario, run), list); }},
    {"devices",
     [](auto& scenario, auto& run, auto& list) { expect_lines(devices(scenario, run), list); }},
    {"first", [](auto&, auto& run, auto& list) { expect_lines(first_round(run), list); }},
    // By time: the containers that each job gets then.
    {"launched",
     [](auto&, auto& run, auto& map) {
       using Counts = std::map<std::string, int>;
       for (const auto& entry : map)
         EXPECT_EQ(run.launched(entry.first.template as<double>()),
                   entry.second.template as<Counts>());
     }},
    // Seconds, by job: from the submission to the first task, and until the end of the last task.
    {"wait",
     [](auto&, auto& run, auto& map) {
       expect_seconds(map, [&](const std::string& job) { return run.wait_s(job); });
     }},
    {"finish",
     [](auto&, auto& run, auto& map) {
       expect_seconds(map, [&](const std::string& job) { return run.finish_s(job); });
     }},
    {"makespan",
     [](auto&, auto& run, auto& s) { EXPECT_EQ(run.makespan_s(), s.template as<double>()); }},
    // By job: how it ended (end_of), and the number of its completed tasks.
    {"ends",
     [](auto& scenario, auto& run, auto& map) {
       for (const auto& entry : map)
         EXPECT_EQ(
             end_of(run.state().job(job_called(scenario, entry.first.template as<std::string>()))),
             entry.second.template as<std::string>());
     }},
    {"completed",
     [](auto& scenario, auto& run, auto& map) {
       for (const auto& entry : map)
         EXPECT_EQ(run.state()
                       .job(job_called(scenario, entry.first.template as<std::string>()))
                       .completed_tasks(),
                   entry.second.template as<int>());
     }},
    // By task: its attempts.
    {"attempts",
     [](auto& scenario, auto& run, auto& map) {
       for (const auto& entry : map) {
         const TaskId task = task_called(scenario, entry.first.template as<std::string>());
         EXPECT_EQ(run.state().job(task.phase.job).attempts(task.phase.phase, task.index),
                   entry.second.template as<int>());
       }
     }},
    // The times of the steps that a journal must have: some of them, and all.
    {"remembers",
     [](auto&, auto& run, auto& list) {
       EXPECT_THAT(run.remembered_s(),
                   testing::IsSupersetOf(list.template as<std::vector<double>>()));
     }},
    {"remembered",
     [](auto&, auto& run, auto& list) {
       EXPECT_EQ(run.remembered_s(), list.template as<std::vector<double>>());
     }},
};

/// Runs the case and checks what it expects. Returns the log and the notes.
Words run_and_check(const Node& it) {
  Node plain = YAML::Clone(it);
  for (const char* key : {"happens", "expect", "but"}) plain.remove(key);
  const Scenario scenario = tests::compact_scenario(plain);
  VirtualCluster cluster(scenario);
  disturb(scenario, it["happens"], cluster);
  cluster.finish();
  EXPECT_THAT(cluster.state().containers(), IsEmpty());
  EXPECT_EQ(cluster.state().am_allocated(), Resources{});
  EXPECT_TRUE(it["expect"].IsMap() && it["expect"].size() > 0) << "nothing is expected";
  for (const auto& entry : it["expect"]) {
    const auto key = entry.first.as<std::string>();
    SCOPED_TRACE(key);
    if (key == "same") continue;
    const auto check = kChecks.find(key);
    EXPECT_NE(check, kChecks.end()) << "unknown";
    if (check != kChecks.end()) check->second(scenario, cluster, entry.second);
  }
  Words all = cluster.log();
  all.insert(all.end(), cluster.notes().begin(), cluster.notes().end());
  return all;
}

class Schedule : public testing::TestWithParam<tests::Case> {};

TEST_P(Schedule, IsAsComputedByHand) {
  SCOPED_TRACE(GetParam().place);
  const Node& it = GetParam().node;
  const Words first = it["expect"] ? run_and_check(it) : Words{};
  Node base = YAML::Clone(it);
  base.remove("expect");
  for (std::size_t i = 0; it["but"] && i < it["but"].size(); ++i) {
    SCOPED_TRACE("but " + std::to_string(i + 1));
    const Words then = run_and_check(tests::merged(base, it["but"][i]));
    if (it["but"][i]["expect"]["same"]) {
      EXPECT_EQ(then, first);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Core, Schedule, testing::ValuesIn(tests::cases_of("core/schedules")),
                         [](const auto& test) { return test.param.name; });

}  // namespace heddle::schedules_test
