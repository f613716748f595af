#include "cli/trace/train_data.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>

#include "cli/results/results.h"
#include "common/result_files.h"
#include "external/make_policy.h"
#include "report/history.h"
#include "report/journal_reader.h"
#include "report/prediction.h"
#include "sim/replay.h"
#include "wire/values.h"

namespace heddle::cli {
namespace {

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

/// Returns the use at a time between two measurements, as far as a policy sees it.
ContainerUse between(const ContainerUse& from, const ContainerUse& to, double share) {
  const auto part = [&](EmuBytes a, EmuBytes b) {
    return a + EmuBytes(std::llround(static_cast<double>((b - a).count()) * share));
  };
  ContainerUse use = from;
  use.cpu += CoreTime(std::llround(static_cast<double>((to.cpu - from.cpu).count()) * share));
  use.progress += (to.progress - from.progress) * share;
  use.disk = part(from.disk, to.disk);
  use.network = part(from.network, to.network);
  return use;
}

/// Adds the heartbeats of a node between two of its samples. They have no line, because the use of
/// the containers goes on as before (driver/sample_filter.h).
void add_between(const report::UsageSample& from, const report::UsageSample& to, EmuTime period,
                 std::vector<Event>& heartbeats) {
  const auto same = [](const ContainerUse& a, const ContainerUse& b) {
    return a.container == b.container;
  };
  if (from.containers.empty() || !std::ranges::equal(from.containers, to.containers, same)) return;
  // A heartbeat can be late.
  for (EmuTime at = from.at + period; to.at - at > EmuTime(period.count() / 2); at += period) {
    const double share = static_cast<double>((at - from.at).count()) /
                         static_cast<double>((to.at - from.at).count());
    NodeHeartbeat beat{from.node};
    for (std::size_t i = 0; i < from.containers.size(); ++i)
      beat.containers.push_back(between(from.containers[i], to.containers[i], share));
    heartbeats.push_back({at, std::move(beat)});
  }
}

/// Returns the heartbeats of the samples of a run, in the order of time.
Result<std::vector<Event>> heartbeats_of(const std::string& dir, const Scenario& scenario) {
  const EmuTime period = std::max(scenario.cluster.heartbeat, EmuTime(1));
  std::vector<Event> heartbeats;
  std::map<NodeId, report::UsageSample> last;
  HEDDLE_TRY(report::each_sample(dir, scenario, [&](const report::UsageSample& sample) {
    if (const auto before = last.find(sample.node); before != last.end())
      add_between(before->second, sample, period, heartbeats);
    last.insert_or_assign(sample.node, sample);
    heartbeats.push_back({sample.at, NodeHeartbeat{sample.node, sample.containers}});
  }));
  std::ranges::stable_sort(heartbeats, {}, &Event::at);
  return heartbeats;
}

/// Reads one run: its journal, and the heartbeats of its samples in the order of time.
class Reading {
 public:
  Reading(const Scenario& scenario, report::JournalReader journal, std::vector<Event> heartbeats)
      : journal_(std::move(journal)),
        heartbeats_(std::move(heartbeats)),
        collector_(scenario),
        replay_(scenario, std::make_unique<Watching>(scenario, collector_)) {}

  Result<std::vector<SeenReduce>> read() {
    for (;;) {
      Result<std::optional<Json>> record = journal_.next();
      if (!record) return std::move(record).error();
      if (!*record) break;
      if (Result<void> added = replay_.add(**record); !added)
        return std::move(added).error().in(journal_.where());
      if (replay_.difference()) break;
      show_samples(**record);
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
  void show_samples(const Json& record) {
    if (!record.contains("step")) return;
    const Json& number = record["step"];
    if (number == step_) return;
    step_ = number;
    const auto now = record.find(record.contains("now") ? "now" : "t");
    const EmuTime until = emu_seconds(now->get<double>());
    for (; next_ < heartbeats_.size() && heartbeats_[next_].at <= until; ++next_) {
      const View view{heartbeats_[next_].at, replay_.state(), {}, false, {}, {}, {}};
      collector_.look(view, {&heartbeats_[next_], 1});
    }
  }

  report::JournalReader journal_;
  std::vector<Event> heartbeats_;
  std::size_t next_ = 0;  ///< the first heartbeat that is not passed on yet
  Collector collector_;
  sim::Replay replay_;
  Json step_;
};

}  // namespace

Result<std::vector<SeenReduce>> seen_reduces(const std::string& dir) {
  Result<Scenario> scenario = scenario_of(dir, {kSamplesFile});
  if (!scenario) return std::move(scenario).error();
  Result<report::JournalReader> journal = report::JournalReader::open(journal_of(dir));
  if (!journal) return std::move(journal).error();
  std::error_code error;
  if (!std::filesystem::exists(samples_path(dir), error))
    return usage_error(dir + ": there is no " + kSamplesFile +
                       "; training needs the measurements in it");
  Result<std::vector<Event>> heartbeats = heartbeats_of(dir, *scenario);
  if (!heartbeats) return std::move(heartbeats).error();
  Result<std::vector<SeenReduce>> seen =
      Reading(*scenario, *std::move(journal), *std::move(heartbeats)).read();
  if (!seen) return std::move(seen).error().in(dir);
  return seen;
}

}  // namespace heddle::cli
