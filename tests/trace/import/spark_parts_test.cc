#include "trace/import/spark_parts.h"

#include "tests/support/matchers.h"

namespace heddle::trace::spark::spark_parts_test {

std::vector<std::string> in_order(const std::vector<std::string>& paths) {
  std::vector<std::string> ordered;
  for (const std::size_t path : parts_of_logs(paths).order) ordered.push_back(paths[path]);
  return ordered;
}

TEST(SparkParts, RollingLogsGoByTheirNumbers) {
  EXPECT_THAT(in_order({"l/events_10_app-1", "l/events_2_app-1", "l/events_9_app-1.zstd"}),
              ElementsAre("l/events_2_app-1", "l/events_9_app-1.zstd", "l/events_10_app-1"));
}

TEST(SparkParts, LogsStayInTheOrderOfTheirFirstParts) {
  EXPECT_THAT(in_order({"b/events_2_b", "app-7", "a/events_1_a", "b/events_1_b", "c/events_1_b"}),
              ElementsAre("b/events_1_b", "b/events_2_b", "app-7", "a/events_1_a", "c/events_1_b"));
}

TEST(SparkParts, APlainNameIsTheNewestPart) {
  EXPECT_THAT(in_order({"x/eventlog", "x/eventlog-2026-01-05--11-00.gz",
                        "x/eventlog-2026-01-05--10-00.gz"}),
              ElementsAre("x/eventlog-2026-01-05--10-00.gz", "x/eventlog-2026-01-05--11-00.gz",
                          "x/eventlog"));
}

TEST(SparkParts, ACompactPartReplacesThoseBeforeIt) {
  EXPECT_THAT(in_order({"events_1_a", "events_2_a", "events_2_a.compact", "events_3_a"}),
              ElementsAre("events_2_a.compact", "events_3_a"));
}

TEST(SparkParts, MissingPartsAreNamed) {
  EXPECT_THAT(parts_of_logs({"l/events_1_a.zstd", "l/events_4_a.zstd"}).missing,
              ElementsAre("l/events_2_a", "l/events_3_a"));
  EXPECT_THAT(parts_of_logs({"l/events_3_a", "l/events_4_a"}).missing, IsEmpty());
}

}  // namespace heddle::trace::spark::spark_parts_test
