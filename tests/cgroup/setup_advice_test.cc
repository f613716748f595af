#include "cgroup/setup_advice.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/messages.h"

namespace heddle::cgroup::setup_advice_test {

SetupFacts ann() {
  SetupFacts facts;
  facts.user = "ann";
  facts.uid = 1000;
  facts.shell = 4242;
  facts.layout = {Version::kV2, {{{}, "/sys/fs/cgroup", "/user.slice/user-1000.slice/s.scope"}}};
  return facts;
}

std::string text(const SetupFacts& facts) { return format_options(setup_options(facts)); }

TEST(Ways, AreAsInTheTable) {
  for (const char* kind : {"users", "v1", "root"})
    tests::expect_messages_of("cgroup/setup_advice.yaml", kind, [&](const std::string& words) {
      const auto known = [&](const char* fact) { return words.find(fact) != words.npos; };
      SetupFacts facts = ann();
      facts.root = known("root");
      facts.systemd = known("systemd");
      facts.user_manager = known("session");
      if (known("lacks cpu and pids")) facts.missing = {"cpu", "pids"};
      if (kind == std::string("v1"))
        facts.layout = {
            Version::kV1,
            {{{"cpu", "cpuacct"}, "/c/cpu,cpuacct", "/"}, {{"memory"}, "/c/my memory", "/"}}};
      return text(facts);
    });
}

TEST(Ways, TheFactsOfThisProcess) {
  const Result<SetupFacts> facts = setup_facts();
  ASSERT_TRUE(facts) << facts.error().text;
  EXPECT_EQ(facts->uid, ::geteuid());
  EXPECT_EQ(facts->root, facts->uid == 0);
  EXPECT_FALSE(facts->user.empty());
  EXPECT_EQ(setup_advice(), text(*facts));
}

}  // namespace heddle::cgroup::setup_advice_test
