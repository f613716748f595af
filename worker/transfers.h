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

/// What the tasks of a node have the data service do: in emulated units on this side, in real ones
/// on that. Keeps no thread and no clock.
class Transfers {
 public:
  /// `service` outlives it. `here`: the node.
  Transfers(DataService& service, NodeId here, const Scale& scale)
      : service_(service), here_(here), scale_(scale) {}

  void begin(const BeginRead& read);
  /// `job`: whose container it is.
  void begin(const BeginWrite& write, const std::string& job);
  /// Another node's task is to have a copy here.
  void expect(const wire::ExpectCommand& copy);
  /// The container is gone: cancels what is under way for it and forgets it.
  void drop(ContainerId container);
  /// The job is over: removes what its tasks have handed over here.
  void forget(const std::string& job);

  struct Ended {
    ContainerId container;
    std::variant<DataRead, DataWrite> what;
    std::string error;  ///< "" if all went well
  };
  /// What has ended since the last call, in order.
  std::vector<Ended> take();

  struct Moved {
    EmuBytes read_local, read_remote, written;
  };
  /// What was moved for a container, whole and right.
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
  std::map<std::string, std::vector<std::uint64_t>> kept_;  ///< by job: objects
};

/// How a node's data service is to be: its disk and network at the run's scales.
DataOptions data_options(const wire::Welcome& welcome, const std::string& bind,
                         const std::string& scratch);

}  // namespace heddle::worker
