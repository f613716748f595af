#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>
#include <zmq.hpp>

#include "common/result.h"
#include "wire/messages.h"

namespace heddle::bench {

/// Acts as the master of one heddle-worker, for benches that measure a worker. It sends commands at
/// once, as a master does with `dispatch: immediate`. It acknowledges reports and makes no
/// decisions.
class WorkerMaster {
 public:
  using What = decltype(wire::Command::what);
  /// A report of the worker, and when it arrived.
  struct Heard {
    wire::Report report;
    real::Time at;
  };

  /// Listens at an ipc endpoint for a worker. The worker that connects is sent `welcome`.
  static Result<std::unique_ptr<WorkerMaster>> bind(const std::string& endpoint,
                                                    const wire::Welcome& welcome);

  /// Makes waiting fail with the error `why` once this descriptor is readable.
  void give_up_on(int fd, const std::string& why) { others_.emplace_back(fd, why); }

  /// Waits until the worker has sent a heartbeat. The groups of the worker exist then. Error: there
  /// is no heartbeat within `limit`.
  Result<void> await_worker(real::Duration limit);
  /// Sends commands. REQUIRES: await_worker.
  void send(std::vector<What> commands);
  /// Returns the reports that have arrived. If there are none, waits until `until` for the first
  /// report. Returns no reports if none has arrived by that time.
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
  std::vector<wire::Command> commands_;  ///< commands that the worker has not acknowledged yet
  std::int64_t last_command_ = 0;
  std::int64_t last_report_ = 0;
};

}  // namespace heddle::bench
