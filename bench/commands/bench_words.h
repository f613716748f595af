#pragma once

#include <functional>

#include "bench/commands/commands.h"
#include "common/command_line/command_line.h"

namespace heddle::bench {

struct BenchOptions {
  CompareBenchOptions compared;
  PolicyBenchOptions policy;
  SimBenchOptions sim;
  FidelityBenchOptions fidelity;
  LaunchBenchOptions launch;
  SuspendBenchOptions suspend;
  HeartbeatBenchOptions heartbeat;
  IoBenchOptions io;
  StartBenchOptions start;
  ExternalBenchOptions external;
};

/// Adds the subcommands of `heddle bench`, with their options, to `bench`. `action` becomes the
/// command that the user chose. `action` and `options` must outlive that command.
void add_bench_words(CommandLine& bench, BenchOptions& options, std::function<int()>& action);

}  // namespace heddle::bench
