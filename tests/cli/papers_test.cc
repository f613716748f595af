#include "cli/manage/papers.h"

#include <algorithm>
#include <set>

#include "core/policy/registry.h"
#include "tests/support/matchers.h"

namespace heddle::cli::papers_test {

/// Returns the keys of the papers that a policy with these members uses.
std::vector<std::string> keys_of(const wire::Json& policy) {
  std::vector<std::string> keys;
  for (const Paper* paper : papers_of(policy)) keys.emplace_back(paper->key);
  return keys;
}

TEST(Papers, AreThoseOfPartsAndOptions) {
  EXPECT_THAT(keys_of({{"preset", "fifo"}, {"scheduler", "fifo"}}), IsEmpty());
  EXPECT_THAT(keys_of({{"preset", "dress"}, {"scheduler", "dress"}}), ElementsAre("dress"));
  EXPECT_THAT(keys_of({{"preset", "easy"}, {"scheduler", "easy"}}),
              ElementsAre("lifka-backfilling", "mualem-backfilling"));
  EXPECT_THAT(keys_of({{"preset", "estimation"},
                       {"scheduler", "drf"},
                       {"capacity_model", "estimation"},
                       {"delay", "both"},
                       {"node_order", "fgd"}}),
              ElementsAre("drf", "usage-slack", "fgd", "delay-scheduling"));
  EXPECT_THAT(keys_of({{"preset", "ikayak"},
                       {"scheduler", "fair"},
                       {"executor_placement", "reservation-aware"},
                       {"predictor", "auto"}}),
              ElementsAre("ikayak", "late"));
}

// A summary has the options of all policies. Only easy and conservative read `estimates`.
TEST(Papers, AreNotThoseOfOptionsThatThePolicyDoesNotRead) {
  const auto of = [](const char* scheduler) {
    return keys_of({{"preset", scheduler}, {"scheduler", scheduler}, {"estimates", "last-two"}});
  };
  EXPECT_THAT(of("fifo"), IsEmpty());
  EXPECT_THAT(of("conservative"), ElementsAre("mualem-backfilling", "tsafrir-predictions"));
}

TEST(Papers, AreUsedByPoliciesThatExist) {
  for (const Paper& paper : papers())
    for (const PolicyValue& use : paper.uses) {
      SCOPED_TRACE(std::string(use.key) + "=" + std::string(use.value));
      PolicySpec policy;
      EXPECT_TRUE(set_policy_key(policy, use.key, use.value));
    }
}

TEST(Papers, HaveWholeEntriesWithKeysOfTheirOwn) {
  std::set<std::string_view> keys;
  for (const Paper& paper : papers()) {
    SCOPED_TRACE(paper.key);
    EXPECT_TRUE(keys.insert(paper.key).second);
    EXPECT_THAT(std::string(paper.bibtex),
                MatchesRegex("@[a-z]+\\{" + std::string(paper.key) + ",\n(.|\n)*\n\\}"));
    EXPECT_EQ(std::ranges::count(paper.bibtex, '{'), std::ranges::count(paper.bibtex, '}'));
    for (const char* field : {"author", "year"})
      EXPECT_EQ(paper.bibtex.find(std::string("\n  ") + field + " = {") != std::string_view::npos,
                paper.complete)
          << field;
    EXPECT_NE(paper.bibtex.find("\n  title = {"), std::string_view::npos);
  }
}

// Each scheduler and each other part of a paper is in the table.
TEST(Papers, CoverThePartsThatNameOne) {
  std::set<std::string> used;
  for (const Paper& paper : papers())
    for (const PolicyValue& use : paper.uses) used.emplace(use.value);
  for (const PartKind& kind : part_kinds())
    for (const PartText* part : kind.choices)
      if (std::string(part->source).find("20") != std::string::npos ||
          std::string(part->source).find("19") != std::string::npos ||
          std::string(part->source).find("paper") != std::string::npos)
        EXPECT_TRUE(used.contains(std::string(part->name))) << part->name;
}

}  // namespace heddle::cli::papers_test
