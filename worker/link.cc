#include "worker/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

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
      heard_(now),
      give_up_(now + identity_.join_patience),
      hello_(now),
      heartbeat_(now) {}

std::vector<LinkEvent> Link::on_message(const wire::Message& message, real::Time now) {
  std::vector<LinkEvent> events;
  if (const auto* hail = std::get_if<wire::Welcome>(&message)) {
    welcome(*hail, now, events);
  } else if (const auto* pushed = std::get_if<wire::Commands>(&message)) {
    accept(pushed->incarnation, pushed->commands, events);
  } else if (const auto* reply = std::get_if<wire::HeartbeatReply>(&message)) {
    take_time(reply->master_ns, now);
    acknowledge(*reply);
    accept(reply->incarnation, reply->commands, events);
  } else if (const auto* beat = std::get_if<wire::Beat>(&message)) {
    // If both read the same clock, the time that the message took does not count.
    heartbeat_ = now + beat->next_in;
    if (beat->due_ns != 0)
      heartbeat_ = std::min(heartbeat_, real::Time(real::Duration(beat->due_ns)));
  } else if (const auto* peers = std::get_if<wire::Peers>(&message)) {
    if (state_ == State::kJoined) events.push_back(Peers{peers->data, peers->keys});
  } else if (const auto* shutdown = std::get_if<wire::Shutdown>(&message)) {
    events.push_back(Leave{"the master shuts this worker down: " + shutdown->reason});
  } else if (const auto* rejoin = std::get_if<wire::Rejoin>(&message)) {
    // Ignore the message if it is for a former incarnation, or if we are already clearing to
    // rejoin.
    if (rejoin->incarnation != incarnation_ || state_ == State::kClearing) return events;
    give_up_ = now + identity_.join_patience;
    clear("the master asks this worker to rejoin: " + rejoin->reason, events);
  } else if (const auto* introduce = std::get_if<wire::Introduce>(&message)) {
    if (state_ != State::kJoined || introduce->incarnation != incarnation_) return events;
    events.push_back(Answer{hello(now)});
    heartbeat_ = now;  // the master and this worker have both waited long enough
  } else if (const auto* probe = std::get_if<wire::Probe>(&message)) {
    if (state_ == State::kJoined && probe->incarnation == incarnation_)
      events.emplace_back(TryStart{});
  } else if (const auto* error = std::get_if<wire::ErrorMessage>(&message)) {
    if (error->fatal)
      events.push_back(GiveUp{"the master refused this worker: " + error->text});
    else if (state_ == State::kJoining)
      refused(error->text, now, events);
    else
      events.push_back(Note{"the master rejected a message: " + error->text});
  } else {
    events.push_back(Answer{
        wire::ErrorMessage{"unexpected kind of message: a worker does not accept it", false}});
  }
  return events;
}

void Link::welcome(const wire::Welcome& message, real::Time now, std::vector<LinkEvent>& events) {
  // Ignore an answer to a repeated Hello or to a Hello of a former incarnation.
  if (state_ != State::kJoining || message.incarnation != incarnation_) return;
  auto other = [](const std::string& told, const std::string& ours) {
    return !told.empty() && !ours.empty() && told != ours;
  };
  auto named = [](const std::string& what, const std::string& name) {
    return name.empty() ? "any " + what : what + " " + name;
  };
  if (other(message.spec.name, identity_.node) || other(message.run, identity_.run)) {
    events.push_back(
        GiveUp{fmt::format("the master expects {} of {}, but this worker is for {} of {}",
                           named("node", message.spec.name), named("run", message.run),
                           named("node", identity_.node), named("run", identity_.run))});
    return;
  }
  identity_.node = message.spec.name;
  if (!message.run.empty()) identity_.run = message.run;
  take_time(message.master_ns, now);
  refused_.clear();
  state_ = State::kJoined;
  period_ = heartbeat_period(message);
  silence_ = silence_limit(message);
  heartbeat_ = heard_ = now;
  events.push_back(Joined{message});
}

void Link::refused(const std::string& why, real::Time now, std::vector<LinkEvent>& events) {
  if (refused_.empty()) give_up_ = std::min(give_up_, now + kRefusedPatience);
  if (why != refused_) events.push_back(Note{"the master refuses this worker: " + why});
  refused_ = why;
}

void Link::take_time(std::int64_t master_ns, real::Time now) {
  if (master_ns != 0) echo_ = wire::ClockEcho{master_ns, now.time_since_epoch().count()};
}

void Link::acknowledge(const wire::HeartbeatReply& reply) {
  if (reply.incarnation != incarnation_) return;
  if (auto beat = beats_.find(reply.sequence); beat != beats_.end()) {
    heard_ = std::max(heard_, beat->second);
    if (reply.silence > real::Duration(0)) silence_ = reply.silence;
    beats_.erase(beats_.begin(), std::next(beat));
  }
  std::erase_if(unacknowledged_,
                [&](const wire::Report& report) { return report.number <= reply.last_report; });
}

void Link::accept(std::uint64_t incarnation, const std::vector<wire::Command>& commands,
                  std::vector<LinkEvent>& events) {
  if (state_ != State::kJoined || incarnation != incarnation_) return;  // not for this incarnation
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
  // On the same machine, the heartbeat that is due decides: if it can be delivered, the master is
  // alive, and this process was the silent one.
  const bool undecided = identity_.same_machine && heartbeat_due(now);
  if (state_ == State::kJoined && now - heard_ >= silence_ && !undecided) {
    give_up_ = std::max(now + identity_.join_patience, look_until_);
    clear(fmt::format("the master has been silent for {:.1f} s",
                      std::chrono::duration<double>(now - heard_).count()),
          events);
  } else if (state_ != State::kJoined && now >= give_up_) {
    events.push_back(GiveUp{refused_.empty() ? "no master answers"
                                             : "the master refused this worker: " + refused_});
  }
  return events;
}

real::Time Link::next_due() const {
  if (state_ == State::kJoined) return std::min(heartbeat_, heard_ + silence_);
  if (state_ == State::kJoining) return std::min(hello_, give_up_);
  return give_up_;
}

bool Link::hello_due(real::Time now) const { return state_ == State::kJoining && now >= hello_; }

wire::Hello Link::hello(real::Time now) const {
  return {.run = identity_.run,
          .node = identity_.node,
          .incarnation = incarnation_,
          .pid = identity_.pid,
          .monotonic_ns = now.time_since_epoch().count(),
          .data = identity_.data,
          .data_key = identity_.data_key,
          .version = HEDDLE_VERSION,
          .clock = identity_.clock,
          .host = identity_.host,
          .last_command = last_command_,
          .last_report = last_report_ - std::ssize(unacknowledged_)};
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
  beats_[sequence_] = now;
  heartbeat.monotonic_ns = now.time_since_epoch().count();
  heartbeat.last_command = last_command_;
  const auto first = std::min(std::ssize(unacknowledged_), wire::kMostReports);
  heartbeat.reports.assign(unacknowledged_.begin(), unacknowledged_.begin() + first);
  heartbeat.echo = echo_;
  heartbeat.late = std::max(now - std::max(heartbeat_, late_from_), real::Duration(0));
  if (first > 0) last_sent_ = std::max(last_sent_, heartbeat.reports.back().number);
  // Skip missed periods, so that a late heartbeat is not followed by a burst.
  heartbeat_ += period_ * (std::max<std::int64_t>((now - heartbeat_) / period_, 0) + 1);
  return heartbeat;
}

void Link::heartbeat_delivered(real::Time at) {
  if (identity_.same_machine) heard_ = std::max(heard_, at);
}

void Link::report(wire::Report report) {
  if (state_ != State::kJoined) return;
  report.number = ++last_report_;
  std::visit(
      [](auto& event) {
        if constexpr (requires { event.reason; })
          event.reason.resize(std::min(event.reason.size(), wire::kLongestReason));
      },
      report.what);
  unacknowledged_.push_back(std::move(report));
}

real::Time Link::reports_due() const {
  real::Time due = real::Time::max();
  for (const wire::Report& report : unacknowledged_) {
    if (report.number <= last_sent_) continue;
    if (!std::holds_alternative<ContainerStarted>(report.what)) return {};
    due = std::min(due, real::Time(real::Duration(report.monotonic_ns)) + kGatherStarts);
  }
  return due;
}

wire::Reports Link::take_fresh() {
  wire::Reports fresh{incarnation_, {}};
  for (const wire::Report& report : unacknowledged_)
    if (report.number > last_sent_ && std::ssize(fresh.reports) < wire::kMostReports)
      fresh.reports.push_back(report);
  if (!fresh.reports.empty()) last_sent_ = fresh.reports.back().number;
  return fresh;
}

void Link::cleared(std::uint64_t incarnation, real::Time now) {
  incarnation_ = incarnation;
  state_ = State::kJoining;
  hello_ = now;
  sequence_ = last_command_ = last_report_ = last_sent_ = 0;
  unacknowledged_.clear();
  beats_.clear();
}

}  // namespace heddle::worker
