#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>
#include <zmq.hpp>

#include "common/key_text.h"
#include "common/refusal_log.h"
#include "common/socket_events.h"
#include "common/wire/messages.h"
#include "common/zap.h"

namespace heddle {

/// Domains of the master's sockets: workers come to the one, those that watch to the other.
inline constexpr const char* kControlDomain = "control";
inline constexpr const char* kProgressDomain = "progress";

/// Whom the master lets in where.
Guests guests_of(const std::vector<Admitted>& admitted);

/// What speaks against a hello by the holder of a key; "" if nothing: who is named like a host or a
/// node alone plays that one, or from there.
std::string objection(const Guests& guests, const std::string& key, const wire::Hello& hello);

/// Lets the listed into the master's sockets at tcp:// and tells of others, without repeating
/// itself. One thread's.
class Door {
 public:
  Door(zmq::context_t& context, const CurveServer& keys, const std::vector<Admitted>& admitted);

  /// Before the socket binds. `domain`: one of the above.
  void guard(zmq::socket_t& socket, const std::string& domain);
  /// Readable when somebody has come.
  zmq::socket_t& socket() { return zap_.socket(); }
  const Guests& guests() const { return guests_; }
  /// Answers who has come, and returns what is to be logged.
  std::vector<std::string> work(real::Time now);

 private:
  struct Watch {
    std::string domain;
    SocketEvents events;  ///< handshakes that failed before anybody could be asked
  };

  zmq::context_t& context_;
  CurveServer keys_;
  Guests guests_;
  ZapHandler zap_;
  RefusalLog log_;
  std::vector<Watch> watches_;
};

}  // namespace heddle
