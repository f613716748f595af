#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>
#include <zmq.hpp>

#include "common/result.h"
#include "wire/messages.h"

namespace heddle::bench {

/// The master of one heddle-worker, for a bench of what workers do: it sends commands at once, as
/// `dispatch: immediate` does, acknowledges what it is told and decides nothing.
class WorkerMaster {
 public:
  using What = decltype(wire::Command::what);
  /// What the worker said, and when it came.
  struct Heard {
    wire::Report report;
    real::Time at;
  };

  /// Waits for workers at an ipc endpoint; the one that comes is welcomed so.
  static Result<std::unique_ptr<WorkerMaster>> bind(const std::string& endpoint,
                                                    const wire::Welcome& welcome);

  /// Once this descriptor is readable, waiting fails for that reason.
  void give_up_on(int fd, const std::string& why) { others_.emplace_back(fd, why); }

  /// Until the worker has sent a heartbeat, so that it has its groups. Error: `limit` is over.
  Result<void> await_worker(real::Duration limit);
  /// REQUIRES: await_worker.
  void send(std::vector<What> commands);
  /// What has come; waits for it until `until`. Empty if nothing did.
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
  std::vector<wire::Command> commands_;  ///< not acknowledged yet
  std::int64_t last_command_ = 0;
  std::int64_t last_report_ = 0;
};

}  // namespace heddle::bench
