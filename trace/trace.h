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

/// Of the format that docs/traces.md describes.
inline constexpr int kTraceVersion = 1;

/// A trace's first line: what the run was made with. `mode`: "real", "simulated", "" if not known.
wire::Json trace_header(const Scenario& scenario, const std::string& mode);

/// Makes a trace of a run (docs/traces.md) from the records of its journal and its samples, which
/// are to come in the order of time. Each job is given away once it is over and its last container
/// gone; of what is over no samples are kept, of a container that lives as much as a UsageCurve
/// keeps.
class TraceBuilder {
 public:
  using Sink = std::function<void(const wire::Json& line)>;

  /// `scenario` (resolved) must outlive the builder.
  TraceBuilder(const Scenario& scenario, Sink sink);

  // Errors (kAborted): a field missing or out of range, an id that the scenario or journal doesn't
  // know.
  Result<void> add_record(const wire::Json& record);
  Result<void> add_sample(const wire::Json& sample);
  /// The run is over, or nothing more is known of it: gives away what is left.
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
    bool waits = false;  ///< for phases before its own
    UsageCurve curve;
    std::optional<EmuTime> started{}, begun{}, suspended_since{};
    EmuTime suspended{};
  };
  struct Job {
    std::optional<EmuTime> start, last_end, finished;
    std::string state;             ///< once it is over
    std::vector<wire::Json> gone;  ///< its containers
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
  /// What a trace doesn't need.
  template <class Other>
  void on(const Other&, EmuTime) {}
  void job_finished(const wire::Json& record);
  void task_completed(const Container& container, EmuTime at);
  bool has_inputs(PhaseId phase) const;
  bool is_crowded(const wire::Fields& sample) const;
  double most_got(EmuTime time, const std::vector<ContainerUse>& uses);
  /// Core-seconds a second of what it holds.
  double work_rate(const Container& container) const;
  void count(const Container& container, const ContainerEnded& event, EmuTime at);
  const PhaseSpec& phase(PhaseId id) const;
  Job& job(JobId id);
  Container* alive(ContainerId id);
  void header();
  void write(JobId id);
  wire::Json job_json(JobId id) const;
  /// But for what it used.
  wire::Json container_json(ContainerId id, const Container& container) const;

  const Scenario& scenario_;
  Sink sink_;
  std::string mode_;
  bool begun_ = false;
  std::vector<Job> jobs_;
  std::map<ContainerId, Container> alive_;
  std::map<NodeId, Millicores> loads_;  ///< from outside, now
  std::int64_t containers_ = 0;
  report::AllocationEfficiency efficiency_;
};

/// Feeds a builder what there is, in the order of time, each line once. `samples` may be null: then
/// usage is known only as a whole. Errors name file and line.
Result<void> build_trace(report::JournalReader& journal, report::JournalReader* samples,
                         TraceBuilder& builder);

}  // namespace heddle::trace
