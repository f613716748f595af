#include "trace/import/csv.h"

#include "tests/support/matchers.h"

namespace heddle::trace::csv_test {

TEST(Csv, LinesAreSplitAtCommas) {
  std::vector<std::string_view> fields;
  csv::split(" a ,\"b,c\",, d", fields);
  EXPECT_THAT(fields, ElementsAre("a", "b,c", "", "d"));
  csv::split("", fields);
  EXPECT_THAT(fields, ElementsAre(""));
  EXPECT_FALSE(csv::number("nan"));
  EXPECT_FALSE(csv::number("1e999"));
  EXPECT_FALSE(csv::number("1x"));
}

}  // namespace heddle::trace::csv_test
