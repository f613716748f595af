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

/// Passes the tasks' reads and writes to the data service. Converts between emulated units on the
/// tasks' side and real ones on the service's. Has no thread and no clock.
class Transfers {
 public:
  /// `service` must outlive the object. `here`: this node.
  Transfers(DataService& service, NodeId here, const Scale& scale)
      : service_(service), here_(here), scale_(scale) {}

  void begin(const BeginRead& read);
  /// `job`: the container's job.
  void begin(const BeginWrite& write, const std::string& job);
  /// Announces a copy that a task on another node will have made here.
  void expect(const wire::ExpectCommand& copy);
  /// Cancels what is under way for a container that is gone, and forgets it.
  void drop(ContainerId container);
  /// Removes what the tasks of a job have stored here, when the job is over.
  void forget(const std::string& job);

  struct Ended {
    ContainerId container;
    std::variant<DataRead, DataWrite> what;
    std::string error;  ///< "" on success
  };
  /// Returns what has ended since the last call, in order.
  std::vector<Ended> take();

  struct Moved {
    EmuBytes read_local, read_remote, written;
  };
  /// Returns how much was moved for a container, completely and correctly.
  Moved moved(ContainerId container) const;

 private:
  struct Transfer {
    ContainerId container;
    std::variant<DataRead, DataWrite> what;
  };

  void count(const Transfer& transfer, NodeId from);

  DataService& service_;
  NodeId here_;
  Scale scale_;
  std::uint64_t last_ticket_ = 0;
  std::map<std::uint64_t, Transfer> under_way_;  ///< by ticket
  std::map<ContainerId, Moved> moved_;
  std::map<std::string, std::vector<std::uint64_t>> kept_;  ///< objects by job
};

/// Returns the options for a node's data service: its disk and network at the run's scales.
DataOptions data_options(const wire::Welcome& welcome, const std::string& bind,
                         const std::string& scratch);

}  // namespace heddle::worker
