#include "sim/node_model.h"

#include <gtest/gtest.h>

#include "tests/support/cluster.h"

namespace heddle::sim::node_model_test {

EmuBytes mib(std::int64_t n) { return EmuBytes(n << 20); }

TEST(NodeModel, IsSetUpAsAWorkerWould) {
  Scenario scenario;
  scenario.emulation.time_scale = scenario.emulation.core_fraction = 0.1;
  scenario.emulation.memory_scale = 1.0 / 64;
  NodeSpec machine;
  machine.capacity = {Millicores(8000), mib(16384)};
  machine.system = {Millicores(500), mib(1024)};
  machine.allowance = {Millicores(4000), mib(8192)};
  machine.speed = 1.5;
  scenario.cluster.nodes = {machine};
  JobSpec job;
  PhaseSpec phase;
  phase.tasks = 10;
  phase.request = {Millicores(1000), mib(1024)};
  job.phases = {phase};
  scenario.jobs = {job};
  scenario.emulation.oom_preference = OomPreference::kYoungest;
  NodeModel::Spec spec = NodeModel::spec_of(scenario, ContainerBounds(scenario), machine);
  EXPECT_EQ(spec.cores, Millicores(7500));
  EXPECT_EQ(spec.speed, 1.5);
  EXPECT_EQ(spec.overhead, mib(64));
  EXPECT_EQ(spec.memory, mib(15360 + 4 * 64));  // four containers at most
  EXPECT_EQ(spec.preference, OomPreference::kYoungest);
  // The load adds a program outside of the containers.
  scenario.external_load = {{{NodeId{0}}, EmuTime(0), std::nullopt, {Millicores(1000), mib(1)}}};
  EXPECT_EQ(NodeModel::spec_of(scenario, ContainerBounds(scenario), machine).memory,
            mib(15360 + 5 * 64));
}

// The program that plays the load ends with its worker. It has had the only core for 4 s.
TEST(NodeModel, ClearingEndsTheLoadToo) {
  NodeModel::Spec spec;
  spec.cores = Millicores(1000);
  spec.memory = mib(8192);
  DataModel data({node_of("n1", {spec.cores, spec.memory})});
  NodeModel model(spec, NodeId{0}, data);
  model.set_load({Millicores(1000), mib(3000)});
  model.settle();
  model.advance(emu_seconds(4));
  model.clear();
  model.settle();
  EXPECT_EQ(model.load().memory, EmuBytes(0));
  EXPECT_EQ(model.load_cpu(emu_seconds(10)), core_seconds(4));
}

}  // namespace heddle::sim::node_model_test
