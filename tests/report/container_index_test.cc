#include "report/container_index.h"

#include <filesystem>
#include <functional>

#include "common/file.h"
#include "common/result_files.h"
#include "common/zstd.h"
#include "report/page/data.h"
#include "report/page/pieces.h"
#include "tests/report/result_dir.h"
#include "tests/support/matchers.h"

namespace heddle::report::container_index_test {

using wire::Json;

/// Returns the history of the directory's index.
Result<std::optional<RunHistory>> indexed_history(const ResultDir& dir) {
  return read_indexed_history(dir.path(), small_scenario());
}

/// Writes the index and the summary of the directory.
RunHistory write_all_of(const ResultDir& dir) {
  RunHistory history = dir.history();
  dir.write("summary.json", history.summary.dump());
  EXPECT_TRUE(write_index(history, dir.path()));
  return history;
}

TEST(ContainerIndex, KeepsAContainer) {
  AttemptRow row;
  row.container = ContainerId{7};
  row.phase = {JobId{3}, 2};
  row.task = 41;
  row.attempt = 2;
  row.node = NodeId{5};
  row.held = {Millicores(1500), EmuBytes(3 << 20)};
  row.locality = Locality::kRack;
  row.allocated = emu_seconds(100);
  row.started = emu_seconds(100.25);
  row.begun = emu_seconds(104);
  row.ended = emu_seconds(4'000'000.5);
  row.end = ContainerEnded{};
  row.end->outcome = Outcome::kOomKilled;
  row.end->oom = OomCause::kNode;
  row.end->usage.cpu = CoreTime(2'500'000);
  row.end->usage.peak_memory = EmuBytes(1025);
  const AttemptRow back = row_of(indexed(row));
  EXPECT_EQ(back.container, row.container);
  EXPECT_EQ(back.phase, row.phase);
  EXPECT_EQ(back.task, 41);
  EXPECT_EQ(back.attempt, 2);
  EXPECT_EQ(back.node, row.node);
  EXPECT_EQ(back.held, row.held);
  EXPECT_EQ(back.locality, Locality::kRack);
  EXPECT_EQ(back.allocated, row.allocated);
  EXPECT_EQ(back.started, row.started);
  EXPECT_EQ(back.begun, row.begun);
  EXPECT_EQ(back.ended, row.ended);
  ASSERT_TRUE(back.end);
  EXPECT_EQ(back.end->outcome, Outcome::kOomKilled);
  EXPECT_EQ(back.end->oom, OomCause::kNode);
  EXPECT_EQ(back.end->usage.cpu.count(), 2'500'000);
  EXPECT_EQ(back.end->usage.peak_memory.count(), 2048) << "rounded up to KiB";
}

TEST(ContainerIndex, KeepsAContainerThatLives) {
  AttemptRow row;
  row.allocated = emu_seconds(1);
  const AttemptRow back = row_of(indexed(row));
  EXPECT_FALSE(back.started || back.begun || back.ended || back.end);
}

TEST(ContainerIndex, ValuesThatAreTooLargeBecomeTheLargest) {
  AttemptRow row;
  row.attempt = 300;
  row.held.memory = EmuBytes(std::int64_t{1} << 60);
  row.started = emu_seconds(30'000'000);
  const AttemptRow back = row_of(indexed(row));
  EXPECT_EQ(back.attempt, 255);
  EXPECT_EQ(back.held.memory.count(), (std::int64_t{0xffffffff} - 1) * 1024);
  EXPECT_EQ(back.started, EmuTime((std::int64_t{0xffffffff} - 1) * 1000));
}

TEST(ContainerIndex, GivesThePageOfTheJournal) {
  const ResultDir dir;
  const RunHistory history = write_all_of(dir);
  const Result<std::optional<RunHistory>> read = indexed_history(dir);
  ASSERT_TRUE(read) << read.error().text;
  ASSERT_TRUE(*read);
  Json from_index = page_data(**read, "fifo", "d", Json());
  EXPECT_TRUE(from_index["bars"].empty()) << "they come in pieces";
  from_index.update(
      GanttPieces(**read).piece({0, history.scenario.cluster.nodes.size(), {}, history.end}, 1000));
  Json from_journal = page_data(history, "fifo", "d", Json());
  EXPECT_EQ((*read)->attempt_count(), history.attempts.size());
  for (const char* same : {"summary", "cut", "end_s", "nodes", "suspended", "reserved",
                           "node_events", "faults", "resumptions", "states"})
    EXPECT_EQ(from_index[same], from_journal[same]) << same;
  EXPECT_EQ(from_index["allocated"]["cluster"]["cores"],
            from_journal["allocated"]["cluster"]["cores"]);
  for (const char* same : {"phase", "task", "attempt", "node", "lane", "from", "until", "outcome",
                           "oom", "cores", "locality"})
    EXPECT_EQ(from_index["bars"][same], from_journal["bars"][same]) << same;
}

// Containers 0 and 1 are kept after their ends, and container 0 is released at 20 s.
TEST(ContainerIndex, KeepsWhenResourcesWereReleased) {
  const ResultDir dir;
  RunHistory history = write_all_of(dir);
  history.attempts[0].kept = history.attempts[1].kept = true;
  history.attempts[0].released = emu_seconds(20);
  ASSERT_TRUE(write_index(history, dir.path()));
  std::vector<std::optional<EmuTime>> read, ends;
  indexed_history(dir).value()->each_attempt(
      [&](const AttemptRow& row) { read.push_back(row.held_until()); });
  for (const AttemptRow& row : history.attempts) ends.push_back(row.ended);
  ends[0] = emu_seconds(20);
  ends[1] = std::nullopt;
  EXPECT_EQ(read, ends);
}

TEST(ContainerIndex, KeepsThePolicysNumbers) {
  const ResultDir dir;
  RunHistory history = dir.history();
  history.state_series.add(history.scenario, emu_seconds(2), "dress.ratio",
                           Json::parse(R"({"t": 2, "ratios": [0.25]})"));
  dir.write("summary.json", history.summary.dump());
  EXPECT_TRUE(write_index(history, dir.path()));
  const Result<std::optional<RunHistory>> read = indexed_history(dir);
  ASSERT_TRUE(read && *read);
  EXPECT_EQ(page_data(**read, "fifo", "d", Json())["states"],
            Json::parse(R"({"dress.ratio": {"": {"ratios.0": {"t": [2.0], "v": [0.25]}}}})"));
}

TEST(ContainerIndex, ARunWithoutAnIndexHasNone) {
  const ResultDir dir;
  const Result<std::optional<RunHistory>> read = indexed_history(dir);
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_FALSE(*read);
}

TEST(ContainerIndex, AnIndexOfAnotherJournalIsNotUsed) {
  const ResultDir dir;
  (void)write_all_of(dir);
  dir.write("journal.jsonl", lines(small_journal()) + "\n");
  const Result<std::optional<RunHistory>> read = indexed_history(dir);
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_FALSE(*read);
}

TEST(ContainerIndex, ADamagedIndexIsAnError) {
  const ResultDir dir;
  (void)write_all_of(dir);
  const Result<std::string> whole = read_file(dir / kIndexFile);
  ASSERT_TRUE(whole);
  for (const std::string& bad :
       {std::string("no index"), whole->substr(0, whole->size() / 2), std::string()}) {
    dir.write(kIndexFile, bad);
    const Result<std::optional<RunHistory>> read = indexed_history(dir);
    ASSERT_FALSE(read) << bad.size();
    EXPECT_EQ(read.error().kind, Error::Kind::kAborted);
    EXPECT_THAT(read.error().text, HasSubstr("containers.index.zst: is "));
  }
}

/// Returns the error of an index with one container that was changed.
std::string error_with(const std::function<void(AttemptRow&)>& change) {
  const ResultDir dir;
  RunHistory history = dir.history();
  dir.write("summary.json", history.summary.dump());
  change(history.attempts.front());
  EXPECT_TRUE(write_index(history, dir.path()));
  const Result<std::optional<RunHistory>> read = indexed_history(dir);
  return read ? "none" : read.error().text;
}

TEST(ContainerIndex, NamesNothingThatTheScenarioDoesNotHave) {
  EXPECT_EQ(error_with([](AttemptRow&) {}), "none");
  for (const std::int64_t bad : {2L, 0x80000000L, 0xffffffffL}) {
    EXPECT_THAT(error_with([&](AttemptRow& row) { row.node.value = bad; }),
                HasSubstr("is damaged"));
    EXPECT_THAT(error_with([&](AttemptRow& row) { row.phase.job.value = bad + 1; }),
                HasSubstr("is damaged"));
  }
  EXPECT_THAT(error_with([](AttemptRow& row) { row.phase.phase = 9; }), HasSubstr("is damaged"));
  EXPECT_THAT(error_with([](AttemptRow& row) { row.allocated = EmuTime(-1); }),
              HasSubstr("is damaged"));
}

// 200 MB of zeros take only some KB when they are compressed.
TEST(ContainerIndex, MuchMoreTextThanContainersIsRefused) {
  const ResultDir dir;
  (void)write_all_of(dir);
  ZstdWriter compress;
  std::string file;
  const std::string zeros(1 << 20, '\0');
  for (int i = 0; i < 200; ++i) file += compress.add(zeros);
  file += compress.finish();
  dir.write(kIndexFile, file);
  const Result<std::optional<RunHistory>> read = indexed_history(dir);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().text, HasSubstr("is damaged"));
}

}  // namespace heddle::report::container_index_test
