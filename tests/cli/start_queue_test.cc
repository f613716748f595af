#include "cli/run/start_queue.h"

#include "tests/support/matchers.h"

namespace heddle::cli::start_queue_test {

TEST(StartQueue, GivesNoMoreThanMayBeStartingAtATime) {
  StartQueue queue(5, 2);
  EXPECT_TRUE(queue.ready());
  EXPECT_THAT(queue.take(), ElementsAre(0U, 1U));
  EXPECT_FALSE(queue.ready());
  EXPECT_THAT(queue.take(), IsEmpty());
  queue.settled(1);
  EXPECT_THAT(queue.take(), ElementsAre(2U));
  queue.settled(0);
  queue.settled(2);
  EXPECT_THAT(queue.take(), ElementsAre(3U, 4U));
  EXPECT_TRUE(queue.done());
  EXPECT_FALSE(queue.ready());
}

TEST(StartQueue, GivesAFewAtOnce) {
  StartQueue queue(20, 20);
  EXPECT_THAT(queue.take(), ElementsAre(0U, 1U, 2U, 3U, 4U, 5U, 6U, 7U));
  EXPECT_TRUE(queue.ready());
  EXPECT_EQ(queue.take().size(), 8U);
  EXPECT_THAT(queue.take(), ElementsAre(16U, 17U, 18U, 19U));
}

TEST(StartQueue, AWorkerSettlesOnceAndNotBeforeItsStart) {
  StartQueue queue(3, 1);
  queue.settled(0);
  EXPECT_THAT(queue.take(), ElementsAre(0U));
  queue.settled(0);
  queue.settled(0);
  EXPECT_THAT(queue.take(), ElementsAre(1U));
  EXPECT_THAT(queue.take(), IsEmpty());
}

TEST(StartQueue, WithoutWorkersItIsDone) {
  StartQueue queue(0, 32);
  EXPECT_TRUE(queue.done());
  EXPECT_THAT(queue.take(), IsEmpty());
}

TEST(StartQueue, StartsAtOnceGrowWithTheRun) {
  EXPECT_EQ(starts_at_once(1), 32U);
  EXPECT_EQ(starts_at_once(512), 32U);
  EXPECT_EQ(starts_at_once(2000), 125U);
}

}  // namespace heddle::cli::start_queue_test
