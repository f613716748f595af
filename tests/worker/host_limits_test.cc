#include "worker/host_limits.h"

#include "tests/support/matchers.h"

namespace heddle::worker::host_limits_test {

constexpr real::Bytes mib(std::int64_t count) { return real::Bytes(count << 20); }
constexpr EmuBytes emu_mib(std::int64_t count) { return EmuBytes(count << 20); }

const HostResources kHost{.cpus = {2}, .memory = mib(4096)};

/// Returns a Welcome to a node of 4 cores and 8 GiB, which takes 0.8 CPUs and 1024 MiB of this host
/// and 10 MiB for its containers.
wire::Welcome welcome() {
  wire::Welcome welcome;
  welcome.spec.name = "n1";
  welcome.spec.speed = 2;
  welcome.spec.capacity = {Millicores(4000), emu_mib(8192)};
  welcome.scale = {0.1, 0.1, 1.0 / 8, 1.0 / 8};
  welcome.overhead = mib(1);
  welcome.max_containers = 10;
  return welcome;
}

std::string text_of(const Result<void>& checked) { return checked ? "" : checked.error().text; }

TEST(HostLimits, ANodeUsesNoMoreThanItsHostHas) {
  wire::Welcome node = welcome();
  EXPECT_EQ(text_of(check_node(node, kHost)), "");
  node.spec.capacity = {Millicores(10'000), emu_mib(32'688)};  // 2 CPUs, 4086 + 10 MiB
  EXPECT_EQ(text_of(check_node(node, kHost)), "");
  node.spec.capacity.memory += EmuBytes(8);
  EXPECT_FALSE(check_node(node, kHost));
  node.spec.capacity = {Millicores(10'001), emu_mib(8192)};
  EXPECT_FALSE(check_node(node, kHost));
}

TEST(HostLimits, TheErrorNamesWhatIsNeededAndWhatThereIs) {
  wire::Welcome node = welcome();
  node.scale.memory = 1;
  node.spec.capacity.memory = EmuBytes(1LL << 40);
  const Result<void> checked = check_node(node, kHost);
  EXPECT_EQ(text_of(checked),
            "node n1 needs 0.8 CPUs and 1048586 MiB of this host; expected at most its 2 CPUs and "
            "4096 MiB");
  EXPECT_EQ(checked.error().kind, Error::Kind::kMachine);
}

TEST(HostLimits, NumbersThatFitInto64BitsOnlyAloneAreRefused) {
  wire::Welcome node = welcome();
  node.overhead = real::Bytes(1LL << 62);
  node.max_containers = 1'000'000;
  EXPECT_FALSE(check_node(node, kHost));
  node = welcome();
  node.scale.memory = 1e9;
  node.spec.capacity.memory = EmuBytes(1LL << 60);
  EXPECT_FALSE(check_node(node, kHost));
}

TEST(HostLimits, AContainerRequestsNoMoreThanItsHostHas) {
  wire::LaunchCommand launch;
  launch.resources = {Millicores(10'000), emu_mib(32'768)};
  EXPECT_EQ(text_of(check_launch(welcome(), launch, kHost)), "");
  launch.resources = {Millicores(1000), EmuBytes(1LL << 40)};
  EXPECT_EQ(text_of(check_launch(welcome(), launch, kHost)),
            "the container needs 0.2 CPUs and 131072 MiB of this host; expected at most its 2 CPUs "
            "and 4096 MiB");
  launch.resources = {Millicores(11'000), emu_mib(8)};
  EXPECT_EQ(text_of(check_launch(welcome(), launch, kHost)),
            "the container needs 2.2 CPUs and 1 MiB of this host; expected at most its 2 CPUs and "
            "4096 MiB");
}

TEST(HostLimits, AnExternalLoadUsesNoMoreThanIsAvailable) {
  EXPECT_EQ(text_of(check_load(welcome(), {Millicores(1000), emu_mib(8000)}, kHost, mib(1000))),
            "");
  EXPECT_EQ(text_of(check_load(welcome(), {Millicores(1000), emu_mib(8008)}, kHost, mib(1000))),
            "the external load needs 1001 MiB of this host; expected at most the 1000 MiB that are "
            "available");
  EXPECT_EQ(text_of(check_load(welcome(), {Millicores(1000), EmuBytes(1LL << 43)}, kHost,
                               real::Bytes(INT64_MAX))),
            "the external load needs 0.2 CPUs and 1048576 MiB of this host; expected at most its 2 "
            "CPUs and 4096 MiB");
}

}  // namespace heddle::worker::host_limits_test
