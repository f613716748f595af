#pragma once

#include <map>
#include <memory>
#include <variant>
#include <vector>

#include "core/model/event.h"
#include "core/model/resources.h"
#include "core/resolve.h"
#include "core/scenario/scenario.h"
#include "sim/container_data.h"
#include "sim/task_model.h"

namespace heddle::sim {

/// Models one emulated node in virtual time: its containers, and how they use the node's CPU and
/// memory. The CPU is divided by the same function that real workers use (core/model/cpu_share.h).
///
/// Memory limits work as in the kernel. The limit of a container is its request plus the overhead.
/// A container is killed if its use exceeds this limit. If the sum of all containers exceeds the
/// node's limit, `saturation: kernel` kills one container after another until the rest fits. The
/// container with the largest use plus noise is killed first (mm/oom_kill.c: oom_badness). With
/// `oom_preference: youngest`, the container that started last is killed first. Of equal
/// containers, the one with the lowest id is killed first. The kernel has no fixed order for equal
/// containers. `saturation: all` kills every container that has just started or whose memory grows.
///
/// External load runs outside of all containers. In the division of CPU, it counts as a container
/// of its size. It holds its memory and is never killed.
///
/// Containers read and write data through the cluster's data model. A stopped container begins no
/// new read.
///
/// Use: call advance() with a time that is not after next_time(). Call the functions for the
/// commands and transfers of that time. Then call settle(), and settle() of the data model. The
/// costs are proportional to the number of the node's containers. Pure.
class NodeModel {
 public:
  struct Spec {
    Millicores cores;  ///< for containers
    double speed = 1;
    CpuLimit cpu_limit = CpuLimit::kStrict;
    EmuBytes memory;    ///< for containers, their overheads included
    EmuBytes overhead;  ///< of one container, added to its request
    Saturation saturation = Saturation::kKernel;
    OomPreference preference = OomPreference::kKernel;
    /// Maximum difference between a container's memory, as the kernel counts it, and its profile.
    EmuBytes noise = EmuBytes(0);
    EmuTime suspend_cost = {};  ///< time for which a resumed container gets no CPU
  };
  /// Returns the spec with the limits that a real worker would set for the node. REQUIRES:
  /// emulation is resolved.
  static Spec spec_of(const Scenario& scenario, const ContainerBounds& bounds,
                      const NodeSpec& node);

  /// An event of a container.
  using Event = std::variant<InputsRead, PartDone, InputLost, ContainerEnded>;

  /// `data` is the data model of the cluster, where this node has the id `id`. It must outlive this
  /// model.
  NodeModel(const Spec& spec, NodeId id, DataModel& data) : spec_(spec), id_(id), data_(&data) {}
  NodeModel(NodeModel&&) = default;
  NodeModel& operator=(NodeModel&&) = default;

  void advance(EmuTime now);
  // The next functions act at the time of the last advance(). REQUIRES, except for start(): the
  // node has the container.
  void start(ContainerId id, const Resources& held, const TaskWork& work);
  void inputs_ready(ContainerId id);
  void fetch(ContainerId id, const std::vector<DataRead>& reads);
  void run(ContainerId id, const TaskPart& part);
  void finish(ContainerId id);
  void moved(ContainerId id, DataModel::Ticket ticket, DataModel::Outcome outcome);
  void suspend(ContainerId id);
  void resume(ContainerId id);
  void kill(ContainerId id);
  void set_load(const Resources& load) {
    load_ = load;
    divided_ = false;
  }
  /// Removes all containers and the load without any events, because the worker is gone.
  void clear();
  /// Returns what a container has used until `now`, or until clear() removed it. Returns nothing
  /// for a container that the node does not have. The model then forgets what a removed one used.
  AttemptUsage take_usage(ContainerId id, EmuTime now);
  /// Sets the speed of the cores during a fault, as a factor on their normal speed.
  void set_speed(double factor) {
    slowed_ = factor;
    divided_ = false;
  }
  /// Divides the CPU again, and kills containers if memory limits are exceeded. Returns all events
  /// since the last call, in order.
  std::vector<Event> settle();

  /// Returns the next time at which something happens without a call. Returns kNever if there is
  /// none. REQUIRES: settle() was called after the last change.
  EmuTime next_time() const { return next_; }

  NodeId id() const { return id_; }
  // The next functions describe the node at `now`, which is between the time of the last advance()
  // and next_time().
  bool has(ContainerId id) const;
  bool suspended(ContainerId id) const;
  /// Returns whether the container does not work, read or write, and will not do so before the next
  /// call that concerns it.
  bool at_rest(ContainerId id) const;
  struct Use {
    std::vector<ContainerUse> containers;  ///< ascending
    CoreTime cpu;                          ///< of all containers that the node ever had
    EmuBytes memory;                       ///< of the containers that it has now
  };
  Use use(EmuTime now) const;
  /// Returns the same CPU as use(), at a lower cost.
  CoreTime cpu(EmuTime now) const;
  /// Returns whether a container can move data. If so, use() knows the moved data only for the
  /// present time.
  bool moves_data() const { return with_data_ > 0; }
  const Resources& load() const { return load_; }
  /// Returns the CPU that external load has used in total.
  CoreTime load_cpu(EmuTime now) const;

 private:
  struct Entry {
    ContainerId id;
    Millicores cores;
    EmuTime started;
    double rate = 0;
    EmuTime resumes = {};  ///< a resumed container gets no CPU before this time
    bool contended = false;
    bool changed = true;                            ///< needs a new plan
    std::unique_ptr<ContainerData> data = nullptr;  ///< null: the container moves no data
    TaskModel task;
  };

  const Entry& entry(ContainerId id) const;
  Entry& entry(ContainerId id);
  void change(Entry& entry);
  void end(std::vector<Entry>::iterator entry, Outcome outcome, OomCause oom, int status,
           const std::string& reason);
  void go_on_with_data();
  void go_on_with_data(Entry& entry);
  void end_finished();
  void kill_over_limit();
  void kill_for_node();
  std::vector<Entry>::iterator victim();
  /// Returns the memory that containers and external load use.
  double total_memory(EmuTime now) const;
  void divide();
  void plan();

  Spec spec_;
  NodeId id_;
  DataModel* data_;
  EmuTime now_;
  EmuTime next_ = kNever;
  std::vector<Entry> entries_;  ///< by id
  EmuBytes peak_memory_;        ///< sum of the peaks of the entries' tasks
  int with_data_ = 0;           ///< entries with data
  bool divided_ = true;
  double slowed_ = 1;
  ContainerId beyond_{0};  ///< larger than the ids of all containers that the node had
  CoreTime past_cpu_;      ///< CPU of containers that have ended
  std::map<ContainerId, AttemptUsage> removed_;  ///< usage of containers that clear() removed
  Resources load_;
  double load_cpu_us_ = 0;  ///< core-microseconds until now_
  double load_rate_ = 0;    ///< core-microseconds per microsecond
  std::vector<Event> events_;
};

}  // namespace heddle::sim
