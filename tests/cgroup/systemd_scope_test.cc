#include "cgroup/systemd_scope.h"

#include "tests/support/matchers.h"

namespace heddle::cgroup::systemd_scope_test {

const std::vector<std::string> kArgv = {"heddle", "run", "a b.yaml"};

ScopeFacts terminal_of_a_user() {
  return {Version::kV2, false, false, /*root=*/false, /*systemd=*/true, /*user_manager=*/true};
}

TEST(ScopeCommand, OfAUser) {
  auto command = scope_command(terminal_of_a_user(), kArgv);
  ASSERT_TRUE(command);
  EXPECT_THAT(*command,
              ElementsAre("systemd-run", "--scope", "--quiet", "--collect", "--user",
                          "--slice=-.slice", "-p", "CPUWeight=10000", "-p", "Delegate=yes",
                          "--setenv=HEDDLE_SCOPE=1", "--", "heddle", "run", "a b.yaml"));
}

TEST(ScopeCommand, OfRoot) {
  ScopeFacts facts = terminal_of_a_user();
  facts.root = true;
  facts.user_manager = false;
  auto command = scope_command(facts, kArgv);
  ASSERT_TRUE(command);
  EXPECT_THAT(*command,
              ElementsAre("systemd-run", "--scope", "--quiet", "--collect", "--slice=-.slice", "-p",
                          "CPUWeight=10000", "-p", "Delegate=yes", "--setenv=HEDDLE_SCOPE=1", "--",
                          "heddle", "run", "a b.yaml"));
}

TEST(ScopeWeight, IsChangedForARunThatSharesPolitely) {
  ScopeFacts facts = terminal_of_a_user();
  facts.done = true;
  const std::string scope = "/user.slice/user-1000.slice/user@1000.service/run-r1.scope";
  EXPECT_THAT(weight_command(facts, scope, CpuWeight{100}).value(),
              ElementsAre("/usr/bin/systemctl", "--user", "set-property", "--runtime",
                          "run-r1.scope", "CPUWeight=100"));
  EXPECT_FALSE(weight_command(facts, scope, CpuWeight::kUrgent));
  EXPECT_FALSE(weight_command(facts, "/a", CpuWeight{100}));
  facts.root = true;
  EXPECT_THAT(weight_command(facts, "/run-r1.scope", CpuWeight{200}).value(),
              ElementsAre("/usr/bin/systemctl", "set-property", "--runtime", "run-r1.scope",
                          "CPUWeight=200"));
  facts.done = false;
  EXPECT_FALSE(weight_command(facts, "/run-r1.scope", CpuWeight{200}));
}

TEST(ScopeCommand, NotWhereItIsNotNeededOrCannotBe) {
  auto without = [](auto change) {
    ScopeFacts facts = terminal_of_a_user();
    change(facts);
    return !scope_command(facts, kArgv);
  };
  EXPECT_TRUE(without([](ScopeFacts& f) { f.version = Version::kV1; }));
  EXPECT_TRUE(without([](ScopeFacts& f) { f.done = true; }));
  EXPECT_TRUE(without([](ScopeFacts& f) { f.own_fits = true; }));
  EXPECT_TRUE(without([](ScopeFacts& f) { f.systemd = false; }));
  EXPECT_TRUE(without([](ScopeFacts& f) { f.user_manager = false; }));
}

}  // namespace heddle::cgroup::systemd_scope_test
