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
