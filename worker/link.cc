#include "worker/link.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::worker {

real::Duration heartbeat_period(const wire::Welcome& welcome) {
  return std::max(welcome.scale.to_real(welcome.heartbeat), kShortestHeartbeat);
}

real::Duration silence_limit(const wire::Welcome& welcome) {
  return std::max<real::Duration>(welcome.scale.to_real(welcome.node_timeout),
                                  std::chrono::seconds(2));
}

Link::Link(Identity identity, std::uint64_t incarnation, real::Time now)
    : identity_(std::move(identity)),
      incarnation_(incarnation),
      last_word_(now),
      give_up_(now + kJoinPatience),
      hello_(now),
      heartbeat_(now) {}

std::vector<LinkEvent> Link::on_message(const wire::Message& message, real::Time now) {
  std::vector<LinkEvent> events;
  last_word_ = now;
  if (const auto* hail = std::get_if<wire::Welcome>(&message)) {
    welcome(*hail, now, events);
  } else if (const auto* pushed = std::get_if<wire::Commands>(&message)) {
    accept(pushed->incarnation, pushed->commands, events);
  } else if (const auto* reply = std::get_if<wire::HeartbeatReply>(&message)) {
    acknowledge(*reply);
    accept(reply->incarnation, reply->commands, events);
  } else if (const auto* beat = std::get_if<wire::Beat>(&message)) {
    heartbeat_ = now + beat->next_in;
  } else if (const auto* peers = std::get_if<wire::Peers>(&message)) {
    if (state_ == State::kJoined) events.push_back(Neighbours{peers->data});
  } else if (const auto* shutdown = std::get_if<wire::Shutdown>(&message)) {
    events.push_back(Leave{"told to shut down: " + shutdown->reason});
  } else if (const auto* rejoin = std::get_if<wire::Rejoin>(&message)) {
    if (state_ != State::kJoined) return events;  // we are about to
    give_up_ = now + kJoinPatience;
    clear("told to rejoin: " + rejoin->reason, events);
  } else if (const auto* error = std::get_if<wire::ErrorMessage>(&message)) {
    if (error->fatal)
      events.push_back(GiveUp{"the master refused us: " + error->text});
    else
      events.push_back(Note{"the master did not accept a message: " + error->text});
  } else {
    events.push_back(Answer{wire::ErrorMessage{"a worker takes no such message", false}});
  }
  return events;
}

void Link::welcome(const wire::Welcome& message, real::Time now, std::vector<LinkEvent>& events) {
  if (state_ != State::kJoining) return;  // the answer to a Hello that was repeated
  if (message.spec.name != identity_.node) {
    events.push_back(GiveUp{
        fmt::format("the master welcomes node {}, this is {}", message.spec.name, identity_.node)});
    return;
  }
  state_ = State::kJoined;
  period_ = heartbeat_period(message);
  silence_ = silence_limit(message);
  heartbeat_ = now;
  events.push_back(Joined{message});
}

void Link::acknowledge(const wire::HeartbeatReply& reply) {
  if (reply.incarnation != incarnation_) return;
  std::erase_if(unacknowledged_,
                [&](const wire::Report& report) { return report.number <= reply.last_report; });
}

void Link::accept(std::uint64_t incarnation, const std::vector<wire::Command>& commands,
                  std::vector<LinkEvent>& events) {
  if (state_ != State::kJoined || incarnation != incarnation_) return;  // meant for a former life
  for (const wire::Command& command : commands) {
    if (command.number <= last_command_) continue;  // done already
    if (command.number > last_command_ + 1) {
      events.push_back(Note{fmt::format("command {} came before {}: waiting for the repeat",
                                        command.number, last_command_ + 1)});
      return;
    }
    last_command_ = command.number;
    events.push_back(Do{command});
  }
}

void Link::clear(const std::string& why, std::vector<LinkEvent>& events) {
  state_ = State::kClearing;
  unacknowledged_.clear();
  last_sent_ = last_report_;
  events.push_back(Clear{why});
}

std::vector<LinkEvent> Link::tick(real::Time now) {
  std::vector<LinkEvent> events;
  if (state_ == State::kJoined && now - last_word_ >= silence_) {
    give_up_ = now + kLostPatience;
    clear(fmt::format("no word from the master for {:.1f} s",
                      std::chrono::duration<double>(now - last_word_).count()),
          events);
  } else if (state_ != State::kJoined && now >= give_up_) {
    events.push_back(GiveUp{"no master answers"});
  }
  return events;
}

real::Time Link::next_due() const {
  if (state_ == State::kJoined) return std::min(heartbeat_, last_word_ + silence_);
  if (state_ == State::kJoining) return std::min(hello_, give_up_);
  return give_up_;
}

bool Link::hello_due(real::Time now) const { return state_ == State::kJoining && now >= hello_; }

wire::Hello Link::hello(real::Time now) const {
  wire::Hello hello;
  hello.run = identity_.run;
  hello.node = identity_.node;
  hello.incarnation = incarnation_;
  hello.pid = identity_.pid;
  hello.monotonic_ns = now.time_since_epoch().count();
  hello.data = identity_.data;
  return hello;
}

void Link::hello_sent(bool sent, real::Time now) {
  hello_ = now + (sent ? kHelloPeriod : kHelloRetry);
}

bool Link::heartbeat_due(real::Time now) const {
  return state_ == State::kJoined && now >= heartbeat_;
}

wire::Heartbeat Link::heartbeat(real::Time now) {
  wire::Heartbeat heartbeat;
  heartbeat.incarnation = incarnation_;
  heartbeat.sequence = ++sequence_;
  heartbeat.monotonic_ns = now.time_since_epoch().count();
  heartbeat.last_command = last_command_;
  heartbeat.reports = unacknowledged_;
  last_sent_ = last_report_;
  // The next one to come: late, there is no burst of heartbeats to catch up.
  heartbeat_ += period_ * (std::max<std::int64_t>((now - heartbeat_) / period_, 0) + 1);
  return heartbeat;
}

void Link::report(wire::Report report) {
  if (state_ != State::kJoined) return;
  report.number = ++last_report_;
  unacknowledged_.push_back(std::move(report));
}

wire::Reports Link::take_fresh() {
  wire::Reports fresh{incarnation_, {}};
  for (const wire::Report& report : unacknowledged_)
    if (report.number > last_sent_) fresh.reports.push_back(report);
  last_sent_ = last_report_;
  return fresh;
}

void Link::cleared(std::uint64_t incarnation, real::Time now) {
  incarnation_ = incarnation;
  state_ = State::kJoining;
  hello_ = now;
  sequence_ = last_command_ = last_report_ = last_sent_ = 0;
  unacknowledged_.clear();
}

}  // namespace heddle::worker
