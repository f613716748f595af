#include "bench/echo.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <zmq.hpp>

#include "common/host_clock.h"

namespace heddle::bench {
namespace {

/// The beginning of a message, which is sent back.
struct Stamp {
  std::int64_t sent_ns;
  bool counts;
};

}  // namespace

void serve_echo(const Echo& echo) {
  zmq::context_t context{1};
  zmq::socket_t socket(context, zmq::socket_type::router);
  socket.set(zmq::sockopt::backlog, 1024);
  socket.bind(echo.endpoint);
  for (;;) {
    zmq::message_t identity, body;
    if (!socket.recv(identity) || !socket.recv(body)) continue;
    zmq::message_t answer(std::max(echo.answer, sizeof(Stamp)));
    std::memset(answer.data(), 'x', answer.size());
    std::memcpy(answer.data(), body.data(), std::min(body.size(), sizeof(Stamp)));
    socket.send(identity, zmq::send_flags::sndmore);
    socket.send(answer, zmq::send_flags::none);
  }
}

void play_echo_worker(const Echo& echo, real::Duration offset, const std::atomic<bool>& measuring,
                      BeatPage& page) {
  zmq::context_t context{1};
  zmq::socket_t socket(context, zmq::socket_type::dealer);
  socket.set(zmq::sockopt::reconnect_ivl, 20);
  socket.connect(echo.endpoint);
  for (real::Time due = real::now() + offset;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - real::now());
    zmq::pollitem_t item{socket.handle(), 0, ZMQ_POLLIN, 0};
    zmq::poll(&item, 1, std::max(left, std::chrono::milliseconds(0)));
    zmq::message_t answer;
    while (socket.recv(answer, zmq::recv_flags::dontwait)) {
      Stamp stamp;
      std::memcpy(&stamp, answer.data(), sizeof stamp);
      page.joined = true;
      if (stamp.counts)
        page.count_trip(real::now().time_since_epoch().count() - stamp.sent_ns, answer.size());
    }
    if (real::now() < due) continue;
    due += echo.period;
    zmq::message_t message(std::max(echo.message, sizeof(Stamp)));
    std::memset(message.data(), 'x', message.size());
    const Stamp stamp{real::now().time_since_epoch().count(), measuring};
    std::memcpy(message.data(), &stamp, sizeof stamp);
    if (stamp.counts) page.count_beat(message.size());
    socket.send(message, zmq::send_flags::none);
  }
}

}  // namespace heddle::bench
