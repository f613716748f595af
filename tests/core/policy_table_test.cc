#include <map>
#include <set>

#include "core/policy/reduces/early_start.h"
#include "core/policy/registry.h"
#include "tests/support/matchers.h"
#include "tests/support/messages.h"

namespace heddle::policy_table_test {

std::string error_of(std::string_view text) {
  auto parsed = parse_policy(text);
  if (parsed) return "no error";
  EXPECT_EQ(parsed.error().kind, Error::Kind::kUsage);
  return parsed.error().text;
}

/// Returns the value of a part or an option as text.
std::string text_of(const PolicySpec& policy, std::string_view key) {
  const Option* option = find_option(key);
  return option ? option_text(policy, *option) : chosen_part(policy, key);
}

TEST(PolicyTable, EveryPresetNamesAChoiceForEachPart) {
  std::set<std::string_view> names;
  for (const PolicyPreset& preset : policy_presets()) {
    EXPECT_TRUE(names.insert(preset.name).second) << preset.name;
    EXPECT_FALSE(preset.summary.empty());
    ASSERT_EQ(preset.parts.size(), part_kinds().size());
    for (std::size_t i = 0; i < preset.parts.size(); ++i)
      EXPECT_THAT(part_kinds()[i].choices, Contains(preset.parts[i])) << preset.name;
  }
}

TEST(PolicyTable, EveryPartDescribesItself) {
  std::set<std::string_view> names;
  for (const PartKind& kind : part_kinds())
    for (const PartText* part : kind.choices) {
      EXPECT_FALSE(part->summary.empty()) << part->name;
      if (part->name == "none") continue;  // used by several kinds of parts
      EXPECT_TRUE(names.insert(part->name).second) << part->name;
      EXPECT_FALSE(part->good_at.empty()) << part->name;
      EXPECT_FALSE(part->bad_at.empty()) << part->name;
      EXPECT_FALSE(part->source.empty()) << part->name;
    }
}

TEST(PolicyTable, OptionNamesAreUniqueAndNoPartsAndTheirDefaultsValid) {
  std::set<std::string_view> names{"preset"};
  for (const PartKind& kind : part_kinds()) names.insert(kind.name);
  for (const Option* option : policy_options()) {
    EXPECT_TRUE(names.insert(option->name).second) << option->name;
    EXPECT_FALSE(option->help.empty());
    PolicySpec spec;
    EXPECT_TRUE(set_policy_key(spec, option->name, option->by_default)) << option->name;
  }
}

// The first line of a journal lists options in this order. A new part can add options, but not
// among those of the default policy.
TEST(PolicyTable, OptionsOfTheDefaultPolicyComeFirst) {
  const std::string known =
      "strict_order order priority_age priority_fairshare priority_size priority_partition "
      "priority_qos priority_max_age priority_favor priority_half_life priority_calc_period "
      "priority_rule priority_damping priority_root_user reserve reservable_nodes node_order "
      "node_ties node_scores fgd_window delay node_delay rack_delay delay_time delay_reset "
      "reduce_early_start reduce_ramp_limit max_am_share node_kills_count preemption "
      "preemption_grace user_queues fair_resource resource_calculator cores_weight "
      "memory_weight initial_assignment urgency aggressiveness dress_indicator categories "
      "indicator_base initial_ratio min_ratio max_ratio ratio_floor large_pool "
      "ratio_interval release_estimate release_horizon phase_window phase_starts phase_ends "
      "backfill backfill_order estimates reserve_depth backfill_resolution policy_timeout "
      "policy_cost policy_sees batsim_resource damping cores_damping memory_damping "
      "estimate_at container_usage predictor prediction_noise control_interval "
      "replace_margin suspend_power suspend_threshold suspend_cost lambda_at ";
  std::string all, found;
  for (const Option* option : policy_options()) {
    const std::string name = std::string(option->name) + " ";
    all += name;
    if ((" " + known).find(" " + name) != std::string::npos) found += name;
  }
  EXPECT_EQ(found, known);
  EXPECT_THAT(all, StartsWith(known.substr(0, known.find("preemption "))));
}

TEST(PolicyTable, WhoReadsAnOptionIsDerivedFromTheParts) {
  EXPECT_THAT(readers(*find_option("strict_order")), ElementsAre("fifo"));
  EXPECT_THAT(readers(*find_option("control_interval")),
              ElementsAre("non-spread-out", "reservation-aware", "spread-out", "suspend"));
  EXPECT_THAT(readers(*find_option("delay")), ElementsAre());
}

enum class Color { kRed, kGreen };

TEST(TypedOption, ReadsItsType) {
  constexpr FlagOption kFlag({.name = "f", .by_default = "true"});
  constexpr CountOption kCount({.name = "c", .most = 9, .by_default = "7"});
  constexpr SecondsOption kTime({.name = "t", .most = 9, .unit = "s", .by_default = "1.5"});
  constexpr WordOption<Color> kWord({.name = "w", .words = {"red", "green"}, .by_default = "red"});
  const PolicySpec none;
  EXPECT_EQ(value(none, kFlag), true);
  EXPECT_EQ(value(none, kCount), 7);
  EXPECT_EQ(value(none, kTime), EmuTime(1500000));
  EXPECT_EQ(value(none, kWord), Color::kRed);
  constexpr AutoFlagOption kAuto({.name = "a", .words = {"auto"}, .by_default = "auto"});
  EXPECT_EQ(value(none, kAuto), std::nullopt);
  EXPECT_EQ(value(PolicySpec{"fifo", {{"a", "true"}}}, kAuto), true);
  EXPECT_EQ(value(PolicySpec{"fifo", {{"a", "false"}}}, kAuto), false);
  const PolicySpec given{"fifo", {{"c", "3"}, {"f", "false"}, {"t", "2"}, {"w", "green"}}};
  EXPECT_EQ(value(given, kFlag), false);
  EXPECT_EQ(value(given, kCount), 3);
  EXPECT_EQ(value(given, kTime), EmuTime(2000000));
  EXPECT_EQ(value(given, kWord), Color::kGreen);
  EXPECT_FALSE(kCount.check("1.5"));
  EXPECT_FALSE(kWord.check("blue"));
}

TEST(ParsePolicy, APreset) {
  auto spec = parse_policy("fifo");
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->preset, "fifo");
  EXPECT_TRUE(spec->options.empty());
}

TEST(ParsePolicy, PartsAndOptionsJoined) {
  auto spec = parse_policy("scheduler=fifo+strict_order=true+reserve=false+first-fit");
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->preset, "fifo");
  EXPECT_THAT(spec->options, ElementsAre(Pair("executor_placement", "first-fit"),
                                         Pair("reserve", "false"), Pair("strict_order", "true")));
}

TEST(ParsePolicy, TheLastOfTwoCounts) {
  auto spec = parse_policy("fifo+reserve=false+reserve=true");
  ASSERT_TRUE(spec);
  EXPECT_THAT(spec->options, ElementsAre(Pair("reserve", "true")));
}

TEST(ParsePolicy, BehindAPresetAWordIsAPart) {
  Result<PolicySpec> spec = parse_policy("fifo+shrink+spread-out");
  ASSERT_TRUE(spec);
  EXPECT_EQ(text_of(*spec, "locality"), "shrink");
  EXPECT_EQ(text_of(*spec, "executor_placement"), "spread-out");
  spec = parse_policy("fifo+estimation");
  ASSERT_TRUE(spec);
  EXPECT_EQ(text_of(*spec, "scheduler"), "fifo");
  EXPECT_EQ(text_of(*spec, "capacity_model"), "estimation");
  spec = parse_policy("estimation");
  ASSERT_TRUE(spec);
  EXPECT_EQ(text_of(*spec, "scheduler"), "capacity");
  EXPECT_EQ(text_of(*spec, "capacity_model"), "estimation");
}

TEST(ParsePolicy, SharesAndTimesMayHaveUnits) {
  const auto option_of = [](const std::string& text, const std::string& name) {
    const Result<PolicySpec> policy = parse_policy(text);
    return policy ? *given_text(*policy, name) : policy.error().text;
  };
  tests::expect_messages_of("core/policy_table.yaml", "shares and times may have units", option_of);
}

TEST(PolicyOptions, OtherDefaultsAreThoseOfThePresetOrTheScheduler) {
  for (const Option* option : policy_options())
    for (const auto& [choice, value] : other_defaults(*option)) {
      PolicySpec spec = *parse_policy(choice == "external"  ? "exec:./mine.py"
                                      : find_preset(choice) ? choice
                                                            : "scheduler=" + choice);
      EXPECT_EQ(option_text(spec, *option), value);
      EXPECT_TRUE(set_policy_key(spec, option->name, value));
      EXPECT_NE(value, option->by_default);
    }
}

TEST(PolicyOptions, ValuesAsPeopleReadThem) {
  EXPECT_EQ(find_option("strict_order")->values(), "true, false");
  EXPECT_EQ(find_option("node_ties")->values(), "lowest, drawn");
  EXPECT_EQ(find_option("max_am_share")->values(), "0 to 1");
  EXPECT_EQ(find_option("node_delay")->values(), "0 to 1000000 opportunities");
}

TEST(PolicyOptions, ListsAscendAndAreInBrackets) {
  constexpr NumbersOption kNumbers({.name = "categories", .most = 1});
  auto numbers = [&](const std::string& text) {
    return value({"dress", {{"categories", text}}}, kNumbers);
  };
  EXPECT_EQ(numbers("[]"), std::vector<double>());
  EXPECT_EQ(numbers("[0.05, 0.2]"), (std::vector<double>{0.05, 0.2}));
  EXPECT_EQ(numbers("[0.1]"), (std::vector<double>{0.1}));
  for (const char* text : {"0.05", "[0.2, 0.1]", "[0.1, 0.1]", "[0.1,]", "[,0.1]", "[0.1 x]", "[2]",
                           "[nan]", "[", "]", ""}) {
    PolicySpec spec;
    auto set = set_policy_key(spec, "categories", text);
    ASSERT_FALSE(set) << text;
    EXPECT_THAT(set.error().text,
                HasSubstr("expected a list such as [0.05, 0.2], ascending, each 0 "
                          "to 1"));
  }
}

TEST(PolicyOptions, SomeNumbersMayBeAWord) {
  constexpr AutoNumberOption kInterval(
      {.name = "ratio_interval", .most = 9, .words = {"auto"}, .by_default = "auto"});
  PolicySpec spec;
  EXPECT_TRUE(set_policy_key(spec, "ratio_interval", "auto"));
  EXPECT_EQ(value(spec, kInterval), std::nullopt);
  EXPECT_TRUE(set_policy_key(spec, "ratio_interval", "2.5"));
  EXPECT_EQ(value(spec, kInterval), 2.5);
  auto set = set_policy_key(spec, "ratio_interval", "auot");
  ASSERT_FALSE(set);
  EXPECT_THAT(set.error().text, HasSubstr("expected a number, 0.001 to 86400 s, auto"));
}

// The four baselines differ only in their order.
TEST(PolicyValue, ReservationsAreOnForTheFourBaselines) {
  std::map<std::string, std::string> reserve;
  for (const char* name : {"fifo", "fair", "drf", "capacity", "ffd-dp"})
    reserve[name] = text_of(*parse_policy(name), "reserve");
  EXPECT_EQ(reserve, (std::map<std::string, std::string>{{"fifo", "true"},
                                                         {"fair", "true"},
                                                         {"drf", "true"},
                                                         {"capacity", "true"},
                                                         {"ffd-dp", "false"}}));
  EXPECT_EQ(text_of(*parse_policy("ffd-dp+scheduler=capacity"), "reserve"), "true");
  EXPECT_EQ(text_of(*parse_policy("fair+reserve=false"), "reserve"), "false");
  EXPECT_EQ(text_of(*parse_policy("ffd-dp+reserve=true"), "reserve"), "true");
}

TEST(PolicyValue, NumbersAsNumbers) {
  EXPECT_EQ(value(*parse_policy("fifo"), kReduceEarlyStart), 0.05);
  EXPECT_EQ(value(*parse_policy("fifo+reduce_early_start=0.3"), kReduceEarlyStart), 0.3);
}

// A preset with the name of a scheduler is only that scheduler, so the two can replace each other.
TEST(ParsePolicy, AnotherSchedulerIsAnotherPreset) {
  EXPECT_EQ(policy_text(*parse_policy("scheduler=drf+reserve=true")), "drf+reserve=true");
  EXPECT_EQ(parse_policy("fair+scheduler=fifo")->preset, "fifo");
  PolicySpec composed{"ikayak", {}};
  ASSERT_TRUE(set_policy_key(composed, "scheduler", "drf"));
  EXPECT_EQ(policy_text(composed), "ikayak+scheduler=drf");
}

TEST(PolicyValue, OptionThenPresetThenDefault) {
  PolicySpec spec = *parse_policy("fifo+reserve=false");
  EXPECT_EQ(text_of(spec, "reserve"), "false");
  EXPECT_EQ(text_of(spec, "strict_order"), "false");
  EXPECT_EQ(text_of(spec, "node_order"), "heartbeat");
  EXPECT_EQ(text_of(spec, "scheduler"), "fifo");
  EXPECT_EQ(text_of(spec, "capacity_model"), "reservation");
  EXPECT_EQ(text_of(spec, "nonsense"), "");
}

TEST(PolicyTable, Messages) {
  tests::expect_messages_of("core/policy_table.yaml", "errors", error_of);
}

}  // namespace heddle::policy_table_test
