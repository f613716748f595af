#include "cgroup/detect.h"

#include "tests/support/matchers.h"

namespace heddle::cgroup::detect_test {

constexpr const char* kHybridMounts =
    "proc /proc proc rw 0 0\n"
    "tmpfs /sys/fs/cgroup tmpfs rw,relatime,mode=755 0 0\n"
    "cgroup /sys/fs/cgroup/cpu cgroup rw,relatime,cpu 0 0\n"
    "cgroup /sys/fs/cgroup/cpuacct cgroup rw,relatime,cpuacct 0 0\n"
    "cgroup /sys/fs/cgroup/memory cgroup rw,relatime,memory 0 0\n"
    "cgroup /sys/fs/cgroup/freezer cgroup rw,relatime,freezer 0 0\n"
    "cgroup /sys/fs/cgroup/pids cgroup rw,relatime,pids 0 0\n"
    "cgroup /sys/fs/cgroup/systemd cgroup rw,relatime,name=systemd 0 0\n"
    "cgroup2 /sys/fs/cgroup/unified cgroup2 rw,relatime 0 0\n";

TEST(Detect, Hybrid) {
  Result<Layout> layout = detect(
      kHybridMounts, "6:pids:/\n5:freezer:/\n4:memory:/box/a:b\n2:cpuacct:/\n1:cpu:/\n0::/user\n");
  ASSERT_TRUE(layout);
  EXPECT_EQ(*layout, (Layout{Version::kV1,
                             {{{"cpu"}, "/sys/fs/cgroup/cpu", "/"},
                              {{"cpuacct"}, "/sys/fs/cgroup/cpuacct", "/"},
                              {{"memory"}, "/sys/fs/cgroup/memory", "/box/a:b"},
                              {{"freezer"}, "/sys/fs/cgroup/freezer", "/"},
                              {{"pids"}, "/sys/fs/cgroup/pids", "/"}}}));
  EXPECT_EQ(directory_of(layout->hierarchies[0]), "/sys/fs/cgroup/cpu");
  EXPECT_EQ(directory_of(layout->hierarchies[2]), "/sys/fs/cgroup/memory/box/a:b");
}

TEST(Detect, AGroupThatIsNoPathIsNone) {
  Result<Layout> layout = detect("cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n", "0::somewhere\n");
  ASSERT_FALSE(layout);
  EXPECT_EQ(layout.error().text, "/proc/self/cgroup names no cgroup v2 group");
}

TEST(Detect, ComountedCpuAndCpuacct) {
  Result<Layout> layout = detect(
      "cgroup /c/cpu,cpuacct cgroup rw,cpuacct,cpu 0 0\n"
      "cgroup /c/my\\040memory cgroup rw,memory 0 0\n"
      "cgroup /c/elsewhere cgroup rw,memory 0 0\n"
      "cgroup /c/freezer cgroup rw,freezer 0 0\n"
      "cgroup /c/pids cgroup rw,pids 0 0\n",
      "4:pids:/p\n3:freezer:/\n2:memory:/m\n1:cpu,cpuacct:/user\n");
  ASSERT_TRUE(layout);
  EXPECT_EQ(*layout, (Layout{Version::kV1,
                             {{{"cpu", "cpuacct"}, "/c/cpu,cpuacct", "/user"},
                              {{"memory"}, "/c/my memory", "/m"},
                              {{"freezer"}, "/c/freezer", "/"},
                              {{"pids"}, "/c/pids", "/p"}}}));
}

TEST(Detect, PureV2) {
  Result<Layout> layout = detect("cgroup2 /sys/fs/cgroup cgroup2 rw,nsdelegate 0 0\n",
                                 "0::/user.slice/user-1000.slice/session-2.scope\n");
  ASSERT_TRUE(layout);
  EXPECT_EQ(*layout,
            (Layout{Version::kV2,
                    {{{}, "/sys/fs/cgroup", "/user.slice/user-1000.slice/session-2.scope"}}}));
}

TEST(Detect, SaysWhatIsMissing) {
  Result<Layout> none = detect("proc /proc proc rw 0 0\n", "");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, Error::Kind::kMachine);
  EXPECT_THAT(none.error().text, HasSubstr("no control groups are mounted"));

  Result<Layout> split = detect(
      "cgroup /c/cpu cgroup rw,cpu,cpuacct 0 0\ncgroup2 /c/unified cgroup2 rw 0 0\n", "0::/\n");
  ASSERT_FALSE(split);
  EXPECT_THAT(split.error().text, HasSubstr("but not memory, freezer, pids"));

  Result<Layout> own = detect("cgroup2 /c cgroup2 rw 0 0\n", "1:name=systemd:/\n");
  ASSERT_FALSE(own);
  EXPECT_THAT(own.error().text, HasSubstr("names no cgroup v2 group"));
}

TEST(Address, GoesBothWays) {
  Layout v2{Version::kV2, {{{}, "/c", "/a/b"}}};
  EXPECT_EQ(address_of(v2), "v2:/a/b");
  Layout v2_here{Version::kV2, {{{}, "/c", "/other"}}};
  Result<Layout> read = layout_at("v2:/a/b", v2_here);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, v2);

  Layout v1{Version::kV1, {{{"cpu", "cpuacct"}, "/c/cpu", "/"}, {{"memory"}, "/c/mem", "/m=1"}}};
  EXPECT_EQ(address_of(v1), "v1:cpu=/;memory=/m=1");
  Layout v1_here = v1;
  v1_here.hierarchies[1].path = "/x";
  read = layout_at("v1:cpu=/;memory=/m=1", v1_here);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, v1);

  for (const char* wrong : {"v2:/a", "v1:cpu=/", "v1:memory=/;cpu=/", "v1:cpu=/;memory=x", "/a"})
    EXPECT_FALSE(layout_at(wrong, v1_here)) << wrong;
}

}  // namespace heddle::cgroup::detect_test
