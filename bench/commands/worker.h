#pragma once

#include <memory>
#include <optional>
#include <string>

#include "bench/commands/measuring.h"
#include "bench/worker_master.h"
#include "cgroup/home.h"
#include "host/run_directory.h"

namespace heddle::bench {

/// A place for the groups, sockets and files of the workers of a bench. The place is like that of a
/// run. The destructor removes everything in it. If this process is killed, `heddle clean` removes
/// the place.
class BenchPlace {
 public:
  /// Makes the place. `cgroup` is the argument of `heddle run --cgroup`. `signals` is a signalfd.
  /// When it becomes readable, waiting for a worker ends.
  static Result<std::unique_ptr<BenchPlace>> make(const std::optional<std::string>& cgroup,
                                                  int signals);
  BenchPlace(const BenchPlace&) = delete;
  BenchPlace& operator=(const BenchPlace&) = delete;
  ~BenchPlace();

  cgroup::Driver& driver() const { return *home_.driver; }
  const std::string& address() const { return home_.address; }
  const host::RunDirectory& dir() const { return dir_; }
  int signals() const { return signals_; }

 private:
  BenchPlace(cgroup::Home home, host::RunDirectory dir, int signals)
      : home_(std::move(home)), dir_(std::move(dir)), signals_(signals) {}
  cgroup::Home home_;
  host::RunDirectory dir_;
  int signals_;
};

/// A heddle-worker and its master. This process acts as the master. Worker and master end together.
class BenchWorker {
 public:
  /// Starts the worker and returns once it has joined.
  static Result<std::unique_ptr<BenchWorker>> start(const BenchPlace& place,
                                                    const wire::Welcome& welcome);

  WorkerMaster& master() const { return *master_; }
  pid_t pid() const { return (*child_).pid(); }

 private:
  BenchWorker(std::unique_ptr<WorkerMaster> master, host::Child child);
  std::unique_ptr<WorkerMaster> master_;
  Ending child_;
};

/// Returns a node with `cores` cores and up to `max_containers` containers. Each core is
/// `core_fraction` of a CPU. Emulated seconds on the node are real seconds.
wire::Welcome bench_node(double cores, double core_fraction, int max_containers);

}  // namespace heddle::bench
