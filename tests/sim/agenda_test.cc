#include "sim/agenda.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace heddle::sim::agenda_test {

TEST(Agenda, TellsWhoIsNextTiesById) {
  Agenda agenda(3);
  EXPECT_EQ(agenda.next_time(), kNever);
  agenda.set(NodeId{2}, emu_seconds(5));
  agenda.set(NodeId{1}, emu_seconds(5));
  agenda.set(NodeId{0}, emu_seconds(9));
  EXPECT_EQ(agenda.next_time(), emu_seconds(5));
  EXPECT_EQ(agenda.next(), NodeId{1});
  agenda.set(NodeId{1}, kNever);
  EXPECT_EQ(agenda.next(), NodeId{2});
  agenda.set(NodeId{2}, emu_seconds(10));
  EXPECT_EQ(agenda.next_time(), emu_seconds(9));
  EXPECT_EQ(agenda.next(), NodeId{0});
}

TEST(Agenda, OfOneNode) {
  Agenda agenda(1);
  agenda.set(NodeId{0}, emu_seconds(1));
  EXPECT_EQ(agenda.next_time(), emu_seconds(1));
  EXPECT_EQ(agenda.next(), NodeId{0});
}

TEST(Agenda, IsAsASetOfTimesAndNodes) {
  for (std::int64_t nodes : {2, 7, 8, 100}) {
    std::mt19937_64 random(static_cast<std::uint64_t>(nodes));
    Agenda agenda(static_cast<std::size_t>(nodes));
    std::vector<EmuTime> due(static_cast<std::size_t>(nodes), kNever);
    for (int i = 0; i < 2000; ++i) {
      const auto node = static_cast<std::size_t>(random() % due.size());
      due[node] = random() % 4 == 0 ? kNever : EmuTime(static_cast<std::int64_t>(random() % 50));
      agenda.set(NodeId{static_cast<std::int64_t>(node)}, due[node]);
      const auto first = std::min_element(due.begin(), due.end());
      ASSERT_EQ(agenda.next_time(), *first);
      if (*first != kNever) {
        ASSERT_EQ(agenda.next(), NodeId{first - due.begin()});
      }
    }
  }
}

}  // namespace heddle::sim::agenda_test
