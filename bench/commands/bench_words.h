#pragma once

#include <functional>

#include "bench/commands/commands.h"

namespace CLI {
class App;
}

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
void add_bench_words(CLI::App& bench, BenchOptions& options, std::function<int()>& action);

}  // namespace heddle::bench
