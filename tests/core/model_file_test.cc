#include "core/policy/reduces/model_file.h"

#include "tests/support/matchers.h"

namespace heddle::model_file_test {

std::string shipped() { return write_fuzzy_model(default_fuzzy_model(), "{}"); }

std::string error_of(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  const Result<FuzzyModel> read = read_fuzzy_model(text);
  return read ? "" : read.error().text;
}

TEST(ModelFile, ComesBackAsItWasWritten) {
  const Result<FuzzyModel> read = read_fuzzy_model(shipped());
  ASSERT_TRUE(read) << read.error().text;
  const FuzzyModel& model = default_fuzzy_model();
  EXPECT_EQ(read->scale, model.scale);
  ASSERT_EQ(read->rules.size(), model.rules.size());
  for (std::size_t i = 0; i < model.rules.size(); ++i) {
    EXPECT_EQ(read->rules[i].centre, model.rules[i].centre);
    EXPECT_EQ(read->rules[i].width, model.rules[i].width);
    EXPECT_EQ(read->rules[i].weights, model.rules[i].weights);
  }
  EXPECT_EQ(write_fuzzy_model(*read, "{}"), shipped());
}

// Runs with a model that was trained before Heddle had a regressor still replay.
TEST(ModelFile, RegressorsThatItDoesNotHaveAreNothingToIt) {
  const Result<FuzzyModel> read = read_fuzzy_model(
      R"({"heddle_remaining_time": 1, "premise": ["selectivity", "stage", "maps"],
          "regressors": ["y", "maps_s", "queue"], "scale": [2, 4, 5],
          "rules": [{"centre": [0, 1, 2], "width": [1, 1, 1], "weights": [10, 20, 30, 7]}]})");
  ASSERT_TRUE(read) << read.error().text;
  TakagiSugeno model(*read);
  const Eigen::Vector3d premise(0, 1, 2);
  Eigen::VectorXd x = Eigen::VectorXd::Constant(12, 1e6);
  x[0] = 4;    // y
  x[4] = 8;    // maps_s
  x[11] = 15;  // queue
  const double expected = 10 * 4 / 2. + 20 * 8 / 4. + 30 * 15 / 5. + 7;
  EXPECT_DOUBLE_EQ(model.predict(premise, x), expected);
  // The model learns nothing from such regressors either.
  model.adapt({premise, x, expected + 50}, 1);
  const double learned = model.predict(premise, x);
  EXPECT_GT(learned, expected);
  x[9] = 0;  // backlog
  EXPECT_DOUBLE_EQ(model.predict(premise, x), learned);
}

TEST(ModelFile, SaysWhatIsWrong) {
  EXPECT_THAT(read_fuzzy_model("{").error().text, HasSubstr("heddle train"));
  EXPECT_THAT(read_fuzzy_model("[]").error().text, HasSubstr("expected an object"));
  const std::string deep = std::string(500'000, '[') + std::string(500'000, ']');
  EXPECT_THAT(read_fuzzy_model(R"({"heddle_remaining_time":)" + deep + "}").error().text,
              HasSubstr("not JSON"));
  EXPECT_THAT(read_fuzzy_model("{}").error().text, HasSubstr("is missing"));
  EXPECT_THAT(error_of(shipped(), "\"heddle_remaining_time\": 1", "\"heddle_remaining_time\": 9"),
              HasSubstr("version 9"));
  EXPECT_THAT(error_of(shipped(), "\"selectivity\"", "\"colour\""), HasSubstr("premise: expected"));
  EXPECT_THAT(error_of(shipped(), "\"y_before\"", "\"z\""), HasSubstr("train the model again"));
  EXPECT_THAT(error_of(shipped(), "\"y_before\",\n  \"u\"", "\"u\",\n  \"y_before\""),
              HasSubstr("in that order"));
  for (const char* names : {R"("y")", R"({"y": 1})", "[]", "7"})
    EXPECT_THAT(read_fuzzy_model(R"({"heddle_remaining_time": 1,
                    "premise": ["selectivity", "stage", "maps"], "regressors": )" +
                                 std::string(names) + "}")
                    .error()
                    .text,
                HasSubstr("regressors: expected"))
        << names;
  EXPECT_THAT(error_of(shipped(), "\"width\": [", "\"width\": [0, "),
              HasSubstr("rules[0].width: expected 3 numbers"));
  EXPECT_THAT(error_of(shipped(), "\"centre\"", "\"center\""),
              HasSubstr("rules[0].centre: is missing"));
  EXPECT_THAT(error_of(shipped(), "\"scale\": [", "\"scale\": [\"x\", "),
              HasSubstr("scale: expected"));
}

}  // namespace heddle::model_file_test
