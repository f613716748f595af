#include "report/memory_errors.h"

#include <gtest/gtest.h>

namespace heddle::report::memory_errors_test {

ContainerEnded ended(MemoryFidelity memory, Outcome outcome = Outcome::kCompleted) {
  ContainerEnded event;
  event.outcome = outcome;
  event.usage.memory = std::move(memory);
  return event;
}

TEST(MemoryErrors, NothingMeasuredIsNull) {
  MemoryErrors facts;
  facts.add(ContainerEnded());
  EXPECT_TRUE(facts.json().is_null());
  EXPECT_TRUE(facts.cpu_s().is_null());
}

TEST(MemoryErrors, PercentilesAreOverAllSamplesOfAllContainers) {
  MemoryErrors facts;
  // There are 100 samples: 60 are 1 thousandth off, 39 are 4 off, and one is 30 off.
  facts.add(ended({{{1, 60}, {30, 1}}, {10, 30}, false, 0.25}));
  facts.add(ended({{{4, 39}}, {20}, false, 0.5}));
  EXPECT_EQ(facts.json().dump(),
            R"({"median_error":0.001,"p99_error":0.004,"lag_ms":{"p50":20.0,"p99":30.0},"short":0,)"
            R"("tasks":2})");
  EXPECT_EQ(facts.cpu_s(), 0.75);
}

TEST(MemoryErrors, OnlyCompletedTasksAreCountedWithoutTheirPeak) {
  MemoryErrors facts;
  facts.add(ended({{{0, 1}}, {}, true, 0}, Outcome::kOomKilled));
  EXPECT_EQ(facts.json().at("short"), 0);
  EXPECT_EQ(facts.json().at("tasks"), 0);
  facts.add(ended({{{0, 1}}, {}, true, 0}));
  EXPECT_EQ(facts.json().at("short"), 1);
  EXPECT_EQ(facts.json().at("tasks"), 1);
}

TEST(MemoryErrors, CountsThePeaksOfCompletedContainersThatAreSamples) {
  MemoryErrors facts;
  const auto add = [&](std::int64_t peak, PeakMethod method, Outcome outcome) {
    ContainerEnded event;
    event.outcome = outcome;
    event.usage.peak_memory = EmuBytes(peak);
    event.usage.peak_method = method;
    facts.add(event);
  };
  EXPECT_EQ(facts.sampled_peaks(), 0);
  add(100, PeakMethod::kKernel, Outcome::kCompleted);
  add(300, PeakMethod::kSamples, Outcome::kCompleted);
  add(900, PeakMethod::kSamples, Outcome::kFailed);
  EXPECT_EQ(facts.mean_peak(), 200.0);
  EXPECT_EQ(facts.sampled_peaks(), 1);
}

}  // namespace heddle::report::memory_errors_test
