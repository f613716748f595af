#include "bench/worker_master.h"

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "common/host_clock.h"
#include "wire/codec.h"

namespace heddle::bench {
Result<std::unique_ptr<WorkerMaster>> WorkerMaster::bind(const std::string& endpoint,
                                                         const wire::Welcome& welcome) {
  std::unique_ptr<WorkerMaster> master(new WorkerMaster(welcome));
  try {
    master->socket_.set(zmq::sockopt::linger, 0);
    master->socket_.bind(endpoint);
  } catch (const zmq::error_t& error) {
    return system_error("listen at " + endpoint, error.num());
  }
  return master;
}

Result<void> WorkerMaster::await_worker(real::Duration limit) {
  const real::Time until = real::now() + limit;
  while (!joined_) {
    if (real::now() >= until) return aborted_error("the worker did not register in time");
    if (Result<std::vector<Heard>> heard = hear(until); !heard) return std::move(heard).error();
  }
  return {};
}

void WorkerMaster::post(const wire::Message& message) {
  socket_.send(zmq::buffer(peer_), zmq::send_flags::sndmore);
  socket_.send(zmq::buffer(wire::encode(message)), zmq::send_flags::none);
}

void WorkerMaster::send(std::vector<What> commands) {
  wire::Commands fresh{welcome_.incarnation, {}};
  for (What& what : commands) fresh.commands.push_back({++last_command_, std::move(what)});
  post(fresh);
  commands_.insert(commands_.end(), fresh.commands.begin(), fresh.commands.end());
}

Result<std::vector<WorkerMaster::Heard>> WorkerMaster::hear(real::Time until) {
  std::vector<zmq::pollitem_t> items = {{socket_.handle(), 0, ZMQ_POLLIN, 0}};
  for (const auto& [fd, why] : others_) items.push_back({nullptr, fd, ZMQ_POLLIN, 0});
  std::vector<Heard> heard;
  try {
    zmq::poll(items, std::max(std::chrono::ceil<std::chrono::milliseconds>(until - real::now()),
                              std::chrono::milliseconds(0)));
    zmq::message_t identity, body;
    while (socket_.recv(identity, zmq::recv_flags::dontwait) && socket_.recv(body)) {
      peer_ = identity.to_string();
      HEDDLE_TRY(take(body.to_string(), real::now(), heard));
    }
  } catch (const zmq::error_t& error) {
    if (error.num() != EINTR) throw;
  }
  for (std::size_t i = 0; i < others_.size(); ++i)
    if (items[i + 1].revents != 0) return aborted_error(others_[i].second);
  return heard;
}

Result<void> WorkerMaster::take(const std::string& text, real::Time at, std::vector<Heard>& heard) {
  Result<wire::Message> message = wire::decode(text);
  if (!message) return std::move(message).error().in("what the worker said");
  if (const auto* hello = std::get_if<wire::Hello>(&*message)) {
    welcome_.run = hello->run;
    welcome_.incarnation = hello->incarnation;
    post(welcome_);
  } else if (const auto* reports = std::get_if<wire::Reports>(&*message)) {
    take(reports->reports, at, heard);
  } else if (const auto* beat = std::get_if<wire::Heartbeat>(&*message)) {
    joined_ = true;
    take(beat->reports, at, heard);
    std::erase_if(commands_,
                  [&](const wire::Command& c) { return c.number <= beat->last_command; });
    post(wire::HeartbeatReply{beat->incarnation, beat->sequence, last_report_, commands_});
  } else if (const auto* error = std::get_if<wire::ErrorMessage>(&*message)) {
    return aborted_error("the worker: " + error->text);
  }
  return {};
}

void WorkerMaster::take(const std::vector<wire::Report>& reports, real::Time at,
                        std::vector<Heard>& heard) {
  for (const wire::Report& report : reports) {
    if (report.number != last_report_ + 1) continue;
    last_report_ = report.number;
    heard.push_back({report, at});
  }
}

}  // namespace heddle::bench
