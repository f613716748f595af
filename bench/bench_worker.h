#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>
#include <zmq.hpp>

#include "bench/workbench.h"
#include "cgroup/home.h"
#include "common/fd.h"
#include "host/run_directory.h"
#include "wire/messages.h"

namespace heddle::bench {

/// A place for the groups, sockets and files of the workers of a bench. The place is like that of a
/// run. The destructor removes everything in it. If this process is killed, `heddle clean` removes
/// the place.
class BenchPlace {
 public:
  /// Makes the place. `cgroup` is the argument of `heddle run --cgroup`.
  explicit BenchPlace(const std::optional<std::string>& cgroup);
  BenchPlace(const BenchPlace&) = delete;
  BenchPlace& operator=(const BenchPlace&) = delete;
  ~BenchPlace();

  cgroup::Driver& driver() const { return *home_.driver; }
  const std::string& address() const { return home_.address; }
  const host::RunDirectory& dir() const { return dir_; }
  const Workbench& bench() const { return bench_; }

 private:
  Workbench bench_;
  host::RunDirectory dir_;
  cgroup::Home home_;
};

/// A heddle-worker, with this process as its master. Worker and master end together. The master
/// sends commands at once, as with `dispatch: immediate`. It acknowledges reports and makes no
/// decisions.
class BenchWorker {
 public:
  using What = decltype(wire::Command::what);
  /// A report of the worker, and when it arrived.
  struct Heard {
    wire::Report report;
    real::Time at;
  };

  /// Starts the worker and returns once it has sent a heartbeat. Its groups exist then.
  BenchWorker(const BenchPlace& place, const wire::Welcome& node);

  pid_t pid() const { return (*worker_).pid(); }
  void send(std::vector<What> commands);
  /// Returns the reports that have arrived. If there are none, waits until `until` for the first
  /// report. Throws Failed if the worker ends or the user interrupts.
  std::vector<Heard> hear(real::Time until);

 private:
  void take(const std::string& text, real::Time at, std::vector<Heard>& heard);
  void take(const std::vector<wire::Report>& reports, real::Time at, std::vector<Heard>& heard);
  void post(const wire::Message& message);

  const BenchPlace& place_;
  wire::Welcome welcome_;
  zmq::context_t context_{1};
  zmq::socket_t socket_;
  Ending worker_;
  std::string peer_;
  bool joined_ = false;
  std::vector<wire::Command> commands_;  ///< commands that the worker has not acknowledged yet
  std::int64_t last_command_ = 0, last_report_ = 0;
};

/// Returns a node with `cores` cores and up to `max_containers` containers. Each core is
/// `core_fraction` of a CPU. Emulated seconds on the node are real seconds.
wire::Welcome bench_node(double cores, double core_fraction, int max_containers);

/// Returns the command for a task with one core and nothing to do.
wire::LaunchCommand empty_task(std::int64_t id);

}  // namespace heddle::bench
