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

/// Sends a signal to one process. If `process` is not a process id, the test fails and no signal is
/// sent, because kill(-1) would send it to all processes.
void send_signal(pid_t process, int signal);

/// Returns whether the process is gone, or a zombie of the process that adopted it.
bool is_gone(pid_t pid);
/// Returns whether the condition is true within 5 s.
bool soon(const std::function<bool()>& done);
/// Checks that the processes are gone within 5 s.
void expect_gone(const std::vector<pid_t>& pids);

/// An event as a worker reported it.
template <class Event>
struct Reported : Event {
  std::int64_t monotonic_ns = 0;
};

constexpr EmuBytes emu_mib(std::int64_t count) { return EmuBytes(count << 20); }

/// Runs a real heddle-worker in real control groups. The test is the worker's master, over an ipc
/// ROUTER socket. After each test, a worker that was welcomed ends in order, and no group, process
/// or file of the run is allowed to be left.
class WorkerTest : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  /// Starts the worker of node n1. The options in `other` replace the usual options.
  void start_worker(const std::map<std::string, std::string>& other = {},
                    const std::string& program = HEDDLE_WORKER_PATH);
  /// Starts the worker, waits for its Hello, welcomes it and waits for its first heartbeat.
  void join(const std::map<std::string, std::string>& other = {});

  /// Returns the launch of a task with one core and 1 GiB (16 MiB real, 1 MiB overhead). The test
  /// can change the command before sending it.
  wire::LaunchCommand task(std::int64_t container, CoreTime cpu, EmuTime sleep = EmuTime(0));
  wire::LaunchCommand sleeper(std::int64_t container) {
    return task(container, CoreTime(0), emu_seconds(1000));
  }
  /// Launches a task and waits until it has started.
  void start(wire::LaunchCommand launch);
  /// Launches a task. Returns its process, which must be the only one of a task.
  pid_t start_alone(wire::LaunchCommand launch);
  /// Launches a task and waits for its end.
  Reported<ContainerEnded> end_of(wire::LaunchCommand launch);
  /// Launches a task and checks that it completes.
  Reported<ContainerEnded> complete(wire::LaunchCommand launch);
  /// Suspends a container; returns when this is reported.
  Reported<ContainerSuspended> suspend(std::int64_t container);
  Reported<ContainerResumed> resume(std::int64_t container);
  /// Kills a container and checks that this is reported.
  void kill(std::int64_t container);
  void command(decltype(wire::Command::what) what);
  void send(wire::Message message);

  /// Acts as the master until `done` returns true: acknowledges heartbeats and repeats commands.
  /// The test fails after `limit`.
  void serve_until(const std::function<bool()>& done, const char* what,
                   std::chrono::milliseconds limit = std::chrono::seconds(10));
  /// Ends the master's connections, as its death does.
  void close_socket() { socket_.close(); }
  void open_socket();
  /// Makes the worker try to start a program. Returns the worker's answer.
  std::string probe();
  /// Waits for the container's report of this event. Returns the event.
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
  /// Waits for more heartbeats.
  void beats(std::size_t count);
  /// Waits for the worker's end. Returns its exit status, or 128 + n if signal n killed the worker.
  int await_exit();
  /// Ends the worker in order.
  void leave();
  /// Kills the worker.
  void kill_worker();

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
  std::vector<wire::Report> reports_;  ///< reports of the current incarnation, each of them once
  std::vector<wire::Heartbeat> heartbeats_;
  std::vector<wire::Goodbye> goodbyes_;
  std::vector<wire::Probed> probed_;

 private:
  void hear(const std::string& identity, const wire::Message& message);
  void take(const std::vector<wire::Report>& reports);

  zmq::context_t context_{1};
  zmq::socket_t socket_;
  std::string peer_;
  std::vector<wire::Command> commands_;  ///< commands that are not acknowledged yet
  std::int64_t last_command_ = 0;
  std::int64_t last_report_ = 0;
  bool welcomed_ = false;  ///< the worker of this incarnation
};

}  // namespace heddle
