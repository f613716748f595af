#include "report/fragmentation_totals.h"

#include "tests/support/matchers.h"
#include "tests/support/scenario_texts.h"

namespace heddle::report::fragmentation_totals_test {

constexpr NodeId kN1{0}, kN2{1};

Scenario with_devices() {
  ScenarioText text;
  text.head += "typical_requests: [{cores: 1, gpu: 0.5}, {cores: 1, gpu: 1}]\n";
  text.cluster =
      "cluster: {resources: {gpu: {devices: true}}, nodes: [{name: n, count: 2, cores: 4, memory: "
      "8GiB, gpu: 2}]}\n";
  text.jobs = "jobs:\n- {name: p, workload: pi, submit: 0s}\n";
  return scenario_of(text.text());
}

Resources holding(int cores, Counts::Devices devices) {
  Resources held{Millicores(1000 * cores), EmuBytes(0)};
  held.counts.set_devices(0, std::move(devices));
  return held;
}

double member(const FragmentationTotals& totals, double until, const char* key) {
  return totals.json(emu_seconds(until)).at(key).get<double>();
}

// From 10 s on, device 0 of n1 has 0.3, which is too small for both kinds of requests: F = 0.3.
// From 20 s to 30 s, device 1 is taken too, so that none of the kinds fits, and one core is left.
// There are 4 devices and 8 cores.
TEST(FragmentationTotals, AreMeansOverTime) {
  const Scenario scenario = with_devices();
  FragmentationTotals totals(scenario, nullptr);
  totals.took(kN1, holding(2, {700, 0}), emu_seconds(10));
  totals.took(kN1, holding(1, {0, 1000}), emu_seconds(20));
  totals.gave_back(kN1, holding(1, {0, 1000}), emu_seconds(30));
  EXPECT_NEAR(member(totals, 40, "unusable_devices"), 0.3 * 30 / (4 * 40), 1e-6);
  EXPECT_NEAR(member(totals, 40, "stranded_devices"), 0.3 * 10 / (4 * 40), 1e-6);
  EXPECT_NEAR(member(totals, 40, "stranded_cores"), 1.0 * 10 / (8 * 40), 1e-6);
}

// Without cores, both devices of n2 are of no use: F = 2.
TEST(FragmentationTotals, DevicesWithoutCoresAreStranded) {
  const Scenario scenario = with_devices();
  FragmentationTotals totals(scenario, nullptr);
  totals.took(kN2, {Millicores(4000), EmuBytes(0)}, emu_seconds(0));
  EXPECT_NEAR(member(totals, 10, "unusable_devices"), 0.5, 1e-6);
  EXPECT_NEAR(member(totals, 10, "stranded_devices"), 0.5, 1e-6);
  EXPECT_NEAR(member(totals, 10, "stranded_cores"), 0, 1e-6);
}

// Two containers use the same cores, because the first is suspended.
TEST(FragmentationTotals, CoresThatAreUsedTwiceAreNotLessThanNone) {
  const Scenario scenario = with_devices();
  FragmentationTotals totals(scenario, nullptr);
  for (int i = 0; i < 2; ++i) totals.took(kN2, {Millicores(4000), EmuBytes(0)}, emu_seconds(0));
  EXPECT_NEAR(member(totals, 10, "stranded_cores"), 0, 1e-6);
  EXPECT_NEAR(member(totals, 10, "stranded_devices"), 0.5, 1e-6);
}

TEST(FragmentationTotals, NothingIsFreeOnALostNode) {
  const Scenario scenario = with_devices();
  FragmentationTotals totals(scenario, nullptr);
  totals.took(kN1, holding(2, {700, 0}), emu_seconds(10));
  totals.usable(kN1, false, emu_seconds(20));
  EXPECT_NEAR(member(totals, 40, "unusable_devices"), 0.3 * 10 / (4 * 40), 1e-6);
  totals.usable(kN1, true, emu_seconds(40));
  EXPECT_NEAR(member(totals, 50, "unusable_devices"), 0.3 * 20 / (4 * 50), 1e-6);
}

TEST(FragmentationTotals, ExistOnlyWithDevices) {
  const Scenario scenario = scenario_of(ScenarioText{}.text());
  const FragmentationTotals totals(scenario, nullptr);
  EXPECT_TRUE(totals.json(emu_seconds(1)).is_discarded());
}

}  // namespace heddle::report::fragmentation_totals_test
