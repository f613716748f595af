#include "worker/caps.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/cluster.h"
#include "tests/support/messages.h"

namespace heddle::worker::caps_test {

constexpr std::int64_t kMiB = 1 << 20;

/// Returns the node of caps.yaml, with other settings that `words` names.
wire::Welcome node(const std::string& words = "") {
  const auto set = [&](const char* word) { return words.find(word) != words.npos; };
  wire::Welcome welcome;
  welcome.spec.capacity = size_of(4, 8);
  if (set("system")) welcome.spec.system = size_of(1, 1);
  if (set("speed")) welcome.spec.speed = 0.5;
  if (set("shares")) welcome.cpu_limit = CpuLimit::kShares;
  if (set("unpaced")) welcome.pacing = Pacing::kNone;
  welcome.scale = {1.0, 0.1, 1.0 / 64, 1.0 / 64};
  if (set("core of")) welcome.scale.core = std::stod(words.substr(words.find("of") + 2));
  welcome.overhead = real::Bytes(kMiB);
  welcome.max_containers = set("alone") ? 1 : 8;
  return welcome;
}

wire::LaunchCommand task(const Resources& size, int threads) {
  wire::LaunchCommand launch;
  launch.resources = size;
  launch.work.threads = threads;
  return launch;
}

std::string text_of(const cgroup::CpuCap& cpu, const cgroup::MemoryCap& memory) {
  EXPECT_FALSE(memory.swap);
  return fmt::format("{:.12g} CPUs per {} us{}, {} MiB", cpu.cpus->value, cpu.period.count(),
                     cpu.burst ? " with burst" : "",
                     static_cast<double>(memory.limit->count()) / kMiB);
}

std::string caps_of(const wire::Welcome& welcome, const std::string& what) {
  std::istringstream in(what);
  std::string kind;
  double cores = 0, gib = 0;
  int threads = 0;
  in >> kind >> cores >> gib >> threads;
  if (kind == "node") return text_of(node_caps(welcome).cpu, node_caps(welcome).memory);
  wire::LaunchCommand launch = task(size_of(cores, gib), threads);
  if (kind == "command") launch.command = {"sort"};
  const cgroup::ContainerCaps caps =
      kind == "load" ? load_caps(welcome, launch.resources) : container_caps(welcome, launch);
  return text_of(caps.cpu, caps.memory);
}

TEST(Caps, AreAsInTheTable) {
  for (const char* kind : {"node", "container", "command", "load"})
    tests::expect_messages("worker/caps.yaml", kind,
                           [](const auto& row) { return caps_of(node(row[0]), row[1]); });
}

TEST(Caps, TheRunHasTheWeightOfItsScenario) {
  wire::Welcome welcome = node();
  EXPECT_EQ(node_caps(welcome).run_weight, cgroup::CpuWeight::kUrgent);
  welcome.cpu_weight = 300;
  EXPECT_EQ(node_caps(welcome).run_weight, cgroup::CpuWeight{300});
}

TEST(Caps, MemoryIsWholePages) {
  wire::Welcome welcome = node();
  welcome.scale.memory = 1.0 / 60;
  const std::int64_t limit = container_caps(welcome, task(size_of(1, 1), 1)).memory.limit->count();
  EXPECT_EQ(limit % 4096, 0);
  EXPECT_GE(limit, (1LL << 30) / 60 + kMiB);
  EXPECT_EQ(node_caps(welcome).memory.limit->count() % 4096, 0);
}

}  // namespace heddle::worker::caps_test
