#include "cgroup/ownership.h"

#include <algorithm>

#include "tests/cgroup/tree_fixture.h"
#include "tests/support/matchers.h"

namespace heddle::cgroup::ownership_test {

using std::chrono::milliseconds;

constexpr auto kHeld = LeftGroup::Why::kHeld;
constexpr auto kUnproven = LeftGroup::Why::kUnproven;

/// Removes the groups of run r, and returns those that are left.
std::vector<LeftGroup> removed(RecordingDriver& driver, bool recorded, const std::string& node = "",
                               milliseconds patience = milliseconds(200)) {
  Result<std::vector<LeftGroup>> left = remove_run(driver, "r", node, recorded, patience);
  EXPECT_TRUE(left) << left.error().text;
  return left ? *left : std::vector<LeftGroup>();
}
std::vector<LeftGroup> remove_recorded(RecordingDriver& driver, const std::string& node = "") {
  return removed(driver, true, node);
}
std::vector<LeftGroup> remove_unrecorded(RecordingDriver& driver) { return removed(driver, false); }

TEST(Standing, FollowsFromMarksUserAndRecord) {
  struct Row {
    Owner owner;
    Standing recorded, unrecorded;
  };
  for (const Row& row : {
           Row{{0, 0, true, true}, Standing::kGone, Standing::kGone},
           Row{{5, 5, true, true}, Standing::kOurs, Standing::kOurs},
           // Half removed: all remaining directories are marked.
           Row{{2, 2, true, true}, Standing::kOurs, Standing::kOurs},
           // Killed while marking, before marking, and before all directories were made.
           Row{{5, 2, true, true}, Standing::kUnfinished, Standing::kUnfinished},
           Row{{5, 0, true, true}, Standing::kUnfinished, Standing::kUnproven},
           Row{{2, 0, true, true}, Standing::kUnfinished, Standing::kUnproven},
           // A kernel without marks: the record must be enough.
           Row{{5, 0, true, false}, Standing::kOurs, Standing::kUnproven},
           // A group of another user, whatever else is true of it.
           Row{{5, 5, false, true}, Standing::kUnproven, Standing::kUnproven},
           Row{{5, 0, false, false}, Standing::kUnproven, Standing::kUnproven},
       }) {
    EXPECT_EQ(standing_of(row.owner, true), row.recorded)
        << row.owner.directories << " " << row.owner.marked;
    EXPECT_EQ(standing_of(row.owner, false), row.unrecorded)
        << row.owner.directories << " " << row.owner.marked;
  }
}

TEST(MakeRunGroup, AcceptsAGroupThatAnotherWorkerMarksMeanwhile) {
  RecordingDriver driver;
  driver.groups["heddle-r"];  // made, but not yet marked
  driver.refuse = [&](const std::string& call) {
    if (call == "children heddle-r") driver.leave({"heddle-r", "heddle-r/n1"});
    return Error();
  };
  const Result<void> made = make_run_group(driver, "heddle-r");
  EXPECT_TRUE(made) << made.error().text;
  EXPECT_THAT(names(driver), ElementsAre("heddle-r", "heddle-r/n1"));
}

TEST(MakeRunGroup, RefusesAGroupWithProcessesThatNobodyMarks) {
  RecordingDriver driver;
  driver.groups["heddle-r"].members = {7};
  const Result<void> made = make_run_group(driver, "heddle-r");
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().text, HasSubstr("nothing shows that a dead run of this user made it"));
}

TEST(RemoveRun, OfAMarkedGroupThatNobodyHoldsNeedsNoRecord) {
  RecordingDriver driver;
  driver.leave({"heddle-r", "heddle-r/n1"});
  driver.groups["heddle-r/n1/c0"].members = {7};
  EXPECT_THAT(remove_unrecorded(driver), IsEmpty());
  EXPECT_TRUE(driver.groups.empty());
}

TEST(RemoveRun, LeavesWhatALivingProcessHoldsAndLiftsNoCap) {
  RecordingDriver driver;
  auto tree = make_tree(driver);
  acquire(*tree);
  driver.groups["heddle-r/n1/c0"].members = {7};
  driver.groups["heddle-r/n0"].mark = "heddle-r/n0";  // left by a worker that died
  driver.calls.clear();
  for (bool recorded : {false, true}) {
    EXPECT_THAT(removed(driver, recorded, "", milliseconds(5)),
                ElementsAre(LeftGroup{"heddle-r/n1", kHeld}));
  }
  EXPECT_THAT(names(driver), ElementsAre("heddle-r", "heddle-r/n1", "heddle-r/n1/c0"));
  EXPECT_THAT(driver.groups["heddle-r/n1/c0"].members, ElementsAre(7));
  for (const std::string& call : driver.calls) {
    EXPECT_THAT(call, Not(HasSubstr("set_cpu heddle-r/n1")));
    EXPECT_THAT(call, Not(HasSubstr("kill heddle-r/n1")));
  }
  tree.reset();  // the worker dies
  EXPECT_THAT(remove_unrecorded(driver), IsEmpty());
  EXPECT_TRUE(driver.groups.empty());
}

TEST(RemoveRun, LeavesGroupsWithoutAMarkInWhichProcessesAre) {
  for (const char* full : {"heddle-r/n1", "heddle-r/n1/c0"})
    for (bool recorded : {false, true}) {
      RecordingDriver driver;
      for (const char* group : {"heddle-r", "heddle-r/n1", "heddle-r/n1/c0", "heddle-r/n1/b"})
        driver.groups[group];
      driver.groups[full].members = {7};
      EXPECT_THAT(removed(driver, recorded, "", milliseconds(5)),
                  ElementsAre(LeftGroup{"heddle-r", kUnproven}));
      EXPECT_THAT(names(driver),
                  ElementsAre("heddle-r", "heddle-r/n1", "heddle-r/n1/b", "heddle-r/n1/c0"));
      EXPECT_THAT(driver.groups[full].members, ElementsAre(7));
      EXPECT_THAT(driver.calls, Not(Contains("kill heddle-r/n1")));
      EXPECT_THAT(driver.calls, Not(Contains("set_cpu heddle-r/n1 none")));
    }
}

// Groups of a build that did not mark them.
TEST(RemoveRun, OfARecordedRunWithoutMarksRemovesGroupsWithoutProcesses) {
  RecordingDriver driver;
  for (const char* group : {"heddle-r", "heddle-r/n1", "heddle-r/n1/c0", "heddle-r/n2"})
    driver.groups[group];
  EXPECT_THAT(remove_unrecorded(driver), ElementsAre(LeftGroup{"heddle-r", kUnproven}));
  EXPECT_EQ(driver.groups.size(), 4u);
  driver.calls.clear();
  EXPECT_THAT(remove_recorded(driver), IsEmpty());
  EXPECT_TRUE(driver.groups.empty());
  EXPECT_THAT(driver.calls, Not(Contains(StartsWith("kill"))));
}

TEST(RemoveRun, LeavesWhatAnotherUserMarked) {
  RecordingDriver driver;
  driver.leave({"heddle-r", "heddle-r/n1"});
  for (auto& [name, group] : driver.groups) group.of_another_user = true;
  EXPECT_THAT(remove_recorded(driver), ElementsAre(LeftGroup{"heddle-r", kUnproven}));
  EXPECT_THAT(names(driver), ElementsAre("heddle-r", "heddle-r/n1"));
}

TEST(RemoveRun, OfOneNodeLeavesTheOthers) {
  RecordingDriver driver;
  driver.leave({"heddle-r", "heddle-r/n1", "heddle-r/n2"});
  EXPECT_THAT(remove_recorded(driver, "n1"), IsEmpty());
  EXPECT_THAT(names(driver), ElementsAre("heddle-r", "heddle-r/n2"));
  EXPECT_THAT(remove_recorded(driver, "n2"), IsEmpty());
  EXPECT_TRUE(driver.groups.empty());
}

TEST(RemoveRun, WaitsForAHolderOfARecordedRunThatIsDying) {
  RecordingDriver driver;
  driver.leave({"heddle-r", "heddle-r/n1"});
  std::vector<Fd> held = *driver.hold("heddle-r/n1");
  driver.refuse = [&](const std::string&) {
    if (driver.calls.size() > 4) held.clear();  // after it was found held at least once
    return Error{};
  };
  EXPECT_THAT(removed(driver, true, "", milliseconds(20'000)), IsEmpty());
  EXPECT_TRUE(driver.groups.empty());
}

TEST(Claim, TakesAnEmptyGroupAndRefusesAFullOne) {
  RecordingDriver driver;
  driver.leave({"heddle-r"});
  driver.groups["heddle-r/n1"];  // made but not marked by a worker that was killed
  EXPECT_TRUE(claim(driver, "heddle-r/n1", milliseconds(5)));
  driver.groups["heddle-r/n2"].members = {7};
  Result<std::vector<Fd>> refused = claim(driver, "heddle-r/n2", milliseconds(5));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text,
            "control group heddle-r/n2 exists already, and nothing shows that a dead run of this "
            "user made it; if nobody needs it, remove it with: find /fake/heddle-r/n2 -depth -type "
            "d -exec rmdir {} \\;");
  EXPECT_THAT(driver.groups["heddle-r/n2"].members, ElementsAre(7));
  EXPECT_EQ(driver.groups["heddle-r/n2"].mark, "");
}

TEST(Claim, RefusesAnEmptyGroupOfAnotherUser) {
  RecordingDriver driver;
  driver.leave({"heddle-r", "heddle-r/n1"});
  driver.groups["heddle-r/n1"].of_another_user = true;
  EXPECT_FALSE(claim(driver, "heddle-r/n1", milliseconds(5)));
  EXPECT_THAT(names(driver), ElementsAre("heddle-r", "heddle-r/n1"));
}

TEST(Claim, OfOneNodeIsForOneProcess) {
  RecordingDriver driver;
  auto tree = make_tree(driver);
  Result<std::unique_ptr<NodeTree>> second = NodeTree::create(driver, "r", "n2", node_caps());
  EXPECT_TRUE(second);
  Result<std::vector<Fd>> refused = claim(driver, "heddle-r/n1", milliseconds(5));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text,
              HasSubstr("heddle-r/n1 is held by another process, such as a worker of the same"));
}

TEST(CheckRecordable, RefusesNamesOfGroupsThatAreNotOurs) {
  RecordingDriver driver;
  EXPECT_TRUE(check_recordable(driver, "r", "n1"));
  driver.groups["heddle-r"];
  EXPECT_TRUE(check_recordable(driver, "r", "n1"));
  driver.groups["heddle-r/n1"];
  EXPECT_FALSE(check_recordable(driver, "r", "n1")) << "a stranger's of the run's name";
  driver.leave({"heddle-r"});
  EXPECT_TRUE(check_recordable(driver, "r", "n1"));
  driver.groups["heddle-r/n1"].members = {7};
  EXPECT_FALSE(check_recordable(driver, "r", "n1")) << "a stranger's of the node's name";
  driver.leave({"heddle-r/n1"});
  EXPECT_TRUE(check_recordable(driver, "r", "n1"));
}

TEST(MakeRunGroup, RefusesAStrangersOfThatName) {
  for (bool user : {false, true}) {
    RecordingDriver driver;
    driver.groups["heddle-r"].of_another_user = user;
    if (!user) driver.groups["heddle-r"].members = {7};
    Result<std::unique_ptr<NodeTree>> tree = NodeTree::create(driver, "r", "n1", node_caps());
    ASSERT_FALSE(tree);
    EXPECT_THAT(tree.error().text, HasSubstr("control group heddle-r exists already"));
    EXPECT_THAT(names(driver), ElementsAre("heddle-r"));
    EXPECT_EQ(driver.groups["heddle-r"].mark, "");
  }
}

/// Thrown in place of the call before which a kill comes.
struct Killed {};

/// Makes a node and dies before the call with this index; returns whether there was such a call.
bool make_and_die(RecordingDriver& driver, std::size_t call) {
  driver.refuse = [&](const std::string&) {
    if (driver.calls.size() == call + 1) throw Killed();
    return Error{};
  };
  bool died = false;
  try {
    EXPECT_TRUE(NodeTree::create(driver, "r", "n1", node_caps()));
  } catch (const Killed&) {
    died = true;
  }
  driver.refuse = nullptr;
  return died;
}

/// A run directory records the run. The worker is killed before each of its calls in turn; with
/// more lives, the next worker starts on what the previous one left, and is killed one call later.
TEST(Killed, BeforeAnyCallLeavesWhatIsRemovedByItsRecord) {
  for (int lives : {1, 2, 3})
    for (Version version : {Version::kV1, Version::kV2})
      for (bool marks : {true, false}) {
        int deaths = 0;
        for (std::size_t call = 0; call < 16; ++call) {
          RecordingDriver driver(version);
          driver.marks_kept = marks;
          bool died = false;
          for (int life = 0; life < lives; ++life) {
            driver.calls.clear();
            died = make_and_die(driver, call + static_cast<std::size_t>(life));
            if (!died) break;
          }
          EXPECT_THAT(remove_recorded(driver), IsEmpty()) << call;
          EXPECT_TRUE(driver.groups.empty()) << call << testing::PrintToString(names(driver));
          deaths += died ? 1 : 0;
        }
        // There are as many calls as NodeTree.CreateMakesRunAndNode lists; v2 does not watch the
        // run's group.
        if (lives == 1) {
          EXPECT_EQ(deaths, version == Version::kV1 ? 13 : 12);
        }
      }
}

/// The same without a record: groups that are not marked yet stay, but are empty.
TEST(Killed, WithoutARecordLeavesAtMostEmptyGroups) {
  for (std::size_t call = 0;; ++call) {
    RecordingDriver driver;
    if (!make_and_die(driver, call)) break;
    for (const LeftGroup& left : remove_unrecorded(driver)) {
      EXPECT_EQ(left.why, kUnproven);
      EXPECT_THAT(processes_in(driver, left.group), IsEmpty());
    }
  }
}

TEST(RemovalCommand, QuotesWhatAShellWouldTakeApart) {
  class Odd : public RecordingDriver {
   public:
    std::vector<std::string> directories(const std::string& group) const override {
      return {"/plain/" + group, "/it's odd/" + group};
    }
  };
  EXPECT_EQ(removal_command(Odd(), "heddle-r"),
            "find /plain/heddle-r '/it'\\''s odd/heddle-r' -depth -type d -exec rmdir {} \\;");
}

}  // namespace heddle::cgroup::ownership_test
