#include "cli/top/top_columns.h"
#include "cli/top/top_runs.h"
#include "cli/top/top_view.h"
#include "tests/support/matchers.h"

namespace heddle::cli::top_test {

constexpr std::int64_t kGiB = 1LL << 30;

// Keys.

std::vector<int> keys(std::string bytes) { return take_keys(bytes); }

TEST(TopKeys, CharactersAndSequences) {
  EXPECT_THAT(keys("q?"), ElementsAre('q', '?'));
  EXPECT_THAT(keys("\033[A\033[B\033OA\033OB"),
              ElementsAre(Key::kUp, Key::kDown, Key::kUp, Key::kDown));
  EXPECT_THAT(
      keys("\033[5~\033[6~\033[H\033[4~\033[Z\t"),
      ElementsAre(Key::kPageUp, Key::kPageDown, Key::kHome, Key::kEnd, Key::kBackTab, '\t'));
}

TEST(TopKeys, UnknownSequencesAreNoKeys) {
  EXPECT_THAT(keys("\033[1;5Cq"), ElementsAre('q'));
  EXPECT_THAT(keys("\033q"), ElementsAre('q'));
  EXPECT_THAT(keys("\033\033[A"), ElementsAre(Key::kUp));
}

TEST(TopKeys, TheBeginningOfOneStays) {
  std::string bytes = "w\033[";
  EXPECT_THAT(take_keys(bytes), ElementsAre('w'));
  bytes += "5";
  EXPECT_THAT(take_keys(bytes), IsEmpty());
  bytes += "~n";
  EXPECT_THAT(take_keys(bytes), ElementsAre(Key::kPageUp, 'n'));
  EXPECT_EQ(bytes, "");
}

TopState after(const std::vector<int>& pressed, TopExtent extent = {100, 10}) {
  TopState state;
  for (int key : pressed) state = on_key(state, key, extent);
  return state;
}

TEST(TopKeys, Views) {
  EXPECT_EQ(after({'2'}).view, TopState::kJobs);
  EXPECT_EQ(after({'3', '1'}).view, TopState::kNodes);
  EXPECT_EQ(after({'\t', '\t'}).view, TopState::kEvents);
  EXPECT_EQ(after({'\t', '\t', '\t'}).view, TopState::kNodes);
  EXPECT_EQ(after({Key::kBackTab}).view, TopState::kEvents);
}

TEST(TopKeys, SortPauseHelpQuit) {
  EXPECT_EQ(after({'l'}).sort, TopState::kLoad);
  EXPECT_EQ(after({'l', 'w'}).sort, TopState::kWaiting);
  EXPECT_EQ(after({'w', 'n'}).sort, TopState::kName);
  EXPECT_TRUE(after({'p'}).paused);
  EXPECT_FALSE(after({'p', 'p'}).paused);
  EXPECT_TRUE(after({'?'}).help);
  EXPECT_EQ(after({'?', '2'}), TopState());  // the key only closes the help
  EXPECT_TRUE(after({'q'}).quit);
  EXPECT_TRUE(after({'?', 'q'}).quit);
  EXPECT_EQ(after({'x', 0, 300}), TopState());
}

TEST(TopKeys, ScrollingStaysWithinTheRows) {
  EXPECT_EQ(after({Key::kUp}).scroll[0], 0);
  EXPECT_EQ(after({Key::kDown, Key::kDown, Key::kUp}).scroll[0], 1);
  EXPECT_EQ(after({Key::kPageDown, Key::kPageDown}).scroll[0], 20);
  EXPECT_EQ(after({Key::kPageDown, Key::kPageUp, Key::kPageUp}).scroll[0], 0);
  EXPECT_EQ(after({Key::kEnd}).scroll[0], 90);
  EXPECT_EQ(after({Key::kEnd, Key::kDown}).scroll[0], 90);
  EXPECT_EQ(after({Key::kEnd, Key::kHome}).scroll[0], 0);
  EXPECT_EQ(after({Key::kEnd}, {5, 10}).scroll[0], 0);
  // Each view has its own scroll position.
  EXPECT_THAT(after({Key::kDown, '2', Key::kDown, Key::kDown}).scroll, ElementsAre(1, 2, 0));
}

// Columns.

TEST(FitColumns, LeftOutByRankInTheirOrder) {
  const std::vector<FitColumn> all = {{"name", 0, false, {"a", "bcd"}},
                                      {"x", 2, true, {"1", "22"}},
                                      {"", 3, false, {}, {{0.5, 0.5}, {1, 1}}},
                                      {"count", 1, true, {"7", ""}}};
  EXPECT_THAT(fit_columns(all, 2, 80, false),
              ElementsAre("name   x                            count",
                          "a      1  ############............      7",
                          "bcd   22  ########################"));
  EXPECT_THAT(
      fit_columns(all, 2, 23, false),
      ElementsAre("name   x          count", "a      1  ###...      7", "bcd   22  ######"));
  EXPECT_THAT(fit_columns(all, 2, 20, false),
              ElementsAre("name   x  count", "a      1      7", "bcd   22"));
  EXPECT_THAT(fit_columns(all, 2, 11, false), ElementsAre("name  count", "a         7", "bcd"));
  EXPECT_THAT(fit_columns(all, 2, 10, false), ElementsAre("name   x", "a      1", "bcd   22"));
  EXPECT_THAT(fit_columns(all, 2, 2, false), ElementsAre("na", "a", "bc"));
  EXPECT_THAT(fit_columns(all, 0, 80, false), ElementsAre(StartsWith("name")));
}

// Layout.

wire::Progress::Node node(const std::string& name, double used, double allocated) {
  wire::Progress::Node node{
      name, "alive", {Millicores(4000), EmuBytes(8 * kGiB)}, {Millicores(0), EmuBytes(0)}};
  node.allocated = {Millicores(std::llround(allocated * 1000)), EmuBytes(4 * kGiB)};
  node.used_cores = used;
  node.used_memory = EmuBytes(2 * kGiB);
  node.containers = 3;
  return node;
}

TopData data() {
  TopData data;
  wire::Progress& p = data.progress;
  p.scenario = "quick";
  p.policy = "fifo";
  p.now_s = 49;
  p.jobs = 3;
  p.jobs_done = 1;
  p.jobs_running = 1;
  p.jobs_waiting = 1;
  p.tasks = 40;
  p.tasks_done = 10;
  p.containers_running = 6;
  p.nodes = {node("n1", 1, 2), node("n2", 3.9, 4), node("n3", 2, 3)};
  p.nodes[2].suspended = 2;
  p.nodes[2].reserved = "sort";
  p.job_list = {{"count", "completed", 20, 20, 0, 0.1, 1},
                {"sort", "running", 18, 6, 6, 25.1, 0.4},
                {"late", "pending", 4, 0, 0, {}, 0},
                {"train", "pending", 9, 0, 0, 30, 0}};
  data.events = {"0.1 s  job count started", "45.8 s  job count completed"};
  data.left = TimeLeft{47, 9};
  return data;
}

std::vector<std::string> lines_of(const TopState& state, const Canvas& canvas,
                                  const TopData& of = data()) {
  std::vector<std::string> lines;
  for (const TopLine& line : lay_out(of, state, canvas).lines) {
    std::string text = line.text;
    text.erase(text.find_last_not_of(' ') + 1);
    lines.push_back(text);
  }
  return lines;
}

TEST(TopLayout, Nodes) {
  EXPECT_THAT(
      lines_of({}, {90, 10, false}),
      ElementsAre(
          "quick  fifo  49.0 s emulated, about 9 s left (47 s emulated)",
          "jobs   1 of 3 done, 1 running, 1 waiting",
          "tasks  ##########======........................ 10 of 40 done, 6 running",
          "[1 nodes] 2 jobs  3 events   by name",
          "node  state                  cores                    GiB  containers  suspended  held "
          "for",
          "n1    alive  ####===.......  1.0/4  ####===.......  2.0/8           3",
          "n2    alive  ##############  3.9/4  ####===.......  2.0/8           3",
          "n3    alive  #######====...  2.0/4  ####===.......  2.0/8           3          2  sort",
          "", "? help  q quit"));
}

TEST(TopLayout, Jobs) {
  TopState state;
  state.view = TopState::kJobs;
  const auto lines = lines_of(state, {80, 12, false});
  EXPECT_EQ(lines[3], " 1 nodes [2 jobs] 3 events   by name");
  EXPECT_EQ(lines[4],
            "job    state      tasks                             work  containers  waited");
  EXPECT_EQ(lines[5],
            "count  completed  20/20  ########################  100 %               0.1 s");
  EXPECT_EQ(lines[6],
            "sort   running     6/18  ##########..............   40 %           6  25.1 s");
  EXPECT_EQ(lines[7], "late   to come      0/4  ........................    0 %");
  EXPECT_EQ(lines[8],
            "train  waiting      0/9  ........................    0 %              30.0 s");
}

TEST(TopLayout, EventsNewestFirst) {
  TopState state;
  state.view = TopState::kEvents;
  const auto lines = lines_of(state, {80, 12, false});
  EXPECT_EQ(lines[3], " 1 nodes  2 jobs [3 events]");
  EXPECT_EQ(lines[5], "45.8 s  job count completed");
  EXPECT_EQ(lines[6], "0.1 s  job count started");
}

/// Returns the first word of each row.
std::vector<std::string> names(TopState state) {
  std::vector<std::string> names;
  for (const std::string& line : lines_of(state, {80, 30, false}))
    if (names.size() < 4 &&
        (line.starts_with("n") || line.starts_with("count") || line.starts_with("sort") ||
         line.starts_with("late") || line.starts_with("train")))
      if (!line.starts_with("node")) names.push_back(line.substr(0, line.find(' ')));
  return names;
}

TEST(TopLayout, Sorted) {
  TopState state;
  EXPECT_THAT(names(state), ElementsAre("n1", "n2", "n3"));
  state.sort = TopState::kLoad;
  EXPECT_THAT(names(state), ElementsAre("n2", "n3", "n1"));
  state.sort = TopState::kWaiting;
  EXPECT_THAT(names(state), ElementsAre("n3", "n1", "n2"));
  state.view = TopState::kJobs;
  EXPECT_THAT(names(state), ElementsAre("train", "sort", "count", "late"));
  state.sort = TopState::kLoad;
  EXPECT_THAT(names(state), ElementsAre("sort", "count", "late", "train"));
}

TEST(TopLayout, SmallTerminal) {
  EXPECT_THAT(
      lines_of({}, {40, 8, false}),
      ElementsAre("quick  fifo  about 9 s left (real)", "jobs   1 of 3 done, 1 running, 1 waiting",
                  "tasks  10 of 40 done, 6 running", "[1 nodes] 2 jobs  3 events   by name",
                  "node             cores               GiB",
                  "n1    ##===....  1.0/4  ##===....  2.0/8",
                  "n2    #########  3.9/4  ##===....  2.0/8", "? help  q quit   1-2 of 3"));
}

TEST(TopLayout, NothingIsEverTooWideOrTooHigh) {
  TopData much = data();
  for (int i = 0; i < 300; ++i)
    much.progress.nodes.push_back(node("node" + std::to_string(i), 1, 2));
  much.progress.nodes[7].state = "lost";
  much.events.push_back(std::string(500, 'x') + "äöü\n\033[31m");
  for (int view = 0; view < 3; ++view)
    for (bool help : {false, true})
      for (int width : {1, 2, 7, 20, 40, 59, 80, 200})
        for (int height : {1, 2, 3, 5, 6, 8, 12, 50}) {
          TopState state;
          state.view = static_cast<TopState::View>(view);
          state.help = help;
          const TopFrame frame = lay_out(much, state, {width, height, true});
          EXPECT_LE(std::ssize(frame.lines), height) << width;
          for (const TopLine& line : frame.lines) {
            EXPECT_LE(columns(line.text), width) << line.text;
            EXPECT_EQ(line.text.find('\n'), std::string::npos);
          }
        }
}

TEST(TopLayout, ScrolledRowsAndTheirNumbers) {
  TopData many = data();
  for (int i = 4; i <= 30; ++i) many.progress.nodes.push_back(node("n" + std::to_string(i), 1, 2));
  TopState state;
  state.scroll[0] = 5;
  auto lines = lines_of(state, {80, 12, false}, many);
  EXPECT_THAT(lines[5], StartsWith("n6 "));
  EXPECT_EQ(lines[11], "? help  q quit   6-11 of 30");
  state.scroll[0] = 1000;  // more than there are rows, as after a sort or in a smaller list
  EXPECT_EQ(lay_out(many, state, {80, 12, false}).state.scroll[0], 24);
  EXPECT_THAT(lines_of(state, {80, 12, false}, many)[10], StartsWith("n30 "));
}

TEST(TopLayout, ALostNodeSaysSo) {
  TopData lost = data();
  lost.progress.nodes[1].state = "lost";
  EXPECT_THAT(lines_of({}, {40, 12, false}, lost), Contains("n2    lost"));
}

TEST(TopLayout, HelpAndPause) {
  TopState state;
  state.help = true;
  state.paused = true;
  const auto lines = lines_of(state, {80, 24, false});
  EXPECT_THAT(lines, Contains(HasSubstr("quit; the run continues")));
  EXPECT_THAT(lines[3], HasSubstr("paused"));
}

TEST(TopLayout, JobsThatAreNotListedAreCounted) {
  TopData many = data();
  many.progress.jobs = 1000;
  TopState state;
  state.view = TopState::kJobs;
  EXPECT_EQ(lines_of(state, {80, 24, false}, many).back(),
            "? help  q quit   4 of 1000 jobs listed");
}

// Messages.

wire::Progress message(std::int64_t events, std::vector<std::string> last) {
  wire::Progress p;
  p.events = events;
  p.last_events = std::move(last);
  return p;
}

TEST(TopData, EventsAreAddedOnce) {
  TopData data;
  take(message(5, {"d", "e"}), {}, data);
  take(message(5, {"d", "e"}), {}, data);
  EXPECT_THAT(data.events, ElementsAre("d", "e"));
  take(message(6, {"e", "f"}), {}, data);
  take(message(9, {"h", "i"}), {}, data);  // g was missed
  EXPECT_THAT(data.events, ElementsAre("d", "e", "f", "h", "i"));
  for (int i = 10; i < 2000; ++i) take(message(i, {"x"}), {}, data);
  EXPECT_EQ(data.events.size(), 1000U);
}

TEST(TopData, LastWords) {
  wire::Progress p = data().progress;
  p.status = "done";
  p.reason = "all jobs have ended";
  EXPECT_EQ(last_words(p), "quick done after 49.0 s: jobs 1 of 3 done, 1 running, 1 waiting");
  p.status = "aborted";
  p.reason = "every node was lost";
  EXPECT_THAT(last_words(p), HasSubstr("quick aborted after 49.0 s: "));
  EXPECT_THAT(last_words(p), EndsWith(" (every node was lost)"));
  p.status = p.reason = "interrupted";
  EXPECT_THAT(last_words(p), EndsWith("1 waiting"));
}

// Choice of the run.

const RunToWatch kFirst{"0a0b0c0d", "/tmp/out/a", "ipc:///run/heddle/0a0b0c0d/progress.sock"};
const RunToWatch kSecond{"1a1b1c1d", "/tmp/out/b", "ipc:///run/heddle/1a1b1c1d/progress.sock"};

std::string chosen(const std::vector<RunToWatch>& runs, const std::string& address,
                   const std::string& path = "") {
  Result<RunToWatch> run = choose_run(runs, address, path);
  if (run) return run->endpoint;
  EXPECT_EQ(run.error().kind, Error::Kind::kUsage);
  return run.error().text;
}

TEST(TopRuns, TheOnlyOneNeedsNoName) {
  EXPECT_EQ(chosen({kFirst}, ""), kFirst.endpoint);
  EXPECT_EQ(chosen({}, ""), "none of your runs is in progress; start one with heddle run SCENARIO");
}

TEST(TopRuns, SeveralAreListed) {
  EXPECT_EQ(chosen({kFirst, kSecond}, ""),
            "2 runs are in progress; choose one with heddle top RUN\n"
            "RUN       results\n0a0b0c0d  /tmp/out/a\n1a1b1c1d  /tmp/out/b");
}

TEST(TopRuns, ByIdResultsOrEndpoint) {
  EXPECT_EQ(chosen({kFirst, kSecond}, "1a1b1c1d"), kSecond.endpoint);
  EXPECT_EQ(chosen({kFirst, kSecond}, "out/b", "/tmp/out/b"), kSecond.endpoint);
  EXPECT_EQ(chosen({}, "ipc:///elsewhere.sock"), "ipc:///elsewhere.sock");
}

TEST(TopRuns, UnknownOnesAreRefused) {
  EXPECT_THAT(chosen({kFirst}, "0a0b0c0e", "/tmp/0a0b0c0e"),
              HasSubstr("did you mean \"0a0b0c0d\"?"));
  EXPECT_THAT(chosen({kFirst}, "elsewhere", "/tmp/elsewhere"), HasSubstr("/tmp/out/a"));
  EXPECT_THAT(chosen({}, "elsewhere", "/tmp/elsewhere"),
              StartsWith("elsewhere: none of your runs"));
  EXPECT_THAT(chosen({kFirst}, "udp://host:1"),
              HasSubstr("expected ipc://PATH or tcp://HOST:PORT"));
  EXPECT_EQ(choose_run({kFirst}, "tcp://host:1", "")->endpoint, "tcp://host:1");
}

TEST(TopRuns, PlainPaths) {
  EXPECT_EQ(plain_path("/a/./b/../c/"), "/a/c");
  EXPECT_EQ(plain_path("/"), "/");
}

}  // namespace heddle::cli::top_test
