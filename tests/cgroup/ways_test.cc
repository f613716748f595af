#include "cgroup/ways.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace heddle::cgroup::ways_test {

WayFacts ann() {
  WayFacts facts;
  facts.user = "ann";
  facts.uid = 1000;
  facts.shell = 4242;
  facts.layout = {Version::kV2, {{{}, "/sys/fs/cgroup", "/user.slice/user-1000.slice/s.scope"}}};
  return facts;
}

constexpr const char* kSubtree =
    "a subtree that root delegates, with this shell in it\n"
    "  # as root\n"
    "  echo '+cpu +memory +pids' >/sys/fs/cgroup/cgroup.subtree_control\n"
    "  mkdir -p /sys/fs/cgroup/heddle.ann/shell\n"
    "  cd /sys/fs/cgroup/heddle.ann && chown ann . cgroup.procs cgroup.threads "
    "cgroup.subtree_control\n"
    "  echo 4242 >/sys/fs/cgroup/heddle.ann/shell/cgroup.procs\n"
    "  # then, as ann in that shell:\n"
    "  heddle run SCENARIO\n";
constexpr const char* kUnit =
    "or a systemd unit, made by root\n"
    "  # as root; in a unit file: User=ann, Delegate=yes, and no shell around heddle\n"
    "  systemd-run --pty --same-dir --uid=ann -p Delegate=yes heddle run SCENARIO\n";
constexpr const char* kScope =
    "  # heddle run does this by itself\n"
    "  systemd-run --user --scope -p Delegate=yes heddle run SCENARIO\n";

std::string text(const WayFacts& facts) { return format_ways(ways_to_groups(facts)); }

TEST(Ways, OfAUserWithoutSystemd) { EXPECT_EQ(text(ann()), kSubtree); }

TEST(Ways, OfAUserInASession) {
  WayFacts facts = ann();
  facts.systemd = facts.user_manager = true;
  EXPECT_EQ(text(facts), std::string("a systemd session\n") + kScope + kUnit + "or " + kSubtree);
}

TEST(Ways, OfAUserWhoseSessionLacksControllers) {
  WayFacts facts = ann();
  facts.systemd = facts.user_manager = true;
  facts.missing = {"cpu", "pids"};
  EXPECT_EQ(text(facts),
            std::string("a systemd session\n"
                        "  # as root, once: the sessions of users lack cpu and pids\n"
                        "  mkdir -p /etc/systemd/system/user@.service.d\n"
                        "  printf '[Service]\\nDelegate=cpu memory pids\\n' "
                        ">/etc/systemd/system/user@.service.d/heddle.conf\n"
                        "  systemctl daemon-reload\n"
                        "  systemctl restart user@1000.service  # ends the session\n") +
                kScope + kUnit + "or " + kSubtree);
}

TEST(Ways, OfAUserWithoutASession) {
  WayFacts facts = ann();
  facts.systemd = true;
  EXPECT_EQ(
      text(facts),
      std::string("a systemd session\n"
                  "  # log in by ssh or at a terminal (su and sudo make no session); or, as root:\n"
                  "  loginctl enable-linger ann\n"
                  "  # and then, as ann:\n"
                  "  export XDG_RUNTIME_DIR=/run/user/1000\n") +
          kScope + kUnit + "or " + kSubtree);
}

TEST(Ways, OfAUserOnV1) {
  WayFacts facts = ann();
  facts.systemd = facts.user_manager = true;  // has no cpu and memory controllers to give on v1
  facts.layout = {Version::kV1,
                  {{{"cpu", "cpuacct"}, "/c/cpu,cpuacct", "/"}, {{"memory"}, "/c/my memory", "/"}}};
  EXPECT_EQ(text(facts),
            "a group that root makes in each hierarchy (with cgroup v1 a user has no other way)\n"
            "  # as root\n"
            "  mkdir -p /c/cpu,cpuacct/heddle.ann && chown ann /c/cpu,cpuacct/heddle.ann\n"
            "  mkdir -p '/c/my memory/heddle.ann' && chown ann '/c/my memory/heddle.ann'\n"
            "  # then, as ann:\n"
            "  heddle run SCENARIO --cgroup /heddle.ann\n");
}

TEST(Ways, OfRoot) {
  WayFacts facts = ann();
  facts.root = true;
  const std::string any =
      "a group that holds no process\n"
      "  # in a container: one with --privileged, or whose cgroup.procs lists only this shell\n"
      "  heddle run SCENARIO --cgroup /heddle.home\n";
  EXPECT_EQ(text(facts), any);
  facts.systemd = true;
  EXPECT_EQ(text(facts),
            "a systemd scope\n"
            "  # heddle run does this by itself\n"
            "  systemd-run --scope -p Delegate=yes heddle run SCENARIO\n"
            "or " +
                any);
  facts.layout.version = Version::kV1;
  EXPECT_EQ(text(facts),
            "groups that are not mounted read-only\n"
            "  # as root of the host, or in a container with --privileged\n"
            "  heddle run SCENARIO\n");
}

TEST(Ways, TheFactsOfThisProcess) {
  const Result<WayFacts> facts = way_facts();
  ASSERT_TRUE(facts) << facts.error().text;
  EXPECT_EQ(facts->uid, ::geteuid());
  EXPECT_EQ(facts->root, facts->uid == 0);
  EXPECT_FALSE(facts->user.empty());
  EXPECT_EQ(ways_text(), text(*facts));
}

}  // namespace heddle::cgroup::ways_test
