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

/// ZAP domains of the master's sockets. Workers connect in the control domain. Observers of the
/// progress connect in the progress domain.
inline constexpr const char* kControlDomain = "control";
inline constexpr const char* kProgressDomain = "progress";

/// Returns the keys that are admitted in each domain. The keys of workers are admitted in the
/// control domain, and all other keys in the progress domain.
net::AllowList allow_list_of(const std::vector<net::Admitted>& admitted);

/// Returns why the holder of the key is not allowed to send this hello, or "" if it is allowed to.
/// If a key has the name of a node, only the holder of that key is allowed to play the node. If a
/// key has the name of a host, only the holder of that key is allowed to come from the host.
std::string objection(const net::AllowList& allow_list, const std::string& key,
                      const wire::Hello& hello);

/// Admits the listed peers to the master's sockets at tcp://. Logs refusals, but at most one line
/// per peer and minute (net/refusal_log.h). Belongs to one thread.
class Admission {
 public:
  Admission(zmq::context_t& context, const net::CurveServer& keys,
            const std::vector<net::Admitted>& admitted);

  /// Lets only listed peers connect to the socket. Call guard() before the socket binds. `domain`
  /// is kControlDomain or kProgressDomain.
  void guard(zmq::socket_t& socket, const std::string& domain);
  /// Returns a socket that is readable when a peer asks for admission.
  zmq::socket_t& socket() { return zap_.socket(); }
  const net::AllowList& allow_list() const { return allow_list_; }
  /// Answers the peers that ask for admission, and returns the lines to log.
  std::vector<std::string> work(real::Time now);

 private:
  struct Watch {
    std::string domain;
    net::SocketEvents events;  ///< handshakes that failed before ZAP was asked
  };

  zmq::context_t& context_;
  net::CurveServer keys_;
  net::AllowList allow_list_;
  net::ZapHandler zap_;
  net::RefusalLog log_;
  std::vector<Watch> watches_;
};

}  // namespace heddle::master
