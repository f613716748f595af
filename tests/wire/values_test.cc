#include "wire/values.h"

#include <gtest/gtest.h>

#include "wire/forms.h"

namespace heddle::wire::values_test {

TEST(Percentile, IsTheNearestRank) {
  EXPECT_TRUE(percentile({}, 0.5).is_null());
  EXPECT_EQ(percentile({7}, 0.99), 7.0);
  EXPECT_EQ(percentile({4, 1, 3, 2}, 0.5), 2.0);
  std::vector<double> hundred;
  for (int i = 100; i >= 1; --i) hundred.push_back(i);
  EXPECT_EQ(percentile(hundred, 0.99), 99.0);
  EXPECT_EQ(percentile(hundred, 1), 100.0);
}

TaskWork work_from(const Json& json) {
  const Fields fields(json, "work");
  TaskWork work;
  describe(FieldReader{fields}, work);
  return work;
}

Json work_in_pieces() {
  return {{"cpu_core_s", 3.5},
          {"threads", 2},
          {"sleep_s", 0},
          {"memory", Json::array()},
          {"pieces", {{3, 0.25}, {0, 2}, {0.5, 0}}}};
}

// Rounding to whole millicores would overflow.
TEST(NodeUse, CoresWithoutEndAreRefused) {
  const Json good = {{"use", {1e9, 9e18, 1e9, 9e18}}}, bad = {{"use", {9e18, 0, 0, 0}}};
  NodeUse use;
  get(Fields(good), "use", use);
  EXPECT_EQ(use.node.cores, Millicores(1'000'000'000'000));
  EXPECT_THROW(get(Fields(bad), "use", use), BadField);
}

TEST(TaskWork, InPiecesSurvivesARoundTrip) {
  TaskWork work;
  work.threads = 2;
  work.pieces = {{core_seconds(3), emu_seconds(0.25)},
                 {core_seconds(0), emu_seconds(2)},
                 {core_seconds(0.5), emu_seconds(0)}};
  work.cpu = core_seconds(3.5);
  JsonText text;
  text.open('{');
  describe(FieldWriter{text}, work);
  EXPECT_EQ(Json::parse(text.close('}').take()), work_in_pieces());
  EXPECT_EQ(work_from(work_in_pieces()), work);
}

// The most that a task of a scenario does: 256 threads for 10000 h.
TEST(TaskWork, TheLongestTaskSurvivesARoundTrip) {
  TaskWork work;
  work.threads = 256;
  work.pieces = {{core_seconds(256 * 36e6), emu_seconds(0)}};
  work.cpu = core_seconds(256 * 36e6);
  JsonText text;
  text.open('{');
  describe(FieldWriter{text}, work);
  EXPECT_EQ(work_from(Json::parse(text.close('}').take())), work);
}

TEST(TaskWork, PiecesThatPromiseSomethingElseAreRefused) {
  auto refused = [](auto change) {
    Json json = work_in_pieces();
    change(json);
    try {
      work_from(json);
    } catch (const BadField& error) {
      return error.text.find("pieces") != std::string::npos;
    }
    return false;
  };
  EXPECT_TRUE(refused([](Json& json) { json["pieces"][0] = {3}; }));
  EXPECT_TRUE(refused([](Json& json) { json["pieces"][0] = {3, -1}; }));
  EXPECT_TRUE(refused([](Json& json) { json["pieces"][0] = {"3", 0}; }));
  EXPECT_TRUE(refused([](Json& json) { json["pieces"][0] = {1e300, 0}; }));
  EXPECT_TRUE(refused([](Json& json) { json["pieces"] = 3; }));
  EXPECT_TRUE(refused([](Json& json) { json["pieces"] = Json(2000, {0, 0}); }));
  EXPECT_TRUE(refused([](Json& json) { json["cpu_core_s"] = 3; }));
  EXPECT_TRUE(refused([](Json& json) { json["sleep_s"] = 1; }));
  EXPECT_TRUE(refused([](Json& json) { json["pauses"] = 1, json["pause_s"] = 1; }));
  EXPECT_FALSE(refused([](Json&) {}));
}

}  // namespace heddle::wire::values_test
