#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "external/external_policy.h"
#include "wire/messages.h"

namespace heddle::master {

/// A message and the names of its receivers (net/peer_name.h).
struct Sending {
  Sending(std::string one, wire::Message what) : to{std::move(one)}, message(std::move(what)) {}
  Sending(std::vector<std::string> all, wire::Message what)
      : to(std::move(all)), message(std::move(what)) {}
  std::vector<std::string> to;
  wire::Message message;
};

/// Work for the caller. The caller first appends the lines to the journal and to the samples file,
/// and then sends the messages.
struct Effects {
  std::string journal;  ///< whole lines
  std::string samples;  ///< whole lines
  std::vector<Sending> send;
  /// A request to the program of an external policy. The caller passes its reply to
  /// LiveRun::on_reply().
  std::optional<external::ExternalPolicy::Request> ask = {};
  bool kill_master = false;  ///< a fault: send SIGKILL to this process at the end
};

}  // namespace heddle::master
