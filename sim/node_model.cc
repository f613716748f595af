#include "sim/node_model.h"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cassert>
#include <utility>

#include "common/cpu_line.h"
#include "core/model/cpu_share.h"
#include "core/policy/reduces/suspension.h"
#include "core/resolve.h"
#include "core/scenario/faults.h"

namespace heddle::sim {
namespace {

/// Exit status that a shell reports for a process that SIGKILL ended.
constexpr int kKilledBySignal = 128 + 9;

/// Difference in memory between real tasks with the same profile. Tasks take memory in steps of 64
/// KiB. The charge that they see includes the charges that each CPU keeps in stock
/// (mm/memcontrol.c, 256 KiB). In a measurement, about 80 tasks were killed at the same level of
/// memory. Their peaks were within 190 KiB.
constexpr real::Bytes kNoise(192 << 10);

/// Returns a number in 0..1. The numbers of consecutive ids are evenly spread, because they are
/// multiples of the golden ratio, modulo 1.
double spread(ContainerId id) {
  const auto product = static_cast<std::uint64_t>(id.value) * 0x9e3779b97f4a7c15U;
  return static_cast<double>(product >> 11) * 0x1p-53;
}

std::string mebibytes(EmuBytes bytes) {
  return std::to_string((bytes.count() + (1 << 19)) >> 20) + " MiB";
}

bool before(const auto& entry, ContainerId id) { return entry.id < id; }

}  // namespace

NodeModel::Spec NodeModel::spec_of(const Scenario& scenario, const ContainerBounds& bounds,
                                   const NodeSpec& node) {
  const EmulationSpec& emulation = scenario.emulation;
  Spec spec;
  spec.cores = node.capacity.cores - node.system.cores;
  spec.speed = node.speed;
  spec.cpu_limit = emulation.cpu_limit;
  spec.overhead = scenario.scale().to_emulated(emulation.overhead);
  spec.memory = node.capacity.memory - node.system.memory + spec.overhead * bounds.overheads(node);
  spec.saturation = scenario.simulation.saturation;
  spec.preference = emulation.oom_preference;
  spec.suspend_cost = suspend_cost(scenario.policy);
  spec.noise = scenario.scale().to_emulated(kNoise);
  return spec;
}

const NodeModel::Entry& NodeModel::entry(ContainerId id) const {
  auto it = std::lower_bound(entries_.begin(), entries_.end(), id, before<Entry>);
  assert(it != entries_.end() && it->id == id);
  return *it;
}

NodeModel::Entry& NodeModel::entry(ContainerId id) {
  return const_cast<Entry&>(std::as_const(*this).entry(id));
}

void NodeModel::change(Entry& entry) {
  entry.changed = true;
  divided_ = false;
}

void NodeModel::advance(EmuTime now) {
  assert(now >= now_ && now <= next_);
  load_cpu_us_ += load_rate_ * static_cast<double>((now - now_).count());
  now_ = now;
  for (Entry& entry : entries_) {
    if (entry.resumes == now) divided_ = false;
    if (entry.task.due() > now) continue;
    int runnable = entry.task.runnable();
    entry.task.advance(now);
    entry.changed = true;
    if (entry.task.runnable() != runnable) divided_ = false;
  }
}

void NodeModel::start(ContainerId id, const Resources& held, const TaskWork& work) {
  auto at = std::lower_bound(entries_.begin(), entries_.end(), id, before<Entry>);
  bool shares = spec_.cpu_limit == CpuLimit::kShares;
  EmuTime ideal = ideal_time(work, held.cores, spec_.speed, shares);
  // The limit of a container is always below the limit of the node. Therefore a container that is
  // alone exceeds its own limit first.
  EmuBytes limit = std::min(held.memory + spec_.overhead, spec_.memory - EmuBytes(1));
  Entry& entry = *entries_.insert(at, Entry{.id = id,
                                            .cores = held.cores,
                                            .started = now_,
                                            .task = TaskModel(work, ideal, limit, now_)});
  peak_memory_ += entry.task.peak();
  // A task that does not compute takes no share, but it is contended on a slow node.
  if (entry.task.runnable() > 0 || slowed_ < 1) divided_ = false;
  beyond_ = std::max(beyond_, ContainerId{id.value + 1});
  if (!ContainerData::needed(work)) return;
  entry.data = std::make_unique<ContainerData>(id, id_, *data_, work);
  ++with_data_;
  const bool waits = work.waits && work.sources == 0;
  if (entry.data->held() && !waits) entry.data->begin_reading();
}

void NodeModel::inputs_ready(ContainerId id) {
  Entry& it = entry(id);
  if (it.data && it.data->held())
    it.data->begin_reading();
  else
    it.task.inputs_ready(now_);
  change(it);
}

void NodeModel::fetch(ContainerId id, const std::vector<DataRead>& reads) {
  entry(id).data->add(reads);
  change(entry(id));
}

void NodeModel::run(ContainerId id, const TaskPart& part) {
  Entry& it = entry(id);
  it.task.run(part, now_);
  it.data->run(part);
  change(it);
}

void NodeModel::finish(ContainerId id) {
  entry(id).task.finish(now_);
  change(entry(id));
}

void NodeModel::moved(ContainerId id, DataModel::Ticket ticket, DataModel::Outcome outcome) {
  if (!has(id)) return;  // it ended at the same time
  entry(id).data->moved(ticket, outcome);
  change(entry(id));
}

void NodeModel::suspend(ContainerId id) {
  Entry& it = entry(id);
  it.task.suspend(now_);
  if (it.data) it.data->set_stopped(true);
  change(it);
}

void NodeModel::resume(ContainerId id) {
  Entry& it = entry(id);
  it.task.resume(now_);
  it.resumes = now_ + spec_.suspend_cost;
  if (it.data) it.data->set_stopped(false);
  change(it);
}

void NodeModel::kill(ContainerId id) {
  end(entries_.begin() + (&entry(id) - entries_.data()), Outcome::kKilled, OomCause::kNone,
      kKilledBySignal, "killed as asked");
}

void NodeModel::clear() {
  for (Entry& entry : entries_) {
    past_cpu_ += entry.task.cpu(now_);
    removed_[entry.id] = entry.task.usage(now_);
    if (entry.data) entry.data->cancel();
  }
  entries_.clear();
  peak_memory_ = EmuBytes(0);
  with_data_ = 0;
  events_.clear();
  load_ = {};
  divided_ = false;
  data_->forget(id_, beyond_);
}

AttemptUsage NodeModel::take_usage(ContainerId id, EmuTime now) {
  if (has(id)) return entry(id).task.usage(now);
  const auto removed = removed_.extract(id);
  return removed ? removed.mapped() : AttemptUsage();
}

void NodeModel::end(std::vector<Entry>::iterator entry, Outcome outcome, OomCause oom, int status,
                    const std::string& reason) {
  ContainerEnded how{entry->id, outcome, oom, status, reason, entry->task.usage(now_)};
  how.usage.contended = entry->contended;
  if (entry->data) {
    entry->data->cancel();
    entry->data->count_in(how.usage);
    --with_data_;
  }
  past_cpu_ += how.usage.cpu;
  peak_memory_ -= entry->task.peak();
  events_.push_back(std::move(how));
  if (entry->task.runnable() > 0) divided_ = false;
  entries_.erase(entry);
}

void NodeModel::go_on_with_data() {
  for (Entry& entry : entries_)
    if (entry.data && entry.changed) go_on_with_data(entry);
}

void NodeModel::go_on_with_data(Entry& entry) {
  ContainerData& data = *entry.data;
  for (const DataRead& read : data.take_lost())
    events_.push_back(InputLost{entry.id, read.source, read.object, "nobody has it any more"});
  if (data.read_all()) {
    data.begin_work();
    entry.task.inputs_ready(now_);
    events_.push_back(InputsRead{entry.id});
    change(entry);
  }
  if (!entry.task.writing()) return;
  if (data.working()) data.begin_writing();
  if (!data.written_all()) return;
  data.done();
  entry.task.written(now_);
  if (entry.task.executor()) events_.push_back(PartDone{entry.id, data.part()});
  change(entry);
}

void NodeModel::end_finished() {
  for (std::size_t i = 0; i < entries_.size();) {
    const auto entry = entries_.begin() + i;
    if (entry->data && !entry->data->failure().empty())
      end(entry, Outcome::kFailed, OomCause::kNone, kKilledBySignal,
          std::string(entry->data->failure()));
    else if (entry->task.crashed())
      end(entry, Outcome::kFailed, OomCause::kNone, kTaskExitCrash, kCrashReason);
    else if (entry->task.finished())
      end(entry, Outcome::kCompleted, OomCause::kNone, 0, "");
    else
      ++i;
  }
}

void NodeModel::kill_over_limit() {
  for (std::size_t i = 0; i < entries_.size();) {
    if (entries_[i].task.over_limit(now_))
      end(entries_.begin() + i, Outcome::kOomKilled, OomCause::kContainer, kKilledBySignal,
          "killed: over its own memory limit");
    else
      ++i;
  }
}

void NodeModel::kill_for_node() {
  auto die = [&](std::vector<Entry>::iterator victim) {
    const EmuBytes use(static_cast<std::int64_t>(victim->task.memory(now_)));
    end(victim, Outcome::kOomKilled, OomCause::kNode, kKilledBySignal,
        "killed: its node was out of memory (its own use: " + mebibytes(use) + ")");
  };
  if (peak_memory_ + load_.memory <= spec_.memory) return;
  const auto limit = static_cast<double>(spec_.memory.count());
  if (total_memory(now_) <= limit) return;
  if (spec_.saturation == Saturation::kAll) {
    for (std::size_t i = 0; i < entries_.size();) {
      if (entries_[i].task.demanding())
        die(entries_.begin() + i);
      else
        ++i;
    }
  }
  while (total_memory(now_) > limit) die(victim());
}

/// Returns the container to kill. Of equal containers, returns the first. If several tasks have the
/// same level of memory, chance decides which one is the largest, and that task stays the largest.
/// If the oldest task were always killed, no task would ever complete. The kernel counts
/// the memory of a container's only process. A worker measures the same memory for the container.
/// Therefore `kernel` and `largest` are the same here.
std::vector<NodeModel::Entry>::iterator NodeModel::victim() {
  const bool youngest = spec_.preference == OomPreference::kYoungest;
  auto seen = [&](const Entry& entry) {
    return entry.task.memory(now_) + static_cast<double>(spec_.noise.count()) * spread(entry.id);
  };
  return std::max_element(entries_.begin(), entries_.end(), [&](const Entry& a, const Entry& b) {
    return youngest ? a.started < b.started : seen(a) < seen(b);
  });
}

double NodeModel::total_memory(EmuTime now) const {
  auto sum = static_cast<double>(load_.memory.count());
  for (const Entry& entry : entries_) sum += entry.task.memory(now);
  return sum;
}

void NodeModel::divide() {
  if (divided_) return;
  divided_ = true;
  boost::container::small_vector<CpuClaim, 16> claims;
  claims.reserve(entries_.size() + 1);
  for (const Entry& entry : entries_)
    claims.push_back(
        {entry.cores, entry.task.runnable(), entry.task.suspended() || entry.resumes > now_});
  const int load_threads = static_cast<int>((load_.cores.count() + 999) / 1000);
  claims.push_back({load_.cores, load_threads, false, true});
  const CpuShares shares = share_cpu({claims.data(), claims.size()}, spec_.cores,
                                     spec_.speed * slowed_, spec_.cpu_limit);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    entry.contended = entry.contended || shares[i].contended || slowed_ < 1;
    if (shares[i].per_thread == entry.rate) continue;
    entry.rate = shares[i].per_thread;
    entry.task.set_rate(entry.rate, now_);
    entry.changed = true;
  }
  load_rate_ = shares.back().per_thread * load_threads;
}

void NodeModel::plan() {
  next_ = kNever;
  double slope = 0;
  for (Entry& entry : entries_) {
    if (entry.changed) entry.task.plan(now_);
    entry.changed = false;
    next_ = std::min(next_, entry.task.due());
    if (entry.resumes > now_) next_ = std::min(next_, entry.resumes);
    slope += entry.task.slope();
  }
  if (slope > 0) next_ = std::min(next_, time_above(total_memory(now_), slope, spec_.memory, now_));
}

std::vector<NodeModel::Event> NodeModel::settle() {
  do {
    go_on_with_data();
    end_finished();
    kill_over_limit();
    kill_for_node();
    divide();
    plan();
    if (next_ == now_) advance(now_);
  } while (next_ == now_);
  return std::exchange(events_, {});
}

bool NodeModel::has(ContainerId id) const {
  auto it = std::lower_bound(entries_.begin(), entries_.end(), id, before<Entry>);
  return it != entries_.end() && it->id == id;
}

bool NodeModel::suspended(ContainerId id) const { return entry(id).task.suspended(); }

bool NodeModel::at_rest(ContainerId id) const {
  const Entry& it = entry(id);
  return it.task.due() == kNever && it.resumes <= now_ && !(it.data && it.data->moves());
}

NodeModel::Use NodeModel::use(EmuTime now) const {
  Use use{{}, past_cpu_, {}};
  use.containers.reserve(entries_.size());
  auto memory = static_cast<double>(load_.memory.count());
  for (const Entry& entry : entries_) {
    const TaskModel::Use task = entry.task.use(now);
    use.cpu += task.cpu;
    memory += task.memory;
    use.containers.push_back(
        {entry.id, task.cpu, EmuBytes(static_cast<std::int64_t>(task.memory)), task.progress});
    if (entry.data) entry.data->count_in(use.containers.back());
  }
  use.memory = EmuBytes(static_cast<std::int64_t>(memory)) - load_.memory;
  return use;
}

CoreTime NodeModel::cpu(EmuTime now) const {
  CoreTime cpu = past_cpu_;
  for (const Entry& entry : entries_) cpu += entry.task.cpu(now);
  return cpu;
}

CoreTime NodeModel::load_cpu(EmuTime now) const {
  return CoreTime(static_cast<std::int64_t>(
      load_cpu_us_ + load_rate_ * static_cast<double>((now - now_).count())));
}

}  // namespace heddle::sim
