#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/result.h"
#include "core/model/action.h"
#include "core/model/event.h"
#include "core/scenario/scenario.h"
#include "report/efficiency.h"
#include "report/journal_reader.h"
#include "trace/curve.h"
#include "wire/fields.h"

namespace heddle::trace {

/// Version of the format that docs/how-to/traces.md describes.
inline constexpr int kTraceVersion = 1;

/// Returns a trace's first line, the settings of the run. `mode`: "real", "simulated", "" if
/// unknown.
wire::Json trace_header(const Scenario& scenario, const std::string& mode);

/// Builds a trace of a run (docs/how-to/traces.md) from the records of its journal and its samples.
/// Records and samples must be added in the order of time. A job is written when it is over and its
/// last container has ended. Samples are kept only for live containers, and only as many as a
/// UsageCurve keeps.
class TraceBuilder {
 public:
  using Sink = std::function<void(const wire::Json& line)>;

  /// `scenario` (resolved) must outlive the builder.
  TraceBuilder(const Scenario& scenario, Sink sink);

  // Add a record or a sample. Errors (kAborted): a field is missing or out of range, or the
  // scenario or journal does not know an id.
  Result<void> add_record(const wire::Json& record);
  Result<void> add_sample(const wire::Json& sample);
  /// Writes the remaining jobs. Called when the run is over, or when nothing more is known about
  /// it.
  void finish();

  const report::AllocationEfficiency& efficiency() const { return efficiency_; }
  std::int64_t jobs() const { return std::ssize(jobs_); }
  std::int64_t containers() const { return containers_; }

 private:
  struct Container {
    PhaseId phase;
    int task = 0, attempt = 1;
    NodeId node;
    Resources held;
    EmuTime allocated;
    bool waits = false;  ///< waits for earlier phases
    UsageCurve curve;
    std::optional<EmuTime> started{}, begun{}, suspended_since{};
    EmuTime suspended{};
  };
  struct Job {
    std::optional<EmuTime> start, last_end, finished;
    std::string state;             ///< "" while the job is not over
    std::vector<wire::Json> gone;  ///< containers that have ended
    int alive = 0;
    std::vector<std::set<int>> completed;  ///< tasks, by phase
    bool written = false;
  };

  void on(const ContainerStarted& event, EmuTime at);
  void on(const InputsRead& event, EmuTime at);
  void on(const ExternalLoad& event, EmuTime at);
  void on(const ContainerSuspended& event, EmuTime at);
  void on(const ContainerResumed& event, EmuTime at);
  void on(const ContainerEnded& event, EmuTime at);
  void on(const Launch& action, EmuTime at);
  void on(const InputsReady& action, EmuTime at) { on(InputsRead{action.container}, at); }
  /// Ignores events and actions that a trace does not need.
  template <class Other>
  void on(const Other&, EmuTime) {}
  void job_finished(const wire::Json& record);
  void task_completed(const Container& container, EmuTime at);
  bool has_inputs(PhaseId phase) const;
  bool is_crowded(const wire::Fields& sample) const;
  double most_got(EmuTime time, const std::vector<ContainerUse>& uses);
  /// Returns the core-seconds of work per second of the cores that the container holds.
  double work_rate(const Container& container) const;
  void count(const Container& container, const ContainerEnded& event, EmuTime at);
  const PhaseSpec& phase(PhaseId id) const;
  Job& job(JobId id);
  Container* alive(ContainerId id);
  void header();
  void write(JobId id);
  wire::Json job_json(JobId id) const;
  /// Returns the container without its usage.
  wire::Json container_json(ContainerId id, const Container& container) const;

  const Scenario& scenario_;
  Sink sink_;
  std::string mode_;
  bool begun_ = false;
  std::vector<Job> jobs_;
  std::map<ContainerId, Container> alive_;
  std::map<NodeId, Millicores> loads_;  ///< current external load
  std::int64_t containers_ = 0;
  report::AllocationEfficiency efficiency_;
};

/// Adds each line of the files once to a builder, in the order of time. If `samples` is null, the
/// trace has only the total usage of each container, not its usage over time. Errors name the file
/// and the line.
Result<void> build_trace(report::JournalReader& journal, report::JournalReader* samples,
                         TraceBuilder& builder);

}  // namespace heddle::trace
