#include "cgroup/tree.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <utility>

#include "cgroup/formats.h"
#include "cgroup/ownership.h"

namespace heddle::cgroup {
namespace {

constexpr std::chrono::milliseconds kLeftoverLimit(5000);
/// Number of attempts to make the groups. An attempt fails if another worker removes the run's
/// group between our two calls.
constexpr int kCreateTries = 10;
/// Limit of passes over the counts. It is unlikely that new events arrive during so many passes in
/// a row.
constexpr int kCountTries = 100;
/// A group that is charged for at most this number of bytes is reused. A group with more bytes,
/// such as the page cache of its last container, is removed and made again, because otherwise the
/// next container would be charged for them. The kernel's per-CPU stock of charges is below this
/// limit.
constexpr real::Bytes kCleanBytes(1 << 20);

/// Counts of how often the watches have fired.
struct Firings {
  std::int64_t container = 0;
  std::int64_t node = 0;
  std::int64_t run = 0;
};

struct Slot {
  std::string group;
  bool made = false;
  bool in_use = false;
  bool set_aside = false;  ///< was not empty at its release
  bool lifted = false;
  bool preferred = false;
  bool frozen = false;
  bool ended_by_oom = false;
  bool counts_cache = false;
  bool dropping = false;  ///< another thread drops the page cache of the last container
  ContainerCaps caps;     ///< as requested, with the CPU cap rounded
  // Caps that the group has, or nullopt if they are unknown. If equal caps are requested, nothing
  // is written.
  std::optional<CpuCap> cpu_in_force;
  std::optional<MemoryCap> memory_in_force;
  bool processes_limited = false;
  // Descriptors of the group, each opened when first needed and closed when the group is removed.
  std::vector<Fd> attach;
  Fd directory;
  Fd memory_use;
  std::optional<OomWatch> watch;
  std::int64_t fired = 0;
  CpuStats cpu_before;  ///< counters when the slot was acquired
  MemoryStats memory_before;
  Firings firings_before;
  std::int64_t node_oom_before = 0;
};

Result<Fd> copy_of(const Fd& fd) {
  Fd copy(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 0));
  if (!copy) return system_error("copy a descriptor", errno);
  return copy;
}

/// Returns a copy of the descriptor. Opens the descriptor first if it is not open yet.
Result<Fd> copy_of(Fd& fd, const std::function<Result<Fd>()>& open) {
  if (!fd) {
    Result<Fd> opened = open();
    if (!opened) return opened;
    fd = *std::move(opened);
  }
  return copy_of(fd);
}

}  // namespace

struct NodeTree::State {
  State(Driver& d, const std::string& run, const std::string& node, const NodeCaps& c)
      : driver(d), run_group(cgroup::run_group(run)), node_group(run_group + "/" + node), caps(c) {
    caps.cpu = representable(c.cpu, Rounding::kUp);
    most_cpus = c.cpu.cpus;
  }

  bool v1() const { return driver.version() == Version::kV1; }

  Result<void> make_node();
  Result<void> make_groups();
  Result<void> watch(const std::string& group, std::optional<OomWatch>& watch);
  Result<void> apply_cpu(const std::string& group, const CpuCap& cap);
  Result<void> apply_memory(const std::string& group, const MemoryCap& cap);
  Result<void> apply_cpu(Slot& slot);
  Result<void> apply_memory(Slot& slot);

  Slot& slot(int index) {
    assert(index >= 0 && index < static_cast<int>(slots.size()));
    return slots[static_cast<std::size_t>(index)];
  }
  Result<MemoryStats> make(Slot& slot);
  Result<void> drop(Slot& slot);
  Result<bool> fit_for_use(Slot& slot);
  Result<MemoryStats> clean(Slot& slot);
  Result<void> hand_out(Slot& slot, const ContainerCaps& caps);
  Result<void> begin_counting(Slot& slot);
  ContainerCaps effective(const ContainerCaps& wanted) const;

  Result<void> lift(Slot& slot, const std::function<Result<void>()>& first);
  Result<void> unlift_node(Slot& slot);
  Result<void> prefer(Slot& slot, bool preferred);
  Result<void> kill(Slot& slot);
  bool drain();
  Firings settled_firings(const Slot& slot);
  Result<void> end_what_oom_began(Slot& slot, const MemoryStats& now);
  Result<MemoryUse> use_of(const std::string& group, real::Bytes charge);

  Driver& driver;
  std::string run_group;
  std::string node_group;
  bool run_group_is_ours = false;
  std::vector<Fd> held;  ///< locks on the node's group, while we live
  NodeCaps caps;
  std::optional<real::Cpus> most_cpus;  ///< the node's cap before rounding
  std::vector<Slot> slots;
  bool counts_cache = false;  ///< some container has used files
  int lifts = 0;              ///< slots whose caps are lifted
  int preferences = 0;        ///< slots that are preferred
  Fd epoll;
  std::optional<OomWatch> node_watch;
  std::optional<OomWatch> run_watch;  ///< v1 only: fires for ancestors of the run's group
  std::int64_t node_fired = 0;
  std::int64_t run_fired = 0;
};

NodeTree::NodeTree(std::unique_ptr<State> state) : state_(std::move(state)) {}
NodeTree::~NodeTree() = default;

// Creation ----------------------------------------------------------------------------------------

Result<std::unique_ptr<NodeTree>> NodeTree::create(Driver& driver, const std::string& run,
                                                   const std::string& node, const NodeCaps& caps) {
  auto state = std::make_unique<State>(driver, run, node, caps);
  Result<void> made = state->make_node();
  if (made) return std::unique_ptr<NodeTree>(new NodeTree(std::move(state)));
  // Remove the groups that are ours. The run's group stays if other workers use it. Report the
  // first error.
  state->run_watch.reset();
  state->node_watch.reset();
  if (!state->held.empty()) (void)driver.remove(state->node_group);
  if (state->run_group_is_ours) (void)driver.remove(state->run_group);
  return std::move(made).error().in("make the control group of node " + node);
}

Result<void> NodeTree::State::make_node() {
  epoll = Fd(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) return system_error("epoll_create1", errno);
  HEDDLE_TRY(make_groups());
  HEDDLE_TRY(driver.set_cpu_weight(run_group, caps.run_weight));
  HEDDLE_TRY(apply_cpu(node_group, caps.cpu));
  HEDDLE_TRY(apply_memory(node_group, caps.memory));
  if (v1()) HEDDLE_TRY(watch(run_group, run_watch));
  return watch(node_group, node_watch);
}

Result<void> NodeTree::State::make_groups() {
  for (int tries = 1;; ++tries) {
    Result<void> run = make_run_group(driver, run_group);
    run_group_is_ours = static_cast<bool>(run);
    Result<std::vector<Fd>> node =
        run ? claim(driver, node_group, kLeftoverLimit) : Result<std::vector<Fd>>(run.error());
    if (node) {
      held = *std::move(node);
      return {};
    }
    if (node.error().code != ENOENT || tries == kCreateTries) return std::move(node).error();
  }
}

Result<void> NodeTree::State::watch(const std::string& group, std::optional<OomWatch>& watch) {
  Result<OomWatch> opened = driver.watch_oom(group);
  if (!opened) return std::move(opened).error();
  epoll_event event{};
  event.events = opened->poll_events();
  if (::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, opened->fd(), &event) < 0)
    return system_error("watch the memory events of " + group, errno);
  watch = *std::move(opened);
  return {};
}

Result<void> NodeTree::State::apply_cpu(const std::string& group, const CpuCap& cap) {
  HEDDLE_TRY(driver.set_cpu(group, cap));
  Result<CpuCap> in_force = driver.cpu(group);
  if (!in_force) return std::move(in_force).error();
  Result<void> same = check_cpu(cap, *in_force);
  if (!same) return std::move(same).error().in("group " + group);
  return {};
}

Result<void> NodeTree::State::apply_memory(const std::string& group, const MemoryCap& cap) {
  HEDDLE_TRY(driver.set_memory(group, cap));
  Result<MemoryCap> in_force = driver.memory(group);
  if (!in_force) return std::move(in_force).error();
  Result<void> same = check_memory(cap, *in_force, ::sysconf(_SC_PAGESIZE));
  if (!same) return std::move(same).error().in("group " + group);
  return {};
}

Result<void> NodeTree::State::apply_cpu(Slot& slot) {
  if (slot.cpu_in_force == slot.caps.cpu) return {};
  slot.cpu_in_force.reset();
  HEDDLE_TRY(apply_cpu(slot.group, slot.caps.cpu));
  slot.cpu_in_force = slot.caps.cpu;
  return {};
}

Result<void> NodeTree::State::apply_memory(Slot& slot) {
  if (slot.memory_in_force == slot.caps.memory) return {};
  slot.memory_in_force.reset();
  HEDDLE_TRY(apply_memory(slot.group, slot.caps.memory));
  slot.memory_in_force = slot.caps.memory;
  return {};
}

// Pool --------------------------------------------------------------------------------------------

Result<int> NodeTree::acquire(const ContainerCaps& caps) {
  std::size_t index = 0;
  for (; index < state_->slots.size(); ++index) {
    Slot& slot = state_->slots[index];
    if (slot.in_use) continue;
    Result<bool> fit = state_->fit_for_use(slot);
    if (!fit) return std::move(fit).error();
    if (*fit) break;
  }
  if (index == state_->slots.size()) {
    state_->slots.emplace_back();
    state_->slots.back().group = state_->node_group + "/c" + std::to_string(index);
  }
  HEDDLE_TRY(state_->hand_out(state_->slots[index], caps));
  return static_cast<int>(index);
}

/// Returns false if processes or page cache of the slot's last container are still in the group.
Result<bool> NodeTree::State::fit_for_use(Slot& slot) {
  if (slot.dropping) return false;
  if (!slot.set_aside) return true;
  Result<std::vector<pid_t>> members = driver.members(slot.group);
  if (!members) return std::move(members).error();
  slot.set_aside = !members->empty();
  return !slot.set_aside;
}

Result<void> NodeTree::State::hand_out(Slot& slot, const ContainerCaps& wanted) {
  bool fresh = !slot.made;
  Result<MemoryStats> empty = fresh ? make(slot) : clean(slot);
  // Another process can have removed the group. After drop(), the next acquire() makes the group
  // again.
  if (!empty && !fresh) (void)drop(slot);
  if (!empty) return std::move(empty).error();
  slot.memory_before = *empty;
  slot.caps = effective(wanted);
  Result<void> ready = [&]() -> Result<void> {
    HEDDLE_TRY(apply_cpu(slot));
    HEDDLE_TRY(apply_memory(slot));
    return begin_counting(slot);
  }();
  slot.in_use = static_cast<bool>(ready);
  if (!ready && fresh) (void)drop(slot);  // report the first error
  return ready;
}

/// Makes the slot's group. Returns the memory statistics of the new group.
Result<MemoryStats> NodeTree::State::make(Slot& slot) {
  Result<MemoryStats> made = [&]() -> Result<MemoryStats> {
    HEDDLE_TRY(driver.create(slot.group));
    HEDDLE_TRY(driver.set_oom_group(slot.group));
    if (v1()) HEDDLE_TRY(watch(slot.group, slot.watch));
    return driver.memory_stats(slot.group);
  }();
  if (!made)
    (void)drop(slot);  // report the first error
  else
    slot.made = true;
  return made;
}

Result<void> NodeTree::State::drop(Slot& slot) {
  HEDDLE_TRY(driver.remove(slot.group));
  slot.watch.reset();
  slot.fired = 0;
  slot.made = slot.processes_limited = false;
  slot.cpu_in_force.reset();
  slot.memory_in_force.reset();
  slot.attach.clear();
  slot.directory.reset();
  slot.memory_use.reset();
  return {};
}

/// Resets the memory peak and the process limit of the last container. If the group is still
/// charged for more than kCleanBytes, or if this kernel can't reset the peak, removes the group and
/// makes it again. Returns the group's memory statistics.
Result<MemoryStats> NodeTree::State::clean(Slot& slot) {
  if (slot.processes_limited) HEDDLE_TRY(driver.set_pids(slot.group, std::nullopt));
  slot.processes_limited = false;
  Result<bool> reset = driver.reset_peak(slot.group);
  if (!reset) return std::move(reset).error();
  Result<MemoryStats> memory = driver.memory_stats(slot.group);
  if (!memory || (*reset && memory->current <= kCleanBytes)) return memory;
  HEDDLE_TRY(drop(slot));
  return make(slot);
}

Result<void> NodeTree::State::begin_counting(Slot& slot) {
  Result<CpuStats> cpu = driver.cpu_stats(slot.group);
  if (!cpu) return std::move(cpu).error();
  slot.cpu_before = *cpu;
  if (!v1()) {  // on v1, the watches count
    Result<MemoryStats> node = driver.memory_stats(node_group);
    if (!node) return std::move(node).error();
    slot.node_oom_before = node->oom;
  }
  slot.firings_before = settled_firings(slot);
  slot.ended_by_oom = slot.counts_cache = false;
  return {};
}

/// Returns the requested caps, with the CPU cap limited to the node's cap and rounded down. The CPU
/// cap is therefore never above the node's cap.
ContainerCaps NodeTree::State::effective(const ContainerCaps& wanted) const {
  ContainerCaps caps_now = wanted;
  if (wanted.cpu.cpus && most_cpus) caps_now.cpu.cpus = std::min(*wanted.cpu.cpus, *most_cpus);
  caps_now.cpu = representable(caps_now.cpu, Rounding::kDown);
  return caps_now;
}

Result<void> NodeTree::release(int index) {
  Slot& slot = state_->slot(index);
  if (!slot.in_use) return aborted_error("group " + slot.group + " isn't in use");
  Result<void> first;
  auto keep = [&first](Result<void> outcome) {
    if (first && !outcome) first = std::move(outcome);
  };
  Result<bool> left = state_->driver.has_members(slot.group);
  if (!left) keep(left.error());
  slot.set_aside = !left || *left;
  if (slot.set_aside) keep(state_->kill(slot));
  if (slot.frozen) keep(state_->driver.freeze(slot.group, false));
  slot.frozen = false;
  keep(state_->prefer(slot, false));
  keep(state_->unlift_node(slot));
  slot.in_use = false;
  return first;
}

// Caps --------------------------------------------------------------------------------------------

Result<void> NodeTree::limit_processes(int index, std::int64_t most) {
  Slot& slot = state_->slot(index);
  slot.processes_limited = true;
  return state_->driver.set_pids(slot.group, most);
}

bool NodeTree::lifted(int index) const { return state_->slot(index).lifted; }

Result<void> NodeTree::lift(int index, const std::function<Result<void>()>& first) {
  return state_->lift(state_->slot(index), first);
}

Result<void> NodeTree::State::lift(Slot& slot, const std::function<Result<void>()>& first) {
  const bool lifted = std::exchange(slot.lifted, true);
  Result<void> container, node;
  if (!lifted) {
    slot.cpu_in_force.reset();
    container = driver.set_cpu(slot.group, CpuCap{});
  }
  const Result<void> done = first ? first() : Result<void>();
  if (!lifted && lifts++ == 0) node = driver.set_cpu(node_group, CpuCap{});
  HEDDLE_TRY(done);
  HEDDLE_TRY(container);
  return node;
}

/// Restores the node's cap before the container's cap, because v1 refuses a container's cap above
/// the node's cap.
Result<void> NodeTree::restore(int index) {
  Slot& slot = state_->slot(index);
  const Result<void> usual = state_->prefer(slot, false);
  if (!slot.lifted) return usual;
  Result<void> node = state_->unlift_node(slot);
  HEDDLE_TRY(state_->apply_cpu(slot));
  HEDDLE_TRY(usual);
  return node;
}

Result<void> NodeTree::prefer(int index) { return state_->prefer(state_->slot(index), true); }

Result<void> NodeTree::State::prefer(Slot& slot, bool preferred) {
  if (std::exchange(slot.preferred, preferred) == preferred) return {};
  const CpuWeight weight = preferred ? CpuWeight::kUrgent : CpuWeight::kUsual;
  const int before = std::exchange(preferences, preferences + (preferred ? 1 : -1));
  const Result<void> container = driver.set_cpu_weight(slot.group, weight);
  if (before == 0 || preferences == 0) HEDDLE_TRY(driver.set_cpu_weight(node_group, weight));
  return container;
}

Result<void> NodeTree::State::unlift_node(Slot& slot) {
  if (!slot.lifted) return {};
  slot.lifted = false;
  return --lifts == 0 ? apply_cpu(node_group, caps.cpu) : Result<void>();
}

Result<void> NodeTree::kill(int index) { return state_->kill(state_->slot(index)); }

Result<void> NodeTree::State::kill(Slot& slot) {
  return lift(slot, [&] { return driver.kill(slot.group); });
}

Result<void> NodeTree::freeze(int index, bool frozen) {
  Slot& slot = state_->slot(index);
  HEDDLE_TRY(state_->driver.freeze(slot.group, frozen));
  slot.frozen = frozen;
  return {};
}

Result<bool> NodeTree::frozen(int index) const {
  return state_->driver.frozen(state_->slot(index).group);
}

// Statistics, memory events -----------------------------------------------------------------------

Result<ContainerStats> NodeTree::stats(int index) {
  Slot& slot = state_->slot(index);
  Result<CpuStats> cpu = state_->driver.cpu_stats(slot.group);
  if (!cpu) return std::move(cpu).error();
  Result<MemoryStats> memory = state_->driver.memory_stats(slot.group);
  if (!memory) return std::move(memory).error();
  HEDDLE_TRY(state_->end_what_oom_began(slot, *memory));
  MemoryUse use{memory->current, real::Bytes(0)};
  if (slot.counts_cache) HEDDLE_TRY(put(state_->use_of(slot.group, use.charge), use));
  return ContainerStats{cpu->usage - slot.cpu_before.usage, use.own(), memory->peak, use.cache};
}

/// Returns the group's use of memory; `charge` was read just now. Reads the charge again after the
/// cache and takes the smaller value. Therefore cache that comes or goes in between is never taken
/// for memory of the processes.
Result<MemoryUse> NodeTree::State::use_of(const std::string& group, real::Bytes charge) {
  Result<real::Bytes> cache = driver.memory_cache(group);
  if (!cache) return std::move(cache).error();
  Result<real::Bytes> after = driver.memory_charge(group);
  if (!after) return std::move(after).error();
  return MemoryUse{std::min(charge, *after), *cache};
}

void NodeTree::count_cache(int index) {
  state_->slot(index).counts_cache = state_->counts_cache = true;
}

Result<std::optional<MemoryUse>> NodeTree::memory_above(int index, real::Bytes known) {
  const Slot& slot = state_->slot(index);
  Result<real::Bytes> charge = state_->driver.memory_charge(slot.group);
  if (!charge) return std::move(charge).error();
  if (*charge <= known) return std::optional<MemoryUse>();
  Result<MemoryUse> use = state_->use_of(slot.group, *charge);
  if (!use) return std::move(use).error();
  return std::optional(*use);
}

real::Bytes NodeTree::memory_limit(int index) const {
  return *state_->slot(index).caps.memory.limit;
}

Result<std::optional<CacheDrop>> NodeTree::begin_drop(int index) {
  Slot& slot = state_->slot(index);
  Result<real::Bytes> left = state_->driver.memory_charge(slot.group);
  if (!left) return std::move(left).error();
  if (*left <= kCleanBytes) return std::optional<CacheDrop>();
  Result<Fd> reclaim = state_->driver.open_reclaim(slot.group);
  if (!reclaim && reclaim.error().code == ENOENT) return std::optional<CacheDrop>();
  if (!reclaim) return std::move(reclaim).error();
  Result<Fd> charge = open_memory_use(index);
  if (!charge) return std::move(charge).error();
  slot.dropping = true;
  // memory.force_empty of v1 takes no amount (mm/memcontrol-v1.c).
  return std::optional(CacheDrop{index, *std::move(charge), *std::move(reclaim),
                                 state_->v1() ? "0" : std::to_string(left->count()), kCleanBytes});
}

void NodeTree::cache_dropped(int index) { state_->slot(index).dropping = false; }

Result<ContainerStats> NodeTree::node_stats() {
  Result<CpuStats> cpu = state_->driver.cpu_stats(state_->node_group);
  if (!cpu) return std::move(cpu).error();
  Result<MemoryStats> memory = state_->driver.memory_stats(state_->node_group);
  if (!memory) return std::move(memory).error();
  MemoryUse use{memory->current, real::Bytes(0)};
  if (state_->counts_cache) HEDDLE_TRY(put(state_->use_of(state_->node_group, use.charge), use));
  return ContainerStats{cpu->usage, use.own(), memory->peak, use.cache};
}

Result<real::Bytes> NodeTree::node_memory() {
  Result<real::Bytes> charge = state_->driver.memory_charge(state_->node_group);
  if (!charge || !state_->counts_cache) return charge;
  Result<MemoryUse> use = state_->use_of(state_->node_group, *charge);
  if (!use) return std::move(use).error();
  return use->own();
}

int NodeTree::oom_fd() const { return state_->epoll.get(); }

void NodeTree::drain_oom() { (void)state_->drain(); }

/// Adds up what the watches have fired. Returns false if none has fired. Reads the counts of the
/// containers before the count of the node. The kernel notifies the node before its containers.
/// Therefore, if an event is in a container's count, it is also in the node's count.
bool NodeTree::State::drain() {
  epoll_event any{};
  if (::epoll_wait(epoll.get(), &any, 1, 0) == 0) return false;
  for (Slot& slot : slots)
    if (slot.watch) slot.fired += slot.watch->take();
  if (node_watch) node_fired += node_watch->take();
  if (run_watch) run_fired += run_watch->take();
  return true;
}

/// Returns counts that belong together. The kernel notifies one group after the other. If an event
/// arrives between two reads, it is missing in one of the counts, and a kill for the node's limit
/// would look like a kill for the container's limit, or vice versa. Therefore this function reads
/// until a pass finds nothing new.
Firings NodeTree::State::settled_firings(const Slot& slot) {
  for (int tries = 0; tries < kCountTries && drain(); ++tries) {
  }
  return {slot.fired, node_fired, run_fired};
}

Result<OomCause> NodeTree::oom_cause(int index) {
  Slot& slot = state_->slot(index);
  Result<MemoryStats> now = state_->driver.memory_stats(slot.group);
  if (!now) return std::move(now).error();
  std::int64_t killed = now->oom_kill - slot.memory_before.oom_kill;
  if (killed <= 0) return OomCause::kNone;
  HEDDLE_TRY(state_->end_what_oom_began(slot, *now));
  if (state_->v1()) {
    const Firings& before = slot.firings_before;
    const Firings fired = state_->settled_firings(slot);
    return attribute(from_v1_firings(killed, fired.container - before.container,
                                     fired.node - before.node, fired.run - before.run));
  }
  (void)state_->drain();
  Result<MemoryStats> node = state_->driver.memory_stats(state_->node_group);
  if (!node) return std::move(node).error();
  return attribute({killed, now->oom - slot.memory_before.oom, node->oom - slot.node_oom_before});
}

Result<void> NodeTree::State::end_what_oom_began(Slot& slot, const MemoryStats& now) {
  bool killed = now.oom_kill > slot.memory_before.oom_kill;
  if (!killed || slot.ended_by_oom || !v1()) return {};
  slot.ended_by_oom = true;
  return kill(slot);
}

// The rest ----------------------------------------------------------------------------------------

const std::string& NodeTree::group(int slot) const { return state_->slot(slot).group; }
const std::string& NodeTree::node_group() const { return state_->node_group; }
Result<std::vector<Fd>> NodeTree::open_attach(int index) {
  Slot& slot = state_->slot(index);
  if (slot.attach.empty()) {
    Result<std::vector<Fd>> opened = state_->driver.open_attach(slot.group);
    if (!opened) return opened;
    slot.attach = *std::move(opened);
  }
  std::vector<Fd> copies;
  for (const Fd& fd : slot.attach) {
    Result<Fd> copy = copy_of(fd);
    if (!copy) return std::move(copy).error();
    copies.push_back(*std::move(copy));
  }
  return copies;
}

Result<Fd> NodeTree::open_directory(int index) {
  Slot& slot = state_->slot(index);
  return copy_of(slot.directory, [&] { return state_->driver.open_directory(slot.group); });
}

Result<Fd> NodeTree::open_memory_use(int index) {
  Slot& slot = state_->slot(index);
  return copy_of(slot.memory_use, [&] { return state_->driver.open_memory_use(slot.group); });
}

Result<void> NodeTree::teardown(std::chrono::milliseconds limit) {
  state_->slots.clear();
  state_->node_watch.reset();
  state_->run_watch.reset();
  state_->lifts = state_->preferences = 0;
  HEDDLE_TRY(remove_tree(state_->driver, state_->node_group, limit));
  Result<void> run = state_->driver.remove(state_->run_group);
  if (!run && run.error().code != EBUSY) return run;  // EBUSY: other workers of the run use it
  return {};
}

}  // namespace heddle::cgroup
