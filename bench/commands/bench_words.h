#pragma once

#include <functional>

#include "bench/commands/commands.h"

namespace CLI {
class App;
}

namespace heddle::bench {

/// The words after `heddle bench`, and their options.
class BenchWords {
 public:
  /// Adds them to the program's own options. `action` becomes what the words ask for; it and this
  /// must live until the command is done.
  void add(CLI::App& bench, std::function<int()>& action);

 private:
  void add_fidelity(CLI::App& bench, std::function<int()>& action);
  void add_policy(CLI::App& bench, std::function<int()>& action);
  void add_heartbeat(CLI::App& bench, std::function<int()>& action);
  void add_io(CLI::App& bench, std::function<int()>& action);
  void add_sim(CLI::App& bench, std::function<int()>& action);
  void add_launch(CLI::App& bench, std::function<int()>& action);
  void add_start(CLI::App& bench, std::function<int()>& action);
  void add_suspend(CLI::App& bench, std::function<int()>& action);

  CompareBenchOptions compared_;
  PolicyBenchOptions policy_;
  SimBenchOptions sim_;
  FidelityBenchOptions fidelity_;
  LaunchBenchOptions launch_;
  SuspendBenchOptions suspend_;
  HeartbeatBenchOptions heartbeat_;
  IoBenchOptions io_;
  StartBenchOptions start_;
};

}  // namespace heddle::bench
