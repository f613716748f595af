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
};

/// Adds the words after `heddle bench`, and their options, to the program's own. `action` becomes
/// what the words ask for; it and `options` must live until the command is done.
void add_bench_words(CLI::App& bench, BenchOptions& options, std::function<int()>& action);

}  // namespace heddle::bench
