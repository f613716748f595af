#include "cli/trace/train_data.h"

#include <memory>

#include "cli/results/results.h"
#include "common/result_files.h"
#include "external/make_policy.h"
#include "report/journal_reader.h"
#include "report/prediction.h"
#include "sim/replay.h"
#include "wire/values.h"

namespace heddle::cli {
namespace {

using wire::BadField;
using wire::Fields;
using wire::Json;

/// Collects the completed reduces with their observations.
struct Collector {
  explicit Collector(const Scenario& of) : scenario(of), watch(of, true) {}

  void look(const View& view, std::span<const Event> events) {
    watch.refresh(view, events);
    for (const ReduceWatch::Ended& ended : watch.completed()) {
      if (ended.observations.empty()) continue;
      const JobId job = ended.container.task.phase.job;
      reduces.push_back(
          {report::workload_of(scenario.jobs[static_cast<std::size_t>(job.value)].name), ended.at,
           ended.observations});
    }
  }

  const Scenario& scenario;
  ReduceWatch watch;
  std::vector<SeenReduce> reduces;
};

/// Makes the same decisions as the run and passes each step to the collector. Heartbeats come from
/// the samples, which are more frequent than the heartbeats in the journal.
class Watching : public Policy {
 public:
  Watching(const Scenario& scenario, Collector& collector)
      : policy_(external::make_policy(scenario).policy), collector_(collector) {}

  Decision decide(const View& view, std::span<const Event> events) override {
    std::vector<Event> others;
    for (const Event& event : events)
      if (!std::holds_alternative<NodeHeartbeat>(event.what)) others.push_back(event);
    collector_.look(view, others);
    return policy_->decide(view, events);
  }

 private:
  std::unique_ptr<Policy> policy_;
  Collector& collector_;
};

Event heartbeat_of(const Json& sample, const Scenario& scenario) {
  const Fields fields(sample, "sample");
  NodeHeartbeat beat;
  beat.node = NodeId{fields.integer("node", 0, std::ssize(scenario.cluster.nodes) - 1)};
  beat.containers = wire::containers_from(fields, "containers");
  return {wire::time_field(fields, "t"), beat};
}

/// Reads one run. Reads the run's journal and samples together, in the order of time.
class Reading {
 public:
  Reading(const Scenario& scenario, report::JournalReader journal, report::JournalReader samples)
      : scenario_(scenario),
        journal_(std::move(journal)),
        samples_(std::move(samples)),
        collector_(scenario),
        replay_(scenario, std::make_unique<Watching>(scenario, collector_)) {}

  Result<std::vector<SeenReduce>> read() {
    HEDDLE_TRY(next_sample());
    for (;;) {
      Result<std::optional<Json>> record = journal_.next();
      if (!record) return std::move(record).error();
      if (!*record) break;
      if (Result<void> added = replay_.add(**record); !added)
        return std::move(added).error().in(journal_.where());
      if (replay_.difference()) break;
      HEDDLE_TRY(show_samples(**record));
    }
    if (!replay_.difference()) HEDDLE_TRY(replay_.finish());
    if (replay_.difference())
      return usage_error(
          "its journal cannot be replayed (was it written by another version of Heddle?); training "
          "needs the decisions and measurements of the run; heddle replay shows the difference");
    return std::move(collector_.reduces);
  }

 private:
  /// Passes on the samples up to the step of the record. Before that, all earlier steps have been
  /// decided.
  Result<void> show_samples(const Json& record) {
    if (!record.contains("step")) return {};
    const Json& number = record["step"];
    if (number == step_) return {};
    step_ = number;
    const auto now = record.find(record.contains("now") ? "now" : "t");
    const EmuTime until = emu_seconds(now->get<double>());
    while (sample_ && sample_->at <= until) {
      const View view{sample_->at, replay_.state(), {}, false, {}, {}, {}};
      collector_.look(view, {&*sample_, 1});
      HEDDLE_TRY(next_sample());
    }
    return {};
  }

  Result<void> next_sample() {
    Result<std::optional<Json>> line = samples_.next();
    if (!line) return std::move(line).error();
    sample_.reset();
    if (!*line) return {};
    try {
      sample_ = heartbeat_of(**line, scenario_);
    } catch (const BadField& bad) {
      return aborted_error(samples_.where() + ": " + bad.text);
    }
    return {};
  }

  const Scenario& scenario_;
  report::JournalReader journal_, samples_;
  Collector collector_;
  sim::Replay replay_;
  std::optional<Event> sample_;  ///< the next one
  Json step_;
};

}  // namespace

Result<std::vector<SeenReduce>> seen_reduces(const std::string& dir) {
  Result<Scenario> scenario = scenario_of(dir);
  if (!scenario) return std::move(scenario).error();
  Result<report::JournalReader> journal = report::JournalReader::open(journal_of(dir));
  if (!journal) return std::move(journal).error();
  Result<report::JournalReader> samples = report::JournalReader::open(samples_path(dir));
  if (!samples)
    return usage_error(dir + ": there is no " + kSamplesFile +
                       "; training needs the measurements in it");
  Result<std::vector<SeenReduce>> seen =
      Reading(*scenario, *std::move(journal), *std::move(samples)).read();
  if (!seen) return std::move(seen).error().in(dir);
  return seen;
}

}  // namespace heddle::cli
