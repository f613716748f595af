#include "master/door.h"

#include <zmq.h>

namespace heddle {
namespace {

/// Taken at a time, so that no stranger keeps the master from its work.
constexpr int kMostAnswers = 64;
constexpr int kMostEvents = 10'000;

}  // namespace

Guests guests_of(const std::vector<Admitted>& admitted) {
  Guests guests = {{kControlDomain, {}}, {kProgressDomain, {}}};
  for (const Admitted& one : admitted)
    guests[one.role == KeyRole::kWorker ? kControlDomain : kProgressDomain].emplace(one.public_key,
                                                                                    one.name);
  return guests;
}

std::string objection(const Guests& guests, const std::string& key, const wire::Hello& hello) {
  const auto control = guests.find(kControlDomain);
  if (control == guests.end()) return "";
  for (const auto& [what, name] :
       {std::pair{"node ", hello.node}, {"host ", hello.host ? hello.host->name : ""}})
    for (const auto& [public_key, guest] : control->second)
      if (guest == name && key != name)
        return what + name + " has a key of its own, " + key + " is another";
  return "";
}

Door::Door(zmq::context_t& context, const CurveServer& keys, const std::vector<Admitted>& admitted)
    : context_(context), keys_(keys), guests_(guests_of(admitted)), zap_(context) {}

void Door::guard(zmq::socket_t& socket, const std::string& domain) {
  secure(socket, keys_, domain);
  const int kFailures = ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL;
  watches_.push_back({domain, SocketEvents(context_, socket, kFailures)});
}

std::vector<std::string> Door::work(real::Time now) {
  std::vector<std::string> lines = log_.on_time(now);
  auto refused = [&](const std::string& who, const std::string& why) {
    if (auto line = log_.refused(who, why, now)) lines.push_back(*std::move(line));
  };
  for (int i = 0; i < kMostAnswers; ++i) {
    const auto question = zap_.take();
    if (!question) break;
    const ZapAnswer answer = decide(question->request, guests_);
    zap_.reply(*question, answer);
    if (!answer.why.empty())
      refused(question->request.address + " (" + question->request.domain + ")", answer.why);
  }
  for (Watch& watch : watches_)
    for (int i = 0; i < kMostEvents && watch.events.take(); ++i)
      refused("somebody (" + watch.domain + ")",
              "no CURVE handshake: it has no keys, or takes another for the master");
  return lines;
}

}  // namespace heddle
