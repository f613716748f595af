#include "report/task_times.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "sim/data_model.h"
#include "wire/values.h"

namespace heddle::report {
namespace {

double error(EmuTime took, EmuTime ideal) {
  return std::abs(to_seconds(took) / to_seconds(ideal) - 1);
}

wire::Json errors_json(const std::vector<double>& errors, const char* count) {
  if (errors.empty()) return nullptr;
  return {{"median_error", wire::percentile(errors, 0.5)},
          {"p99_error", wire::percentile(errors, 0.99)},
          {count, errors.size()}};
}

/// Repeats the transfers of a run in the model of the simulation.
class Repetition {
 public:
  Repetition(const std::vector<NodeSpec>& nodes, const std::vector<Transferred>& transfers)
      : transfers_(transfers),
        model_(nodes),
        ends_(transfers.size(), kNever),
        alive_(transfers.size()) {
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      const EmuTime begun = transfers[i].begun;
      begins_.emplace(begun, i);
      if (!transfers[i].time.done) cancels_.emplace(begun + transfers[i].time.took, i);
    }
  }

  std::vector<EmuTime> ends() {
    while (true) {
      now_ = model_.next_time();
      for (const Due& due : {std::cref(begins_), std::cref(cancels_)})
        if (!due.empty()) now_ = std::min(now_, due.begin()->first);
      if (now_ == kNever) return ends_;
      model_.advance(now_);
      for (const sim::DataModel::Moved& moved : model_.take_moved()) ended(moved);
      each_due(begins_, [this](std::size_t i) { begin(i); });
      each_due(cancels_, [this](std::size_t i) {
        for (sim::DataModel::Ticket ticket : alive_[i]) model_.cancel(ticket);
      });
      model_.settle();
    }
  }

 private:
  using Due = std::set<std::pair<EmuTime, std::size_t>>;

  template <class Do>
  void each_due(Due& due, Do act) {
    for (; !due.empty() && due.begin()->first <= now_; due.erase(due.begin()))
      act(due.begin()->second);
  }

  /// The model returns the container of a transfer unchanged, so that it can be an index here.
  static ContainerId name(std::size_t i) { return ContainerId{static_cast<std::int64_t>(i)}; }

  void begin(std::size_t i) {
    const auto& [node, begun, time] = transfers_[i];
    alive_[i].insert(time.write ? model_.write(node, name(i), time.size)
                                : model_.read(node, name(i), time.nodes.front(), time.size));
  }

  void ended(const sim::DataModel::Moved& moved) {
    const auto i = static_cast<std::size_t>(moved.container.value);
    const auto& [node, begun, time] = transfers_[i];
    alive_[i].erase(moved.ticket);
    // Copies begin when the node has written its own data.
    if (time.write && !copied_.contains(i))
      for (NodeId copy : time.nodes)
        if (copy != node) alive_[i].insert(model_.copy(node, name(i), copy, time.size));
    copied_.insert(i);
    if (alive_[i].empty()) ends_[i] = now_;
  }

  const std::vector<Transferred>& transfers_;
  sim::DataModel model_;
  std::vector<EmuTime> ends_;
  std::vector<std::set<sim::DataModel::Ticket>> alive_;  ///< by transfer
  std::set<std::size_t> copied_;
  Due begins_, cancels_;
  EmuTime now_;
};

}  // namespace

std::vector<EmuTime> ideal_ends(const std::vector<NodeSpec>& nodes,
                                const std::vector<Transferred>& transfers) {
  return Repetition(nodes, transfers).ends();
}

void TaskTimes::add(NodeId node, EmuTime started, const ContainerEnded& event, bool compare) {
  const AttemptUsage& usage = event.usage;
  if (usage.transfers.size() >= kMaxTimes) lose_transfers();
  if (compare)
    for (const WorkTime& time : usage.work)
      if (time.ideal > EmuTime(0)) work_errors_.push_back(error(time.took, time.ideal));
  for (const TransferTime& time : usage.transfers) {
    if (!time.write && time.nodes.empty()) continue;
    transfers_.push_back({node, started + time.begun, time});
    compared_.push_back(compare && time.done);
  }
}

wire::Json TaskTimes::work_json() const { return errors_json(work_errors_, "parts"); }

wire::Json TaskTimes::transfers_json() const {
  if (lost_) return nullptr;
  const std::vector<EmuTime> ends = ideal_ends(scenario_.cluster.nodes, transfers_);
  std::vector<double> errors;
  for (std::size_t i = 0; i < transfers_.size(); ++i) {
    const Transferred& transfer = transfers_[i];
    if (compared_[i] && ends[i] > transfer.begun)
      errors.push_back(error(transfer.time.took, ends[i] - transfer.begun));
  }
  return errors_json(errors, "transfers");
}

}  // namespace heddle::report
