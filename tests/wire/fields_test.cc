#include "wire/fields.h"

#include <gtest/gtest.h>

namespace heddle::wire::fields_test {

TEST(ParseJson, MakesTheTreeThatTheLibraryMakes) {
  for (const char* text :
       {"null", "true", "-7", "18446744073709551615", "1e300", R"("a\u00e9\n")", "[]", "{}",
        "[[],[[]],{}]", R"({"m":"x","rows":[[1,2.5,3,0.1],[4,5,6]],"in":{"a":[true,null]}})",
        R"({"a":1,"b":2,"a":[3]})", R"([{"a":{"b":[{"c":[]}]}},"x",1])", " [ 1 , 2 ] "})
    EXPECT_EQ(parse_json(text).dump(), Json::parse(text).dump()) << text;
}

// Few and many keys are read in different ways.
TEST(ParseJson, TheLastValueOfARepeatedKeyCountsInItsFirstPlace) {
  for (const int keys : {4, 31, 32, 33, 200}) {
    std::string text = "{", wanted = "{";
    for (int i = 0; i < keys; ++i) {
      text +=
          (i > 0 ? "," : "") + ("\"k" + std::to_string(i % (keys - 2)) + "\":" + std::to_string(i));
      if (i >= keys - 2) continue;
      wanted += (i > 0 ? "," : "") +
                ("\"k" + std::to_string(i) + "\":" + std::to_string(i < 2 ? i + keys - 2 : i));
    }
    EXPECT_EQ(parse_json(text + "}").dump(), wanted + "}") << keys;
  }
}

// A search of all keys for each key would take 10^10 / 2 comparisons.
TEST(ParseJson, AnObjectOfManyKeys) {
  constexpr int kKeys = 100'000;
  std::string text = "[{\"k0\":-1";
  for (int i = 0; i < kKeys; ++i) text += ",\"k" + std::to_string(i) + "\":" + std::to_string(i);
  const Json json = parse_json(text + "},7]");
  ASSERT_EQ(json.size(), 2U);
  EXPECT_EQ(json[1], 7);
  ASSERT_EQ(json[0].size(), std::size_t{kKeys});
  int next = 0;
  for (const auto& [key, value] : json[0].items()) {
    EXPECT_EQ(key, "k" + std::to_string(next));
    EXPECT_EQ(value, next++);
  }
}

TEST(ParseJson, OfWhatIsNoJsonThereIsNone) {
  for (const char* text :
       {"", "[1,", "[1]]", "{\"a\":1", "{1:2}", "[1 2]", "nul", "\"\xff\"", "1e999"})
    EXPECT_TRUE(parse_json(text).is_discarded()) << text;
  EXPECT_TRUE(parse_json(std::string(kMaxDepth + 1, '[')).is_discarded());
}

TEST(Fields, ElementsAreHandedOutWhereTheyAre) {
  const Json json = parse_json(R"({"rows":[[1,2],[3,4]]})");
  EXPECT_EQ(&Fields(json).array("rows", 2), &json["rows"].get_ref<const Json::array_t&>());
  EXPECT_THROW((void)Fields(json).array("rows", 1), BadField);
}

}  // namespace heddle::wire::fields_test
