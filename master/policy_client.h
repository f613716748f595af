#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/fd.h"
#include "common/result.h"
#include "common/units.h"
#include "external/link/link.h"

namespace heddle::master {

/// The master's connection to the program of an external policy. The master never waits for a
/// reply: it sends a request, and looks for the reply whenever it wakes.
class PolicyClient {
 public:
  /// Connects to the program. `pid`: its process, if `heddle run` has started it. `limit`: how long
  /// the program can take for a reply.
  static Result<std::unique_ptr<PolicyClient>> connect(const std::string& endpoint,
                                                       std::optional<pid_t> pid,
                                                       real::Duration limit);

  void send(const std::string& request, real::Time now);
  /// Returns the reply to the last request, once. Returns nullopt if there is none yet.
  std::optional<std::string> receive();
  /// Returns why no reply will come, or nullopt if it still can.
  std::optional<Error> failure(real::Time now) const;
  /// Returns until when a reply has to come; nullopt if none is expected.
  std::optional<real::Time> deadline() const { return deadline_; }
  /// Sends a request and waits for its reply.
  Result<std::string> exchange(const std::string& request);
  /// Sends the last messages, and gives the program a short time to reply.
  void farewell(const std::vector<std::string>& messages);

  void* handle() { return link_->handle(); }
  /// Returns a descriptor that is readable after the program has ended, or -1.
  int pidfd() const { return pidfd_ ? pidfd_.get() : -1; }

 private:
  PolicyClient(std::unique_ptr<external::Link> link, Fd pidfd, real::Duration limit)
      : link_(std::move(link)), pidfd_(std::move(pidfd)), limit_(limit) {}
  /// Returns an error if the program has ended.
  std::optional<Error> ended() const;

  std::unique_ptr<external::Link> link_;
  Fd pidfd_;
  real::Duration limit_;
  std::optional<real::Time> deadline_;
  std::optional<Error> broken_;
};

}  // namespace heddle::master
