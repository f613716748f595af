#include "cli/display/event_lines.h"

#include "tests/support/matchers.h"

namespace heddle::cli::event_lines_test {

using namespace std::chrono_literals;
using wire::EventKind;

EventLines::Time at(std::chrono::milliseconds ms) { return EventLines::Time(ms); }

/// The display of a master, which keeps the last 20 events.
class Master {
 public:
  Master& say(EventKind kind, const std::string& text) {
    ++p_.events;
    ++p_.events_of_kind[static_cast<std::size_t>(kind)];
    p_.last_events.push_back(text);
    p_.last_kinds.push_back(kind);
    if (p_.last_events.size() > 20) {
      p_.last_events.erase(p_.last_events.begin());
      p_.last_kinds.erase(p_.last_kinds.begin());
    }
    return *this;
  }
  Master& say(EventKind kind, int times, const std::string& text) {
    for (int i = 0; i < times; ++i) say(kind, text);
    return *this;
  }
  wire::Progress progress(double now_s = 0) const {
    wire::Progress p = p_;
    p.now_s = now_s;
    return p;
  }

 private:
  wire::Progress p_;
};

TEST(EventLines, EachEventIsPrintedOnce) {
  EventLines lines;
  Master master;
  EXPECT_THAT(lines.take(master.progress(), at(0ms)), IsEmpty());
  master.say(EventKind::kNode, "n2 lost").say(EventKind::kRetry, "map 3 runs again");
  EXPECT_THAT(lines.take(master.progress(), at(200ms)), ElementsAre("n2 lost", "map 3 runs again"));
  EXPECT_THAT(lines.take(master.progress(), at(400ms)), IsEmpty());
  master.say(EventKind::kNode, "n2 is back");
  EXPECT_THAT(lines.take(master.progress(), at(600ms)), ElementsAre("n2 is back"));
}

TEST(EventLines, StartsAndCompletionsOfJobsAreNotPrinted) {
  EventLines lines;
  Master master;
  master.say(EventKind::kJob, 30, "job started").say(EventKind::kFailedJob, "job a failed");
  EXPECT_THAT(lines.take(master.progress(), at(0ms)), ElementsAre("job a failed"));
  EXPECT_THAT(lines.rest(at(10s)), IsEmpty());
}

TEST(EventLines, AFrequentKindIsSummedUp) {
  EventLines lines;
  Master master;
  master.say(EventKind::kMemoryKill, 8, "killed").say(EventKind::kNode, "n1 lost");
  // 5 lines in a second, and the other kind is not affected.
  EXPECT_THAT(lines.take(master.progress(), at(0ms)),
              ElementsAre("killed", "killed", "killed", "killed", "killed", "n1 lost"));
  EXPECT_THAT(lines.take(master.progress(9), at(4900ms)), IsEmpty());
  EXPECT_THAT(lines.take(master.progress(10), at(5000ms)),
              ElementsAre("10.0 s  3 more memory kills in the last 5 s"));
  EXPECT_THAT(lines.take(master.progress(11), at(9s)), IsEmpty());
}

TEST(EventLines, EventsThatWereMissedAreCounted) {
  EventLines lines;
  Master master;
  (void)lines.take(master.progress(), at(0ms));
  // 12 of these 32 memory kills and the retry are not among the last 20 events.
  master.say(EventKind::kRetry, "runs again").say(EventKind::kMemoryKill, 32, "killed");
  EXPECT_THAT(lines.take(master.progress(1), at(200ms)), SizeIs(5));
  EXPECT_THAT(lines.take(master.progress(26), at(5200ms)),
              ElementsAre("26.0 s  27 more memory kills in the last 5 s",
                          "26.0 s  1 more retry in the last 5 s"));
}

TEST(EventLines, NothingStaysCountedAtTheEnd) {
  EventLines lines;
  Master master;
  master.say(EventKind::kSuspension, 7, "suspended");
  EXPECT_THAT(lines.take(master.progress(3), at(0ms)), SizeIs(5));
  EXPECT_THAT(lines.rest(at(2s)),
              ElementsAre("3.0 s  2 more suspensions and resumptions in the last 2 s"));
  EXPECT_THAT(lines.rest(at(2s)), IsEmpty());
}

TEST(EventLines, ANewMasterCountsFromZero) {
  EventLines lines;
  Master first, second;
  first.say(EventKind::kFault, "fault: kill-master");
  EXPECT_THAT(lines.take(first.progress(), at(0ms)), SizeIs(1));
  lines.restart();
  second.say(EventKind::kFault, "fault: freeze-worker n1");
  EXPECT_THAT(lines.take(second.progress(), at(200ms)), ElementsAre("fault: freeze-worker n1"));
}

}  // namespace heddle::cli::event_lines_test
