// The key remaining_model: what predicts the remaining times of reduces, and how it is recorded in
// results.

#include <unistd.h>

#include <filesystem>

#include "common/file.h"
#include "core/policy/reduces/model_file.h"
#include "core/resolve.h"
#include "tests/support/matchers.h"
#include "tests/support/messages.h"
#include "workloads/scenario_file.h"
#include "yaml/write.h"

namespace heddle::model_test {

namespace fs = std::filesystem;

constexpr const char* kRest = R"(
cluster: {nodes: [{name: n, cores: 4, memory: 8GiB}]}
jobs: [{name: j, phases: [{name: m, kind: map, tasks: 1, request: {cores: 1, memory: 1GiB}, cpu: 1s}]}]
)";

std::string text_with(const std::string& policy, const std::string& model = "") {
  return "heddle: 1\nname: s\npolicy: " + policy + "\n" + model + kRest;
}

/// Returns a model that differs from the shipped one: it has one rule less.
std::string another_model() {
  FuzzyModel model = default_fuzzy_model();
  model.rules.pop_back();
  return write_fuzzy_model(model, R"({"by": "O'Neil"})");
}

std::string error_of(const std::string& model) {
  auto read =
      workloads::read_scenario_text(text_with("fair+reservation-aware", model), "dir/s.yaml");
  return read ? "" : read.error().text;
}

class ScenarioModel : public ::testing::Test {
 protected:
  ScenarioModel() : dir_(fs::temp_directory_path() / ("heddle-model-" + std::to_string(getpid()))) {
    fs::create_directories(dir_);
  }
  ~ScenarioModel() override { fs::remove_all(dir_); }
  fs::path dir_;
};

TEST_F(ScenarioModel, AFileIsLookedForBesideTheScenario) {
  ASSERT_TRUE(replace_file((dir_ / "mine.json").string(), another_model()));
  auto read = workloads::read_scenario_text(
      text_with("fair+reservation-aware", "remaining_model: mine.json"),
      (dir_ / "s.yaml").string());
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_TRUE(read->warnings.empty());
  EXPECT_EQ(read->scenario.remaining_model, one_line(another_model()));
  // On the command line, a path is relative to the current directory.
  Overrides overrides;
  overrides.set = {"remaining_model=" + (dir_ / "mine.json").string()};
  auto set = workloads::read_scenario_text(text_with("ikayak"), "elsewhere/s.yaml", overrides);
  ASSERT_TRUE(set) << set.error().text;
  EXPECT_EQ(set->scenario.remaining_model, one_line(another_model()));
}

TEST_F(ScenarioModel, AResolvedScenarioBringsItsModel) {
  for (const std::string& model : {std::string(), one_line(another_model())}) {
    auto read = workloads::read_scenario_text(text_with("ikayak"), "s.yaml");
    ASSERT_TRUE(read) << read.error().text;
    read->scenario.remaining_model = model;
    const Scenario resolved = resolve_simulated(read->scenario);
    EXPECT_EQ(resolved.remaining_model,
              model.empty() ? one_line(write_fuzzy_model(default_fuzzy_model(), "{}")) : model);
    auto again = workloads::read_scenario_text(write_scenario(resolved), "s.yaml");
    ASSERT_TRUE(again) << again.error().text;
    EXPECT_EQ(again->scenario, resolved);
    EXPECT_EQ(resolve_simulated(again->scenario), resolved);
  }
}

TEST_F(ScenarioModel, OthersBringNone) {
  for (const char* policy : {"fair", "ikayak+predictor=naive"}) {
    auto read = workloads::read_scenario_text(text_with(policy), "s.yaml");
    ASSERT_TRUE(read) << read.error().text;
    EXPECT_EQ(resolve_simulated(read->scenario).remaining_model, "") << policy;
  }
}

TEST_F(ScenarioModel, WhatIsWrongIsSaid) {
  auto read = workloads::read_scenario_text(
      text_with("fair", "remaining_model: '" + one_line(another_model()) + "'"), "s.yaml");
  ASSERT_TRUE(read) << read.error().text;
  ASSERT_EQ(read->warnings.size(), 1);
  EXPECT_THAT(read->warnings[0], HasSubstr("has no effect"));
}

TEST_F(ScenarioModel, Messages) {
  tests::expect_messages_of("yaml/model.yaml", "errors", error_of);
}

}  // namespace heddle::model_test
