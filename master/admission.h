#pragma once

#include <string>
#include <vector>
#include <zmq.hpp>

#include "net/key_text.h"
#include "net/refusal_log.h"
#include "net/socket_events.h"
#include "net/zap.h"
#include "wire/messages.h"

namespace heddle::master {

/// Domains of the master's sockets: workers come to the one, those that watch to the other.
inline constexpr const char* kControlDomain = "control";
inline constexpr const char* kProgressDomain = "progress";

/// Whom the master lets in where.
net::AllowList allow_list_of(const std::vector<net::Admitted>& admitted);

/// What speaks against a hello by the holder of a key; "" if nothing: who is named like a host or a
/// node alone plays that one, or from there.
std::string objection(const net::AllowList& allow_list, const std::string& key,
                      const wire::Hello& hello);

/// Lets the listed into the master's sockets at tcp:// and tells of others, without repeating
/// itself. One thread's.
class Admission {
 public:
  Admission(zmq::context_t& context, const net::CurveServer& keys,
            const std::vector<net::Admitted>& admitted);

  /// Before the socket binds. `domain`: one of the above.
  void guard(zmq::socket_t& socket, const std::string& domain);
  /// Readable when somebody has come.
  zmq::socket_t& socket() { return zap_.socket(); }
  const net::AllowList& allow_list() const { return allow_list_; }
  /// Answers who has come, and returns what is to be logged.
  std::vector<std::string> work(real::Time now);

 private:
  struct Watch {
    std::string domain;
    net::SocketEvents events;  ///< handshakes that failed before anybody could be asked
  };

  zmq::context_t& context_;
  net::CurveServer keys_;
  net::AllowList allow_list_;
  net::ZapHandler zap_;
  net::RefusalLog log_;
  std::vector<Watch> watches_;
};

}  // namespace heddle::master
