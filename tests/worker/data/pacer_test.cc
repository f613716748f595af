#include "worker/data/pacer.h"

#include <gtest/gtest.h>

#include <string>

namespace heddle::worker::pacer_test {

using namespace std::chrono_literals;

constexpr real::Time kStart{1000s};
const Flow kA{"", 1}, kB{"", 2}, kC{"peer", 1};

constexpr real::Time at(int ms) { return kStart + std::chrono::milliseconds(ms); }
constexpr Span now(int ms) { return {at(ms), at(ms)}; }

int ms(real::Time time) {
  return static_cast<int>(
      std::chrono::duration_cast<std::chrono::milliseconds>(time - kStart).count());
}

/// Returns the chunks that have passed by then, such as "1:0-10 2:10-20", with the times of their
/// first and last byte in milliseconds.
std::string passed(Pacer& pacer, int by) {
  std::string all;
  while (auto p = pacer.take(at(by))) {
    if (!all.empty()) all += " ";
    all += std::to_string(p->chunk) + ":" + std::to_string(ms(p->span.begin)) + "-" +
           std::to_string(ms(p->span.end));
  }
  return all;
}

/// Returns a pacer whose disk passes 1 byte per millisecond, and whose network passes 2.
Pacer slow_disk() { return Pacer(1000, 2000); }

TEST(Pacer, OneAfterTheOther) {
  Pacer pacer = slow_disk();
  EXPECT_EQ(pacer.next(), std::nullopt);
  pacer.pass(kA, 10, Route::kDisk, now(0));
  pacer.pass(kA, 20, Route::kDisk, now(0));
  EXPECT_EQ(pacer.next(), at(0));
  EXPECT_EQ(passed(pacer, 9), "");
  EXPECT_EQ(pacer.next(), at(10));
  EXPECT_EQ(passed(pacer, 10), "1:0-10");
  EXPECT_EQ(pacer.next(), at(30));
  EXPECT_EQ(passed(pacer, 30), "2:10-30");
  EXPECT_EQ(pacer.next(), std::nullopt);
}

TEST(Pacer, TheScheduleKnowsNoLateTimers) {
  Pacer pacer = slow_disk();
  for (int i = 0; i < 3; ++i) pacer.pass(kA, 10, Route::kDisk, now(0));
  EXPECT_EQ(passed(pacer, 17), "1:0-10");
  EXPECT_EQ(passed(pacer, 33), "2:10-20 3:20-30");
  // An idle pacer begins when a chunk comes.
  pacer.pass(kA, 10, Route::kDisk, now(40));
  EXPECT_EQ(passed(pacer, 50), "4:40-50");
  // The chunk came at 50 and counts from then, even if nobody looked at that time.
  pacer.pass(kA, 10, Route::kDisk, now(50));
  EXPECT_EQ(passed(pacer, 60), "5:50-60");
}

TEST(Pacer, AStoppedProcessCatchesUpLittle) {
  Pacer pacer = slow_disk();
  pacer.pass(kA, 10, Route::kDisk, now(0));
  pacer.pass(kA, 50, Route::kDisk, now(0));
  EXPECT_EQ(passed(pacer, 1000), "1:900-910 2:910-960");
}

TEST(Pacer, FlowsThroughDiskAndNetworkAtOnce) {
  // A flow that is alone is as fast as the slower resource, without the delay of a chunk.
  Pacer pacer = slow_disk();
  for (int i = 0; i < 3; ++i) pacer.pass(kC, 10, Route::kDiskNetworkOut, now(0));
  EXPECT_EQ(passed(pacer, 100), "1:0-10 2:10-20 3:20-30");
  Pacer slow_network(4000, 1000);
  for (int i = 0; i < 3; ++i) slow_network.pass(kC, 20, Route::kDiskNetworkOut, now(0));
  EXPECT_EQ(passed(slow_network, 100), "1:0-20 2:20-40 3:40-60");
}

TEST(Pacer, ReceivesWhileItComes) {
  // Two sources send 1 byte per millisecond each to a network card of 1: bytes for 20 ms within 10
  // ms.
  Pacer pacer(1000, 1000);
  pacer.pass(kA, 10, Route::kNetworkIn, {at(0), at(10)});
  pacer.pass(kB, 10, Route::kNetworkIn, {at(0), at(10)});
  EXPECT_EQ(passed(pacer, 100), "1:0-10 2:10-20");
  // A network card of 2 bytes per millisecond has room for both.
  Pacer fast(1000, 2000);
  fast.pass(kA, 10, Route::kNetworkIn, {at(0), at(10)});
  fast.pass(kB, 10, Route::kNetworkIn, {at(0), at(10)});
  EXPECT_EQ(passed(fast, 100), "1:0-10 2:5-10");
}

TEST(Pacer, WritesWhileItComes) {
  Pacer pacer(1000, 2000);
  pacer.pass(kA, 10, Route::kNetworkInDisk, now(0));
  pacer.pass(kA, 10, Route::kNetworkInDisk, now(0));
  EXPECT_EQ(passed(pacer, 100), "1:0-10 2:10-20");
}

TEST(Pacer, ResourcesAreEachOthersBusiness) {
  // A local read, an outgoing and an incoming transfer: only the first two share the disk.
  Pacer pacer(1000, 1000);
  pacer.pass(kA, 10, Route::kDisk, now(0));
  pacer.pass(kC, 10, Route::kDiskNetworkOut, now(0));
  pacer.pass(kB, 10, Route::kNetworkIn, now(0));
  EXPECT_EQ(passed(pacer, 100), "1:0-10 3:0-10 2:10-20");
}

TEST(Pacer, TakesTurnsByBytes) {
  Pacer pacer = slow_disk();
  for (int i = 0; i < 4; ++i) pacer.pass(kA, 10, Route::kDisk, now(0));  // 1 to 4
  for (int i = 0; i < 4; ++i) pacer.pass(kB, 5, Route::kDisk, now(0));   // 5 to 8
  EXPECT_EQ(passed(pacer, 100), "1:0-10 5:10-15 6:15-20 2:20-30 7:30-35 8:35-40 3:40-50 4:50-60");
}

TEST(Pacer, WhoComesNewWaitsForNobodysQueue) {
  Pacer pacer = slow_disk();
  for (int i = 0; i < 100; ++i) pacer.pass(kA, 10, Route::kDisk, now(0));
  EXPECT_EQ(passed(pacer, 20), "1:0-10 2:10-20");
  pacer.pass(kB, 10, Route::kDisk, now(25));
  EXPECT_EQ(passed(pacer, 40), "3:20-30 101:30-40");
}

TEST(Pacer, HavingHadMuchAloneIsNotHeldAgainstOne) {
  Pacer pacer = slow_disk();
  for (int i = 0; i < 3; ++i) {
    pacer.pass(kA, 10, Route::kDisk, now(10 * i));
    passed(pacer, 10 * i + 10);
  }
  pacer.pass(kB, 10, Route::kDisk, now(30));
  pacer.pass(kA, 10, Route::kDisk, now(30));
  pacer.pass(kB, 10, Route::kDisk, now(30));
  EXPECT_EQ(passed(pacer, 100), "4:30-40 5:40-50 6:50-60");
}

/// A flow with one chunk at a time gets its half beside a flow with a long queue.
TEST(Pacer, ALeavingFlowsNextChunkIsInTime) {
  Pacer pacer = slow_disk();
  for (int i = 0; i < 5; ++i) pacer.pass(kB, 10, Route::kDisk, now(0));  // 1 to 5
  auto last = pacer.pass(kA, 10, Route::kDisk, now(0));
  std::string order;
  while (auto p = pacer.take(at(80))) {
    order += p->chunk == last ? "A" : "B";
    if (p->chunk == last) last = pacer.pass(kA, 10, Route::kDisk, {p->span.end, p->span.end});
  }
  EXPECT_EQ(order, "BABABABA");
}

}  // namespace heddle::worker::pacer_test
