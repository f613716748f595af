#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/run/run.h"
#include "core/resolve.h"
#include "report/forecast.h"

namespace heddle::cli {

/// A forecast of a run, and the real times and the machine that belong to it.
struct Outlook {
  report::Forecast forecast;
  double time_scale = 1;
  /// From the start of the run's first process to the end of its last one. nullopt: other hosts
  /// start the workers, so their start can take any time.
  std::optional<double> real_s;
  std::optional<HostResources> machine;  ///< nullopt: the workers are on other hosts
};

/// Returns the real time that the processes of a run need to start and to end, in seconds. Most of
/// it is CPU time of the workers. Measured with up to 100 nodes on two CPUs.
double start_and_end_s(std::size_t nodes, real::Cpus cpus);
/// Adds the real time and the machine to a forecast. `machine`: nullopt if other hosts start the
/// workers.
Outlook outlook_of(report::Forecast forecast, const Scenario& scenario,
                   const std::optional<HostResources>& machine);

/// Returns the lines that describe a forecast: duration, use of the machine, and jobs that lose
/// tasks for lack of memory.
std::vector<std::string> lines_of(const Outlook& outlook);
/// Returns the same as JSON (docs/how-to/forecasts.md).
wire::Json json_of(const Outlook& outlook);
/// Returns the line that compares the measured times with the forecast. Returns "" if the forecast
/// has no makespan.
std::string comparison_line(const Outlook& outlook, double makespan_s, double real_s);

/// The forecast of a run that is about to start. A child process makes it, so it can be ended at
/// any time.
class Foresight {
 public:
  /// Starts the child and waits up to 2 s for the forecast. After that, the child continues with
  /// the lowest priority. Returns nullptr if no child can be made.
  static std::unique_ptr<Foresight> begin(const Scenario& scenario,
                                          const std::optional<HostResources>& machine);
  ~Foresight() { stop(); }
  Foresight(const Foresight&) = delete;
  Foresight& operator=(const Foresight&) = delete;

  /// Returns a descriptor that is readable when take() has something to do, or -1 if the child has
  /// ended.
  int fd() const { return from_.get(); }
  /// Takes in what the child has sent. Returns true if the child has ended by this call.
  bool take();
  /// Returns the forecast; nullptr before it is ready, and if the simulation failed.
  const Outlook* outlook() const { return outlook_ ? &*outlook_ : nullptr; }
  /// Returns the lines for the user after the child has ended.
  std::vector<std::string> lines() const;
  /// Kills the child, if it still runs. Waits at most 0.1 s for its end.
  void stop();

 private:
  Foresight(const Scenario& scenario, const std::optional<HostResources>& machine)
      : scenario_(scenario), machine_(machine) {}
  bool start();
  void wait();

  const Scenario& scenario_;
  std::optional<HostResources> machine_;
  pid_t pid_ = -1;
  Fd pidfd_;
  Fd from_;
  std::string text_;
  std::optional<Outlook> outlook_;
};

/// Returns the forecast of a run, or nullptr if its options or its scenario allow none.
std::unique_ptr<Foresight> foresee(const RunOptions& options, const Scenario& scenario);

/// `heddle run --dry-run`: prints the forecast of a resolved scenario. Error (kUsage): there is no
/// forecast for such a scenario.
Result<int> print_forecast(const RunOptions& options, const Scenario& scenario);

}  // namespace heddle::cli
