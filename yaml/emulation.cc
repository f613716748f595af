// The sections emulation, storage and simulation.

#include "yaml/keys.h"
#include "yaml/limits.h"
#include "yaml/sections.h"

namespace heddle {
namespace {

constexpr Range<double> kMemoryScales{1e-6, 1};

}  // namespace

template <>
void describe(Keys& keys, const EmulationSpec& e) {
  keys.factor("time_scale", e.time_scale, {0.001, 1000},
              "real seconds per emulated second; auto is 1");
  keys.factor("core_fraction", e.core_fraction, {0.001, 1},
              "real CPUs per emulated core; auto is the largest that fits");
  keys.factor("memory_scale", e.memory_scale, kMemoryScales,
              "real bytes per emulated byte of memory; auto is the largest that fits");
  keys.factor(
          "data_scale", e.data_scale, kMemoryScales,
          "real bytes per emulated byte of data; auto is memory_scale, or the largest that fits")
      .rarely();
  keys.word("cpu_limit", e.cpu_limit,
            "strict: a container gets at most its cores; shares: its cores are a weight, and it "
            "may use the node's idle CPU");
  keys.word("pacing", e.pacing,
            "line: tasks follow the CPU line that the worker publishes; none: only kernel quotas "
            "limit them");
  keys.flag("swap", e.swap, "whether tasks may be swapped out");
  keys.number("overhead", e.overhead, measure::kBytes, {EmuBytes(0), EmuBytes(1LL << 30)},
              "real bytes added to the scaled request of each container");
  keys.map("control_reserve", "control_reserve", "real resources reserved for the control plane",
           [&](Keys& in) {
             in.number("cpu", e.control_reserve_cpu, measure::kFraction, {0, 0.9},
                       "share of the usable CPU");
             in.number("memory", e.control_reserve_memory, measure::kBytes,
                       {EmuBytes(0), kMaxBytes}, "real bytes");
           });
  keys.word("suspend_with", e.suspend_with, "how containers are suspended");
  keys.word("node_use", e.node_use,
            "what a node reports as its use: its control groups, or the whole host (one node only)")
      .rarely();
  keys.word("oom_preference", e.oom_preference,
            "what is killed first on a node over its memory: the kernel's choice, the latest start "
            "or the largest use")
      .rarely();
  keys.number("cpu_weight", e.cpu_weight, measure::kWhole, {1, kLargestCpuWeight},
              "CPU weight of the run's control group among its siblings; 10000 is the kernel's "
              "largest, so other programs get the CPU that the run leaves; 100 is the weight of "
              "any other group")
      .rarely();
  keys.value("device_env", &e.device_env, std::make_unique<LabelsForm>(),
             "environment variable that tells commands the numbers of their devices, by resource, "
             "such as {gpu: CUDA_VISIBLE_DEVICES}")
      .otherwise("HEDDLE_ and the name in capitals, such as HEDDLE_GPU")
      .rarely();
}

template <>
void describe(Keys& keys, const StorageSpec& s) {
  keys.number("block_size", s.block_size, measure::kBytes, {EmuBytes(1 << 10), EmuBytes(1LL << 40)},
              "size of an input block");
  keys.number("replicas", s.replicas, measure::kWhole, {1, 100},
              "number of nodes that hold each block and file");
}

template <>
void describe(Keys& keys, const SimulationSpec& s) {
  constexpr Range<EmuTime> kDelays{EmuTime(0), EmuTime(60LL * 1000000)};
  keys.flag("ideal", s.ideal,
            "no delays for start-up, heartbeats and dispatch: both delays below count as 0");
  keys.number("launch_delay", s.launch_delay, measure::kDuration, kDelays,
              "real time in which a node starts a container, one at a time; a fifth of it right "
              "after another start");
  keys.number("message_delay", s.message_delay, measure::kDuration, kDelays,
              "real time of a message between master and worker");
  keys.word("saturation", s.saturation,
            "what a node over its memory kills: one container at a time, or all that need more");
}

}  // namespace heddle
