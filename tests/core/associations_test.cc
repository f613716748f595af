#include "core/policy/scheduler/associations.h"

#include "tests/support/cluster.h"
#include "tests/support/matchers.h"

namespace heddle::associations_test {

JobSpec job_of(const std::string& user, const std::string& account = "") {
  JobSpec job;
  job.user = user;
  job.account = account;
  return job;
}

/// Returns the path of a member by the numbers of its ancestors, and its shares: "0/1/3 10".
std::string text_of(const ShareTree& tree, int member) {
  std::string path;
  for (int at = member; at >= 0; at = tree.member(at).above)
    path = std::to_string(at) + (path.empty() ? "" : "/" + path);
  const ShareTree::Member& it = tree.member(member);
  return path + (it.user ? " user " : " account ") +
         (it.shares ? std::to_string(static_cast<int>(*it.shares)) : "parent");
}

std::vector<std::string> members(const ShareTree& tree) {
  std::vector<std::string> all;
  for (int member = 1; member < std::ssize(tree.members()); ++member)
    all.push_back(text_of(tree, member));
  return all;
}

TEST(Associations, WithoutAccountsUsersAreBelowTheRoot) {
  Scenario scenario;
  scenario.jobs = {job_of("ann"), job_of("bob"), job_of("ann"), job_of("root")};
  const Associations with = associations_of(scenario, true);
  EXPECT_THAT(members(with.tree), ElementsAre("0/1 user 1", "0/2 user 1", "0/3 user 1"));
  EXPECT_THAT(with.of_job, ElementsAre(2, 3, 2, 1));
  scenario.jobs.pop_back();
  EXPECT_THAT(members(associations_of(scenario, false).tree),
              ElementsAre("0/1 user 1", "0/2 user 1"));
}

TEST(Associations, AccountsMayComeBeforeTheirParents) {
  Scenario scenario;
  scenario.accounts = {{"low", "top", std::nullopt, {{"ann", 7}, {"bob", std::nullopt}}},
                       {"other", "", 2, {}},
                       {"top", "", 3, {{"ann", 5}}}};
  EXPECT_THAT(members(associations_of(scenario, false).tree),
              ElementsAre("0/1 account 2", "0/2 account 3", "0/2/3 account parent",
                          "0/2/3/4 user 7", "0/2/3/5 user parent", "0/2/6 user 5"));
}

TEST(Associations, AJobCountsToItsAccountOrTheFirstOfItsUser) {
  Scenario scenario;
  scenario.accounts = {{"a", "", 1, {{"ann", 1}}}, {"b", "", 1, {{"ann", 1}}}};
  scenario.jobs = {job_of("ann"), job_of("ann", "b"), job_of("bob", "b"), job_of("bob"),
                   job_of("ann", "c")};
  const Associations got = associations_of(scenario, false);
  EXPECT_THAT(members(got.tree),
              ElementsAre("0/1 account 1", "0/2 account 1", "0/1/3 user 1", "0/2/4 user 1",
                          "0/2/5 user 1", "0/6 user 1", "0/7 account 1", "0/7/8 user 1"));
  EXPECT_THAT(got.of_job, ElementsAre(3, 4, 5, 6, 8));
}

}  // namespace heddle::associations_test
