#include "bench/commands/worker.h"

#include <csignal>

#include "cgroup/ownership.h"
#include "cli/run/session.h"
#include "common/installed.h"

namespace heddle::bench {
namespace {

constexpr std::chrono::seconds kJoinLimit(10);
constexpr std::chrono::milliseconds kEndLimit(1500), kGroupLimit(900);
constexpr int kWorkerLines = 5;  ///< lines of a worker's output that an error shows

}  // namespace

wire::Welcome bench_node(double cores, double core_fraction, int max_containers) {
  wire::Welcome welcome;
  welcome.node = NodeId{0};
  welcome.spec.name = "n1";
  welcome.spec.capacity = {Millicores(static_cast<std::int64_t>(cores * 1000)),
                           EmuBytes(static_cast<std::int64_t>(max_containers) * (64 << 20))};
  welcome.spec.allowance = welcome.spec.capacity;
  welcome.scale = {1, core_fraction, 1.0 / 16, 1.0 / 16};
  welcome.overhead = real::Bytes(2 << 20);
  welcome.heartbeat = emu_seconds(0.1);
  welcome.node_timeout = emu_seconds(60);
  welcome.max_containers = max_containers;
  return welcome;
}

Result<std::unique_ptr<BenchPlace>> BenchPlace::make(const std::optional<std::string>& cgroup,
                                                     int signals) {
  Result<host::RunDirectory> dir = host::RunDirectory::create(host::base_directories()[0]);
  if (!dir) return std::move(dir).error();
  Result<cgroup::Home> home = cgroup::find_home(
      cgroup, [&](const std::string& directory) { return dir->note_home(directory); });
  if (!home) {
    (void)dir->remove();
    return std::move(home).error().in("a place for control groups");
  }
  std::unique_ptr<BenchPlace> place(new BenchPlace(*std::move(home), *std::move(dir), signals));
  // The directory is recorded before the first group is made.
  HEDDLE_TRY(place->dir_.write({place->dir_.run(), place->address(), place->dir_.path(), {}}));
  return place;
}

BenchPlace::~BenchPlace() {
  // If the groups can't be removed, only `heddle clean` can help, and it needs the directory.
  auto left = cgroup::remove_run(driver(), dir_.run(), "", true, kGroupLimit);
  if (!left || !left->empty()) return;
  cgroup::leave_home(home_);
  (void)dir_.remove();
}

// SIGTERM makes the worker kill its tasks and remove its groups.
BenchWorker::BenchWorker(std::unique_ptr<WorkerMaster> master, host::Child child)
    : master_(std::move(master)), child_(std::move(child), SIGTERM, kEndLimit) {}

Result<std::unique_ptr<BenchWorker>> BenchWorker::start(const BenchPlace& place,
                                                        const wire::Welcome& welcome) {
  auto master = WorkerMaster::bind(place.dir().control_endpoint(), welcome);
  if (!master) return std::move(master).error();
  Result<host::Child> child =
      host::Child::spawn({program_path("heddle-worker"), "--connect",
                          place.dir().control_endpoint(), "--run", place.dir().run(), "--node",
                          welcome.spec.name, "--cgroup", place.address(), "--die-with-parent"},
                         place.dir().lock());
  if (!child) return std::move(child).error();
  std::unique_ptr<BenchWorker> worker(new BenchWorker(*std::move(master), *std::move(child)));
  if (auto mark = host::mark_of(worker->child_->pid(), "heddle-worker"))
    HEDDLE_TRY(
        place.dir().write({place.dir().run(), place.address(), place.dir().path(), {*mark}}));
  worker->master_->give_up_on(place.signals(), "interrupted");
  worker->master_->give_up_on(worker->child_->pidfd(), "the worker ended");
  Result<void> joined = worker->master_->await_worker(kJoinLimit);
  if (!joined && worker->child_->reap())
    return machine_error("heddle-worker: " + host::words_of(*worker->child_, kWorkerLines));
  if (!joined) return std::move(joined).error();
  return worker;
}

}  // namespace heddle::bench
