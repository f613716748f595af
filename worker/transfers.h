#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "common/scale.h"
#include "worker/data/data_service.h"
#include "worker/effect.h"

namespace heddle::worker {

/// Passes the reads and writes of tasks to the data service. Tasks use emulated sizes and the
/// service uses real sizes, so the class converts them. Has no thread and no clock.
class Transfers {
 public:
  /// `service` must outlive the object. `here` is this node.
  Transfers(DataService& service, NodeId here, const Scale& scale)
      : service_(service), here_(here), scale_(scale) {}

  void begin(const BeginRead& read, real::Time now);
  /// Begins a write for a container of `job`.
  void begin(const BeginWrite& write, const std::string& job, real::Time now);
  /// Announces a copy to the service. A task on another node will ask this node to make it.
  void expect(const wire::ExpectCommand& copy);
  /// Cancels the unfinished reads and writes of a container that has ended, and forgets the
  /// container.
  void drop(ContainerId container);
  /// Removes what the tasks of a job have stored on this node. Called when the job has ended.
  void forget(const std::string& job);

  struct Ended {
    ContainerId container;
    std::variant<DataRead, DataWrite> what;
    std::string error;  ///< "" on success
  };
  /// Returns the reads and writes that have ended since the last call, in order.
  std::vector<Ended> take(real::Time now);

  struct Moved {
    EmuBytes read_local, read_remote, written;
  };
  /// Returns how much data was moved for a container by reads and writes that have succeeded.
  Moved moved(ContainerId container) const;
  /// Returns the times of a container's transfers, those that have not ended last, and at most
  /// kMaxTimes. The container started at `since` and ended at `until`.
  std::vector<TransferTime> times(ContainerId container, real::Time since, real::Time until) const;

 private:
  struct Transfer {
    ContainerId container;
    std::variant<DataRead, DataWrite> what;
    real::Time begun;
  };
  struct Past {
    Transfer transfer;
    NodeId from;  ///< of a read: the node that supplied the data
    real::Time ended;
    bool done = true;
  };

  void count(const Transfer& transfer, NodeId from);

  DataService& service_;
  NodeId here_;
  Scale scale_;
  std::uint64_t last_ticket_ = 0;
  std::map<std::uint64_t, Transfer> under_way_;  ///< unfinished transfers, by ticket
  std::map<ContainerId, Moved> moved_;
  std::map<ContainerId, std::vector<Past>> past_;  ///< ended transfers, at most kMaxTimes each
  std::map<std::string, std::vector<std::uint64_t>> kept_;  ///< kept objects, by job
};

/// Returns the options for a node's data service. Computes the rates of its disk and network with
/// the run's scales.
DataOptions data_options(const wire::Welcome& welcome, const std::string& bind,
                         const std::string& scratch);

}  // namespace heddle::worker
