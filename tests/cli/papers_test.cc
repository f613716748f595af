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
    EXPECT_TRUE(paper.bibtex.starts_with("@") && paper.bibtex.ends_with("\n}"));
    EXPECT_THAT(std::string(paper.bibtex), HasSubstr("{" + std::string(paper.key) + ",\n"));
    EXPECT_EQ(std::ranges::count(paper.bibtex, '{'), std::ranges::count(paper.bibtex, '}'));
    for (const char* field : {"author", "title", "year"})
      EXPECT_EQ(paper.bibtex.find(std::string("\n  ") + field + " = {") != std::string_view::npos,
                paper.complete)
          << field;
  }
}

/// Returns whether the source of a part is a paper: it has a year, or says so.
bool is_of_paper(std::string_view source) {
  const auto has = [&](const char* word) { return source.find(word) != std::string_view::npos; };
  return has("20") || has("19") || has("paper");
}

TEST(Papers, CoverThePartsThatNameOne) {
  std::set<std::string_view> used;
  for (const Paper& paper : papers())
    for (const PolicyValue& use : paper.uses) used.insert(use.value);
  for (const PartKind& kind : part_kinds())
    for (const PartText* part : kind.choices) {
      SCOPED_TRACE(part->name);
      EXPECT_TRUE(!is_of_paper(part->source) || used.contains(part->name));
    }
}

}  // namespace heddle::cli::papers_test
