// The tree of accounts: how it is read and written, and its errors.

#include "tests/support/cluster.h"
#include "tests/support/matchers.h"
#include "tests/support/messages.h"
#include "tests/support/scenario_texts.h"
#include "yaml/write.h"

namespace heddle::account_test {

/// Returns a scenario with these accounts (line 3) and one job with these keys (line 6).
std::string with_accounts(const std::string& accounts, const std::string& job = "user: ann") {
  ScenarioText text;
  text.head += "accounts: [" + accounts + "]\n";
  text.jobs = "jobs:\n- {name: p, workload: pi, " + job + "}\n";
  return text.text();
}

TEST(Accounts, EveryKey) {
  const Scenario scenario = scenario_of(with_accounts(
      "{name: low, parent: top, shares: parent, users: {ann: 10, bob: parent, cy: 0}}, {name: top}",
      "account: low"));
  const AccountSpec low{
      "low", "top", std::nullopt, {{"ann", 10}, {"bob", std::nullopt}, {"cy", 0}}};
  EXPECT_THAT(scenario.accounts, ElementsAre(low, AccountSpec{"top", "", 1, {}}));
  EXPECT_EQ(scenario.jobs[0].account, "low");
  EXPECT_EQ(scenario_of(write_scenario(scenario)), scenario);
}

TEST(Accounts, AreNotWrittenIfThereAreNone) {
  ScenarioText text;
  EXPECT_THAT(write_scenario(scenario_of(text.text())), Not(HasSubstr("account")));
}

// Without a list, any name is an account.
TEST(Accounts, AreCheckedOnlyIfTheyAreListed) {
  ScenarioText text;
  text.jobs = "jobs:\n- {name: p, workload: pi, account: any}\n";
  EXPECT_EQ(errors_of(text.text()), "none");
}

TEST(Accounts, OfATableAreChecked) {
  ScenarioText text;
  text.head += "accounts: [{name: physics}]\n";
  text.jobs =
      "jobs: {table: 2}\n...\njob,account,submit_s,phase,tasks,cores,memory,sleep_s\n"
      "a,physics,0,p,1,1,1048576,5\nb,physic,0,p,1,1,1048576,5\n";
  EXPECT_THAT(errors_of(text.text()),
              HasSubstr("jobs.b: no account is called \"physic\"; expected one of physics; did you "
                        "mean \"physics\"?"));
}

TEST(Accounts, Messages) {
  const auto errors = [](const std::string& accounts) {
    return errors_of(with_accounts(accounts));
  };
  tests::expect_messages_of("yaml/account.yaml", "accounts", errors);
  const auto of_job = [](const std::string& accounts, const std::string& job) {
    return errors_of(with_accounts(accounts, job));
  };
  tests::expect_messages_of("yaml/account.yaml", "accounts and a job", of_job);
}

}  // namespace heddle::account_test
