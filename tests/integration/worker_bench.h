#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>
#include <zmq.hpp>

#include "cgroup/home.h"
#include "wire/messages.h"

namespace heddle {

/// Sends a signal to one process only. A test failure if `process` is not a process id, as kill(-1)
/// would reach everyone.
void send_signal(pid_t process, int signal);

/// An event as a worker reported it.
template <class Event>
struct Reported : Event {
  std::int64_t monotonic_ns = 0;
};

/// Runs a real heddle-worker in real control groups; the test is its master over an ipc ROUTER
/// socket. After each test nothing of the run may be left.
class WorkerTest : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  /// Starts the worker of node n1, with the options in `other` replacing the usual ones.
  void start_worker(const std::map<std::string, std::string>& other = {},
                    const std::string& program = HEDDLE_WORKER_PATH);
  /// Starts the worker, waits for its Hello, welcomes it and waits for its first heartbeat.
  void join(const std::map<std::string, std::string>& other = {});

  /// Returns the launch of a task with one core and 1 GiB (16 MiB real, 1 MiB overhead). The test
  /// may change it before sending it.
  wire::LaunchCommand task(std::int64_t container, CoreTime cpu, EmuTime sleep = EmuTime(0));
  wire::LaunchCommand sleeper(std::int64_t container) {
    return task(container, CoreTime(0), emu_seconds(1000));
  }
  void command(decltype(wire::Command::what) what);
  void send(wire::Message message);

  /// Plays the master (acknowledges heartbeats, repeats commands) until `done` holds; a test
  /// failure after `limit`.
  void serve_until(const std::function<bool()>& done, const char* what,
                   std::chrono::milliseconds limit = std::chrono::seconds(10));
  /// Has the worker try to start something; returns its answer.
  std::string probe();
  /// Waits for the container's report of this event; returns it.
  template <class Event>
  Reported<Event> await(std::int64_t container) {
    auto of = [&](const wire::Report& report) {
      return std::holds_alternative<Event>(report.what) && report.container().value == container;
    };
    auto find = [&] { return std::find_if(reports_.begin(), reports_.end(), of); };
    serve_until([&] { return find() != reports_.end(); }, "a report");
    if (find() == reports_.end()) return {};
    return {std::get<Event>(find()->what), find()->monotonic_ns};
  }
  /// Waits for the worker's end; returns its exit status, 128 + n for signal n.
  int await_exit();

  std::string group(const std::string& below = "") const;
  /// Returns the processes of all container groups of the node, ascending.
  std::vector<pid_t> task_pids();
  std::string script(const std::string& text);

  std::optional<cgroup::Home> home_;
  wire::Welcome welcome_;
  std::string run_;
  std::string directory_;
  pid_t worker_ = -1;
  bool answering_ = true;  ///< false: the master sends nothing

  // Messages of the worker.
  std::vector<wire::Hello> hellos_;
  std::vector<wire::Report> reports_;  ///< each once, of the current incarnation
  std::vector<wire::Heartbeat> heartbeats_;
  std::vector<wire::Goodbye> goodbyes_;
  std::vector<wire::Probed> probed_;

 private:
  void hear(const std::string& identity, const wire::Message& message);
  void take(const std::vector<wire::Report>& reports);

  zmq::context_t context_{1};
  zmq::socket_t socket_{context_, zmq::socket_type::router};
  std::string peer_;
  std::vector<wire::Command> commands_;  ///< not acknowledged yet
  std::int64_t last_command_ = 0;
  std::int64_t last_report_ = 0;
};

}  // namespace heddle
