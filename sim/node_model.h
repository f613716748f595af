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

/// One emulated node in virtual time: containers and what they do with its CPU and memory. CPU is
/// divided by the very function that real workers use (core/model/cpu_share.h).
///
/// Memory, as the kernel has it: a container whose use exceeds its limit (request plus overhead,
/// always below the node's) is killed for its own limit; when the sum of all exceeds the node's,
/// `saturation: kernel` kills one after the other until the rest fits: the container with the
/// largest use (mm/oom_kill.c: oom_badness), of which each has somewhat more than it should; with
/// `oom_preference: youngest` the one that started last; of equal ones the lowest id, where the
/// kernel has no fixed order. `saturation: all` kills every one that has just come or grows.
///
/// What runs outside of any container (external load) takes part in the division of CPU as a
/// container of its size, holds its memory, and is never killed.
///
/// What its containers read and write goes through the cluster's data model; a container that is
/// stopped begins no further read.
///
/// Use: advance to a time not beyond next_time(), say what comes from outside at that time, settle;
/// after that the data model is to be settled. Costs in proportion to the node's containers. Pure.
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
    /// What containers are off their profiles by, to the kernel's eyes, at most.
    EmuBytes noise = EmuBytes(0);
    EmuTime suspend_cost = {};  ///< for which a resumed container gets no CPU
  };
  /// As the worker of that node would set it up. REQUIRES: emulation is resolved.
  static Spec spec_of(const Scenario& scenario, const NodeSpec& node);

  /// What a container has come to.
  using Event = std::variant<InputsRead, PartDone, InputLost, ContainerEnded>;

  /// `data`: of the cluster in which it is node `id`; must outlive it.
  NodeModel(const Spec& spec, NodeId id, DataModel& data) : spec_(spec), id_(id), data_(&data) {}
  NodeModel(NodeModel&&) = default;
  NodeModel& operator=(NodeModel&&) = default;

  void advance(EmuTime now);
  // At the time advanced to. REQUIRES, but for start: it has the container.
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
  /// Its worker is gone, and all containers and its load with it: there is no event of them.
  void clear();
  /// A fault: cores are so many times as fast as they should be.
  void set_slowed(double factor) {
    slowed_ = factor;
    divided_ = false;
  }
  /// Divides the CPU anew and kills where memory has run out. Gives all that has happened since the
  /// last call, in order.
  std::vector<Event> settle();

  /// When something happens by itself; kNever if nothing will. REQUIRES: settled.
  EmuTime next_time() const { return next_; }

  NodeId id() const { return id_; }
  // As of `now`, from the time advanced to until next_time().
  bool has(ContainerId id) const;
  bool suspended(ContainerId id) const;
  /// It does nothing, and reads and writes nothing, until something comes from outside.
  bool at_rest(ContainerId id) const;
  struct Use {
    std::vector<ContainerUse> containers;  ///< ascending
    CoreTime cpu;                          ///< of all containers it ever had
    EmuBytes memory;                       ///< of those it has
  };
  Use use(EmuTime now) const;
  /// Of that the CPU alone.
  CoreTime cpu(EmuTime now) const;
  /// Some container reads or writes data: what it has moved is known as of now only.
  bool moves_data() const { return with_data_ > 0; }
  const Resources& load() const { return load_; }
  /// Of all that its external load has used.
  CoreTime load_cpu(EmuTime now) const;

 private:
  struct Entry {
    ContainerId id;
    Millicores cores;
    TaskModel task;
    EmuTime started;
    std::unique_ptr<ContainerData> data;  ///< null: it has none
    double rate = 0;
    bool contended = false;
    bool changed = true;   ///< to be planned anew
    EmuTime resumes = {};  ///< if it was resumed: gets no CPU before
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
  /// Of containers and load.
  double total_memory(EmuTime now) const;
  void divide();
  void plan();

  Spec spec_;
  NodeId id_;
  DataModel* data_;
  EmuTime now_;
  EmuTime next_ = kNever;
  std::vector<Entry> entries_;  ///< by id
  int with_data_ = 0;           ///< of these
  bool divided_ = true;
  double slowed_ = 1;
  ContainerId beyond_{0};  ///< all that it ever had
  CoreTime past_cpu_;      ///< of containers that are gone
  Resources load_;
  double load_cpu_us_ = 0;  ///< core-microseconds up to now_
  double load_rate_ = 0;    ///< core-microseconds a microsecond
  std::vector<Event> events_;
};

}  // namespace heddle::sim
