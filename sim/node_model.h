#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "core/model/event.h"
#include "core/model/resources.h"
#include "core/scenario/scenario.h"
#include "sim/container_data.h"
#include "sim/task_model.h"

namespace heddle::sim {

/// Models one emulated node in virtual time: containers and what they do with its CPU and memory.
/// CPU is divided by the same function that real workers use (core/model/cpu_share.h).
///
/// Memory follows the kernel. A container whose use exceeds its limit (request plus overhead,
/// always below the node's) is killed for its own limit. If the sum of all exceeds the node's
/// limit, `saturation: kernel` kills one container after the other until the rest fits: the one
/// with the largest use plus noise (mm/oom_kill.c: oom_badness), or with `oom_preference: youngest`
/// the one that started last. Of equal ones the lowest id is killed; the kernel has no fixed order.
/// `saturation: all` kills every container that has just come or grows.
///
/// External load, which runs outside of all containers, takes part in the division of CPU as a
/// container of its size, holds its memory, and is never killed.
///
/// The data that containers read and write goes through the cluster's data model. A stopped
/// container begins no further read.
///
/// Use: advance to a time not beyond next_time(), pass in what comes from outside at that time,
/// settle, then settle the data model. Costs are proportional to the node's containers. Pure.
class NodeModel {
 public:
  struct Spec {
    Millicores cores;  ///< for containers
    double speed = 1;
    CpuLimit cpu_limit = CpuLimit::kStrict;
    EmuBytes memory;    ///< for containers, their overheads included
    EmuBytes overhead;  ///< of one container, on top of its request
    Saturation saturation = Saturation::kKernel;
    OomPreference preference = OomPreference::kKernel;
    /// Maximum difference between a container's memory and its profile, as the kernel sees it.
    EmuBytes noise = EmuBytes(0);
    EmuTime suspend_cost = {};  ///< time for which a resumed container gets no CPU
  };
  /// Returns the spec as the real worker of that node would set it up. REQUIRES: emulation is
  /// resolved.
  static Spec spec_of(const Scenario& scenario, const NodeSpec& node);

  /// An event of a container.
  using Event = std::variant<InputsRead, PartDone, InputLost, ContainerEnded>;

  /// `data`: data model of the cluster in which this is node `id`; must outlive this model.
  NodeModel(const Spec& spec, NodeId id, DataModel& data) : spec_(spec), id_(id), data_(&data) {}
  NodeModel(NodeModel&&) = default;
  NodeModel& operator=(NodeModel&&) = default;

  void advance(EmuTime now);
  // At the time advanced to. REQUIRES, except for start: the node has the container.
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
  /// Sets how fast cores are during a fault, relative to their normal speed.
  void set_slowed(double factor) {
    slowed_ = factor;
    divided_ = false;
  }
  /// Divides the CPU again and kills containers if memory has run out. Returns all that has
  /// happened since the last call, in order.
  std::vector<Event> settle();

  /// Returns when something happens by itself; kNever if nothing will. REQUIRES: settled.
  EmuTime next_time() const { return next_; }

  NodeId id() const { return id_; }
  // As of `now`, which lies between the time advanced to and next_time().
  bool has(ContainerId id) const;
  bool suspended(ContainerId id) const;
  /// Returns whether the container does nothing, and reads and writes nothing, until something
  /// comes from outside.
  bool at_rest(ContainerId id) const;
  struct Use {
    std::vector<ContainerUse> containers;  ///< ascending
    CoreTime cpu;                          ///< of all containers that the node ever had
    EmuBytes memory;                       ///< of the containers that it has
  };
  Use use(EmuTime now) const;
  /// Returns the CPU of use() alone.
  CoreTime cpu(EmuTime now) const;
  /// Returns whether a container may move data. The data moved is known for the present only.
  bool moves_data() const { return with_data_ > 0; }
  const Resources& load() const { return load_; }
  /// Returns the CPU that external load has used in total.
  CoreTime load_cpu(EmuTime now) const;

 private:
  struct Entry {
    ContainerId id;
    Millicores cores;
    TaskModel task;
    EmuTime started;
    std::unique_ptr<ContainerData> data;  ///< null: the container moves none
    double rate = 0;
    bool contended = false;
    bool changed = true;   ///< needs a new plan
    EmuTime resumes = {};  ///< if resumed: gets no CPU before this time
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
  /// Returns the memory of containers and load.
  double total_memory(EmuTime now) const;
  void divide();
  void plan();

  Spec spec_;
  NodeId id_;
  DataModel* data_;
  EmuTime now_;
  EmuTime next_ = kNever;
  std::vector<Entry> entries_;  ///< by id
  int with_data_ = 0;           ///< entries with data
  bool divided_ = true;
  double slowed_ = 1;
  ContainerId beyond_{0};  ///< above the ids of all containers that the node ever had
  CoreTime past_cpu_;      ///< of containers that are gone
  Resources load_;
  double load_cpu_us_ = 0;  ///< core-microseconds up to now_
  double load_rate_ = 0;    ///< core-microseconds a microsecond
  std::vector<Event> events_;
};

}  // namespace heddle::sim
