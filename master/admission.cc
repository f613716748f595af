#include "master/admission.h"

#include <zmq.h>

namespace heddle::master {
namespace {

/// Numbers of requests for admission and of socket events that one call handles. The limits ensure
/// that unauthenticated peers can't keep the master from its other work.
constexpr int kMostAnswers = 64;
constexpr int kMostEvents = 10'000;

}  // namespace

net::AllowList allow_list_of(const std::vector<net::Admitted>& admitted) {
  net::AllowList allow_list = {{kControlDomain, {}}, {kProgressDomain, {}}};
  for (const net::Admitted& one : admitted)
    allow_list[one.role == net::KeyRole::kWorker ? kControlDomain : kProgressDomain].emplace(
        one.public_key, one.name);
  return allow_list;
}

std::string objection(const net::AllowList& allow_list, const std::string& key,
                      const wire::Hello& hello) {
  const auto control = allow_list.find(kControlDomain);
  if (control == allow_list.end()) return "";
  for (const auto& [what, name] :
       {std::pair{"node ", hello.node}, {"host ", hello.host ? hello.host->name : ""}})
    for (const auto& [public_key, guest] : control->second)
      if (guest == name && key != name)
        return what + name + " has a key of its own; " + key + " is a different key";
  return "";
}

Admission::Admission(zmq::context_t& context, const net::CurveServer& keys,
                     const std::vector<net::Admitted>& admitted)
    : context_(context), keys_(keys), allow_list_(allow_list_of(admitted)), zap_(context) {}

void Admission::guard(zmq::socket_t& socket, const std::string& domain) {
  net::secure(socket, keys_, domain);
  const int kFailures = ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL;
  watches_.push_back({domain, net::SocketEvents(context_, socket, kFailures)});
}

std::vector<std::string> Admission::work(real::Time now) {
  std::vector<std::string> lines = log_.on_time(now);
  auto refused = [&](const std::string& who, const std::string& why) {
    if (auto line = log_.refused(who, why, now)) lines.push_back(*std::move(line));
  };
  for (int i = 0; i < kMostAnswers; ++i) {
    const auto question = zap_.take();
    if (!question) break;
    const net::ZapAnswer answer = net::decide(question->request, allow_list_);
    zap_.reply(*question, answer);
    if (!answer.why.empty())
      refused(question->request.address + " (" + question->request.domain + ")", answer.why);
  }
  for (Watch& watch : watches_)
    for (int i = 0; i < kMostEvents && watch.events.take(); ++i)
      refused("unknown peer (" + watch.domain + ")",
              "CURVE handshake failed: the peer has no keys, or has another master's public key");
  return lines;
}

}  // namespace heddle::master
