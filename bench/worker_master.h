#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>
#include <zmq.hpp>

#include "common/result.h"
#include "wire/messages.h"

namespace heddle::bench {

/// Plays the master of one heddle-worker, for benches of a worker. It sends commands at once, as
/// `dispatch: immediate` does, acknowledges reports and decides nothing.
class WorkerMaster {
 public:
  using What = decltype(wire::Command::what);
  /// A report of the worker, and when it came.
  struct Heard {
    wire::Report report;
    real::Time at;
  };

  /// Waits for a worker at an ipc endpoint. The worker that comes gets `welcome`.
  static Result<std::unique_ptr<WorkerMaster>> bind(const std::string& endpoint,
                                                    const wire::Welcome& welcome);

  /// Makes waiting fail with the error `why` once this descriptor is readable.
  void give_up_on(int fd, const std::string& why) { others_.emplace_back(fd, why); }

  /// Waits until the worker has sent a heartbeat, so that its groups exist. Error: `limit` is over.
  Result<void> await_worker(real::Duration limit);
  /// Sends commands. REQUIRES: await_worker.
  void send(std::vector<What> commands);
  /// Returns the reports that have come, waiting for the first until `until`. Empty if none came.
  Result<std::vector<Heard>> hear(real::Time until);

 private:
  explicit WorkerMaster(wire::Welcome welcome) : welcome_(std::move(welcome)) {}
  Result<void> take(const std::string& text, real::Time at, std::vector<Heard>& heard);
  void take(const std::vector<wire::Report>& reports, real::Time at, std::vector<Heard>& heard);
  void post(const wire::Message& message);

  wire::Welcome welcome_;
  zmq::context_t context_{1};
  zmq::socket_t socket_{context_, zmq::socket_type::router};
  std::vector<std::pair<int, std::string>> others_;
  std::string peer_;
  bool joined_ = false;
  std::vector<wire::Command> commands_;  ///< not yet acknowledged
  std::int64_t last_command_ = 0;
  std::int64_t last_report_ = 0;
};

}  // namespace heddle::bench
