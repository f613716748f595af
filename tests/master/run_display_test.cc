#include "master/run_display.h"

#include <gtest/gtest.h>

#include "tests/master/small_run.h"

namespace heddle::master::run_display_test {

using wire::EventKind;

Container third_map(int attempt) {
  Container container;
  container.task = {PhaseId{JobId{0}, 0}, 3};
  container.attempt = attempt;
  container.node = NodeId{1};
  return container;
}

/// Returns the sentence about an event at 20 s of the third map, which is on node n2.
std::optional<Sentence> sentence(const decltype(Event::what)& what, int attempt = 1,
                                 std::optional<EmuTime> lost_at = std::nullopt) {
  const Scenario scenario = small_run(2);
  const Container container = third_map(attempt);
  return sentence_of(scenario, Event{emu_seconds(20), what}, &container, lost_at);
}

ContainerEnded ended(Outcome outcome, OomCause cause) {
  return {ContainerId{0}, outcome, cause, 0, "", {}};
}

TEST(RunDisplay, NodesAreLostAndComeBack) {
  EXPECT_EQ(sentence(NodeLost{NodeId{1}, "no heartbeat for 2.5 s"}),
            (Sentence{EventKind::kNode, "node n2 lost: no heartbeat for 2.5 s"}));
  EXPECT_EQ(sentence(NodeRegistered{NodeId{1}}, 1, emu_seconds(9)),
            (Sentence{EventKind::kNode, "node n2 is back after 11.0 s"}));
  EXPECT_EQ(sentence(NodeRegistered{NodeId{1}}), std::nullopt) << "the beginning of the run";
  EXPECT_EQ(sentence(NodeDrained{NodeId{0}, "no space"}),
            (Sentence{EventKind::kNode, "node n1 drained: no space"}));
  EXPECT_EQ(sentence(NodeRestored{NodeId{0}}),
            (Sentence{EventKind::kNode, "node n1 takes tasks again"}));
}

TEST(RunDisplay, MemoryKillsNameTheLimit) {
  const auto text = [](OomCause cause) {
    return sentence(ended(Outcome::kOomKilled, cause))->text;
  };
  EXPECT_EQ(text(OomCause::kContainer), "j/map 3 killed on n2 for lack of memory (its own limit)");
  EXPECT_EQ(text(OomCause::kNode), "j/map 3 killed on n2 for lack of memory (its node's limit)");
  EXPECT_EQ(text(OomCause::kOther),
            "j/map 3 killed on n2 for lack of memory (a limit outside of its node)");
  EXPECT_EQ(sentence(ended(Outcome::kOomKilled, OomCause::kNode))->kind, EventKind::kMemoryKill);
  EXPECT_EQ(sentence(ended(Outcome::kCompleted, OomCause::kNone)), std::nullopt);
}

TEST(RunDisplay, SuspensionsAndRetries) {
  EXPECT_EQ(sentence(ContainerSuspended{ContainerId{0}}),
            (Sentence{EventKind::kSuspension, "j/map 3 suspended on n2"}));
  EXPECT_EQ(sentence(ContainerResumed{ContainerId{0}}),
            (Sentence{EventKind::kSuspension, "j/map 3 resumed on n2"}));
  EXPECT_EQ(sentence(ContainerStarted{ContainerId{0}}), std::nullopt);
  EXPECT_EQ(sentence(ContainerStarted{ContainerId{0}}, 2),
            (Sentence{EventKind::kRetry, "j/map 3 runs again on n2 (attempt 2)"}));
}

TEST(RunDisplay, AContainerThatIsGoneHasNoSentence) {
  const Scenario scenario = small_run(2);
  for (const decltype(Event::what)& what :
       {decltype(Event::what)(ContainerStarted{ContainerId{0}}),
        decltype(Event::what)(ContainerSuspended{ContainerId{0}}),
        decltype(Event::what)(ended(Outcome::kOomKilled, OomCause::kNode))})
    EXPECT_EQ(sentence_of(scenario, Event{emu_seconds(20), what}, nullptr, std::nullopt),
              std::nullopt);
}

TEST(RunDisplay, FailedJobsAreAKindOfTheirOwn) {
  const Scenario scenario = small_run(2);
  EXPECT_EQ(sentence_of(scenario, JobFinished{JobId{0}, JobState::kFailed, "a task failed"}),
            (Sentence{EventKind::kFailedJob, "job j failed: a task failed"}));
  EXPECT_EQ(sentence_of(scenario, JobFinished{JobId{0}, JobState::kCompleted, ""}),
            (Sentence{EventKind::kJob, "job j completed"}));
}

TEST(RunDisplay, FaultsBeginAndEnd) {
  Scenario scenario = small_run(2);
  scenario.faults.resize(1);
  scenario.faults[0].kind = FaultKind::kFreezeWorker;
  FaultMoment moment;
  moment.node = NodeId{1};
  EXPECT_EQ(sentence_of(scenario, moment),
            (Sentence{EventKind::kFault, "fault: freeze-worker n2"}));
  moment.ends = true;
  EXPECT_EQ(sentence_of(scenario, moment),
            (Sentence{EventKind::kFault, "fault over: freeze-worker n2"}));
}

}  // namespace heddle::master::run_display_test
