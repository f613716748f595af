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

/// ZAP domains of the master's sockets: workers connect to the first, observers of the progress to
/// the second.
inline constexpr const char* kControlDomain = "control";
inline constexpr const char* kProgressDomain = "progress";

/// Returns the keys that are admitted in each domain: those of workers in control, all others in
/// progress.
net::AllowList allow_list_of(const std::vector<net::Admitted>& admitted);

/// Returns why the holder of a key may not say that hello; "" if it may. If a key is named like a
/// node or a host, only the holder of that key may play that node or come from that host.
std::string objection(const net::AllowList& allow_list, const std::string& key,
                      const wire::Hello& hello);

/// Admits the listed peers to the master's sockets at tcp://, and reports refusals without
/// repeating itself. Belongs to one thread.
class Admission {
 public:
  Admission(zmq::context_t& context, const net::CurveServer& keys,
            const std::vector<net::Admitted>& admitted);

  /// Guards a socket. Call it before the socket binds. `domain`: one of the above.
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
