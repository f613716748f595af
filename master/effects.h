#pragma once

#include <string>
#include <utility>
#include <vector>

#include "wire/messages.h"

namespace heddle::master {

/// A message and its receivers, named as in net/peer_name.h.
struct Sending {
  Sending(std::string one, wire::Message what) : to{std::move(one)}, message(std::move(what)) {}
  Sending(std::vector<std::string> all, wire::Message what)
      : to(std::move(all)), message(std::move(what)) {}
  std::vector<std::string> to;
  wire::Message message;
};

/// Work for the caller, in this order: append to the journal and samples files, then send.
struct Effects {
  std::string journal;  ///< whole lines
  std::string samples;  ///< whole lines
  std::vector<Sending> send;
  bool kill_master = false;  ///< a fault: afterwards, send SIGKILL to this process
};

}  // namespace heddle::master
