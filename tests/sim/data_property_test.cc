// Properties of data that hold in every simulation under every scheduler, checked from the journal
// alone.
#include <gtest/gtest.h>

#include "core/policy/locality/delay.h"
#include "core/policy/registry.h"
#include "tests/core/every_scheduler.h"
#include "tests/sim/random_scenario.h"
#include "tests/sim/simulated.h"
#include "wire/record.h"

namespace heddle::sim::data_property_test {

/// Each measured span is a whole number of microseconds, rounded up or down.
constexpr double kRounding = 10e-6;

double bytes(EmuBytes size) { return static_cast<double>(size.count()); }
double seconds(CoreTime work) { return static_cast<double>(work.count()) / 1e6; }

/// A container, as the journal shows it.
struct Attempt {
  Launch launch;
  std::vector<DataRead> reads;  ///< all that it was commanded; for an executor, those of its parts
  std::map<int, TaskPart> parts;  ///< by number
  std::set<int> done_parts;       ///< numbers
  std::optional<EmuTime> started;
  std::optional<EmuTime> read_at;  ///< of the last inputs_read
  std::optional<EmuTime> ended_at;
  ContainerEnded end;
  bool completed() const { return ended_at && end.outcome == Outcome::kCompleted; }
};

using Attempts = std::map<ContainerId, Attempt>;

EmuBytes sum(const std::vector<DataRead>& reads) {
  EmuBytes sum;
  for (const DataRead& read : reads) sum += read.size;
  return sum;
}

EmuBytes sum(const std::vector<DataWrite>& writes) {
  EmuBytes sum;
  for (const DataWrite& write : writes) sum += write.size;
  return sum;
}

/// Takes in the journal line by line, from its first line on, and checks each line against those
/// before.
class Books {
 public:
  explicit Books(const Scenario& scenario) : scenario_(scenario) {}

  void add(const wire::Json& line) {
    auto record = wire::from_json(line);
    ASSERT_TRUE(record) << record.error().text << line.dump();
    if (const auto* event = std::get_if<Event>(&*record))
      std::visit([&](const auto& what) { take(event->at, what); }, event->what);
    if (const auto* action = std::get_if<Action>(&*record))
      std::visit([&](const auto& what) { take(EmuTime(0), what); }, action->what);
  }

  /// Checks properties of the whole run.
  void check() const {
    for (const auto& [id, attempt] : attempts_) {
      SCOPED_TRACE("container " + std::to_string(id.value));
      check_counted(attempt);
      check_locality(attempt.launch);
    }
    for (std::int64_t job = 0; job < std::ssize(scenario_.jobs); ++job) {
      if (!finished_.contains(JobId{job})) continue;
      SCOPED_TRACE(scenario_.jobs[job].name);
      check_shuffle(JobId{job});
      check_stages(JobId{job});
    }
  }

  void job_completed(JobId job) { finished_.insert(job); }

 private:
  template <class Other>
  void take(EmuTime, const Other&) {}

  void take(EmuTime, const Launch& launch) {
    Attempt& attempt = attempts_[launch.container];
    attempt.launch = launch;
    attempt.reads = launch.work.reads;
  }
  void take(EmuTime, const Fetch& fetch) {
    std::vector<DataRead>& reads = attempts_.at(fetch.container).reads;
    reads.insert(reads.end(), fetch.reads.begin(), fetch.reads.end());
  }
  void take(EmuTime, const RunPart& run) {
    Attempt& attempt = attempts_.at(run.container);
    EXPECT_EQ(attempt.parts.size(), attempt.done_parts.size()) << "two parts at once";
    attempt.parts[run.part.number] = run.part;
    attempt.reads.insert(attempt.reads.end(), run.part.reads.begin(), run.part.reads.end());
    // Stages are barriers: all earlier stages are done.
    const JobId job = attempt.launch.phase.job;
    const auto& stages = scenario_.jobs[job.value].stages;
    for (int stage = 0; stage < run.part.stage; ++stage)
      EXPECT_EQ((done_tasks_[{job, stage}]), stages[stage].tasks) << "stage " << stage;
  }
  void take(EmuTime at, const ContainerStarted& e) { attempts_.at(e.container).started = at; }

  void take(EmuTime at, const InputsRead& e) {
    Attempt& attempt = attempts_.at(e.container);
    attempt.read_at = at;
    if (attempt.launch.work.executor) return;
    EXPECT_GE(to_seconds(at - *attempt.started), least_read_s(attempt.launch.node, attempt.reads))
        << "container " << e.container.value;
    expect_inputs_complete(attempt.launch.phase);
  }

  void take(EmuTime, const PartDone& e) {
    Attempt& attempt = attempts_.at(e.container);
    EXPECT_TRUE(attempt.done_parts.insert(e.part).second) << "part " << e.part << " again";
    const TaskPart& part = attempt.parts.at(e.part);
    done_tasks_[{attempt.launch.phase.job, part.stage}] += part.threads;
  }

  void take(EmuTime at, const ContainerEnded& e) {
    Attempt& attempt = attempts_.at(e.container);
    EXPECT_FALSE(attempt.ended_at) << "ends twice";
    attempt.ended_at = at;
    attempt.end = e;
    if (e.outcome != Outcome::kCompleted || attempt.launch.work.executor) return;
    const PhaseId phase = attempt.launch.phase;
    EXPECT_TRUE(completed_[phase].insert(attempt.launch.task).second) << "completed twice";
    expect_inputs_complete(phase);
    const EmuTime since = attempt.read_at.value_or(*attempt.started);
    EXPECT_GE(to_seconds(at - since), least_work_s(attempt.launch))
        << "container " << e.container.value;
  }

  void expect_inputs_complete(PhaseId phase) {
    const JobSpec& job = scenario_.jobs[phase.job.value];
    for (int before : job.phases[phase.phase].after)
      EXPECT_EQ((completed_[{phase.job, before}].size()), job.phases[before].tasks)
          << job.name << " " << job.phases[phase.phase].name;
  }

  /// Returns the minimum time of these reads. It is the longest of these times: the disk's for data
  /// on the node itself, the card's for all other data, and for each other node, its disk's and its
  /// card's for the data that it sends.
  double least_read_s(NodeId node, const std::vector<DataRead>& reads) const {
    std::map<NodeId, double> from;
    double remote = 0;
    for (const DataRead& read : reads) {
      from[read.from.front()] += bytes(read.size);
      if (read.from.front() != node) remote += bytes(read.size);
    }
    const auto spec = [&](NodeId id) -> const NodeSpec& {
      return scenario_.cluster.nodes[id.value];
    };
    double least = remote / (spec(node).network_bits_per_s / 8);
    for (const auto& [source, size] : from) {
      least = std::max(least, size / spec(source).disk_bytes_per_s);
      if (source != node) least = std::max(least, size / (spec(source).network_bits_per_s / 8));
    }
    return least - kRounding;
  }

  double least_work_s(const Launch& launch) const {
    const NodeSpec& node = scenario_.cluster.nodes[launch.node.value];
    const TaskWork& work = launch.work;
    const double work_s = to_seconds(work.sleep + work.pause * work.pauses) +
                          seconds(work.cpu) / (work.threads * node.speed);
    // All files are written at once. Each is copied once it is written.
    double write_s = bytes(sum(work.writes)) / node.disk_bytes_per_s;
    for (const DataWrite& write : work.writes) {
      const double size = bytes(write.size), copies = static_cast<double>(write.copies.size());
      write_s = std::max(
          write_s, size / node.disk_bytes_per_s + copies * size / (node.network_bits_per_s / 8));
    }
    return work_s + write_s - kRounding;
  }

  /// Checks that the counted bytes equal those that the container was commanded to read and write.
  /// If it did not complete, they are at most these.
  void check_counted(const Attempt& attempt) const {
    ASSERT_TRUE(attempt.ended_at);
    const AttemptUsage& usage = attempt.end.usage;
    EmuBytes writes = sum(attempt.launch.work.writes);
    for (const auto& [number, part] : attempt.parts) writes += sum(part.writes);
    const bool all = attempt.completed() && attempt.parts.size() == attempt.done_parts.size();
    const EmuBytes reads = sum(attempt.reads), read = usage.read_local + usage.read_remote;
    EXPECT_TRUE(all ? read == reads : read <= reads) << bytes(read) << " of " << bytes(reads);
    EXPECT_TRUE(all ? usage.written == writes : usage.written <= writes);
    if (!attempt.completed() || attempt.launch.work.executor) return;
    std::set<int> sources;
    for (const DataRead& one : attempt.reads) {
      if (one.source < 0) continue;
      EXPECT_TRUE(sources.insert(one.source).second) << one.source << " again";
    }
    EXPECT_EQ(std::ssize(sources), attempt.launch.work.sources);
  }

  void check_locality(const Launch& launch) const {
    const PhaseSpec& phase = scenario_.jobs[launch.phase.job.value].phases[launch.phase.phase];
    // Executors may prefer the nodes that hold their piece of the first stage's input
    // (tests/core/stages_test.cc).
    if (phase.kind == PhaseKind::kExecutor && delays_spark(scenario_.policy)) return;
    std::vector<NodeId> data = phase.prefer;
    for (const DataRead& read : launch.work.reads)
      if (read.source < 0) data = read.from;
    const auto rack = [&](NodeId node) { return scenario_.cluster.nodes[node.value].rack; };
    Locality expected = data.empty() ? Locality::kAny : Locality::kRemote;
    for (NodeId node : data) {
      if (rack(node) == rack(launch.node) && expected == Locality::kRemote)
        expected = Locality::kRack;
      if (node == launch.node) expected = Locality::kLocal;
    }
    EXPECT_EQ(launch.locality, expected) << phase.name << " " << launch.task;
  }

  /// Checks that the reduces of a phase together read the whole output of each map's completed
  /// attempt once, and nothing else.
  void check_shuffle(JobId job) const {
    const JobSpec& spec = scenario_.jobs[job.value];
    for (int to = 0; to < std::ssize(spec.phases); ++to) {
      const PhaseSpec& reduce = spec.phases[to];
      if (reduce.kind == PhaseKind::kExecutor) continue;
      std::map<std::uint64_t, std::int64_t> written, read;
      for (const auto& [id, attempt] : attempts_) {
        const PhaseId phase = attempt.launch.phase;
        if (phase.job != job || !attempt.completed()) continue;
        const bool before = std::count(reduce.after.begin(), reduce.after.end(), phase.phase) > 0;
        if (before && reduce.kind == PhaseKind::kReduce)
          for (const DataWrite& write : attempt.launch.work.writes)
            if (write.kept) written[write.object] += write.size.count();
        if (phase.phase == to)
          for (const DataRead& one : attempt.reads)
            if (one.source >= 0) read[one.object] += one.size.count();
      }
      EXPECT_EQ(read, written) << reduce.name;
    }
  }

  /// Checks that every task of every stage is done once, and that each stage reads the whole output
  /// that is meant for it.
  void check_stages(JobId job) const {
    const JobSpec& spec = scenario_.jobs[job.value];
    const int stages = static_cast<int>(spec.stages.size());
    std::vector<std::map<std::uint64_t, std::int64_t>> written(stages + 1), read(stages + 1);
    std::vector<int> tasks(stages);
    for (const auto& [id, attempt] : attempts_) {
      if (attempt.launch.phase.job != job) continue;
      for (int number : attempt.done_parts) {
        const TaskPart& part = attempt.parts.at(number);
        tasks[part.stage] += part.threads;
        for (const DataWrite& write : part.writes)
          if (write.kept) written[part.stage + 1][write.object] += write.size.count();
        for (const DataRead& one : part.reads)
          if (one.source >= 0) read[part.stage][one.object] += one.size.count();
      }
    }
    for (int stage = 0; stage < stages; ++stage) {
      EXPECT_EQ(tasks[stage], spec.stages[stage].tasks) << "stage " << stage;
      EXPECT_EQ(read[stage], written[stage]) << "stage " << stage;
    }
  }

  const Scenario& scenario_;
  Attempts attempts_;
  std::map<PhaseId, std::set<int>> completed_;
  std::map<std::pair<JobId, int>, int> done_tasks_;  ///< by stage
  std::set<JobId> finished_;
};

void check_data(const Scenario& scenario, const Simulated& outcome) {
  Books books(scenario);
  for (const wire::Json& line : outcome.records()) {
    books.add(line);
    if (line.at("type") == "job_finished" && line.at("state") == "completed")
      books.job_completed(JobId{line.at("job").get<std::int64_t>()});
  }
  books.check();
}

class DataUnderScheduler : public testing::TestWithParam<std::string> {};

TEST_P(DataUnderScheduler, MovesAllDataOnce) {
  for (std::uint64_t seed = 1; seed <= kScenarios && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Scenario scenario = random_scenario(seed, GetParam());
    const Simulated outcome = simulate(scenario);
    EXPECT_EQ(outcome.status, RunStatus::kDone) << outcome.reason;
    check_data(scenario, outcome);
  }
}

double makespan_s(const Simulated& outcome) { return outcome.records().back().at("t"); }

// Each job runs alone, with room for all its tasks at once and with fast disks. It must not take
// longer if the network is twice as fast. A tolerance of 0.1 % is needed: if one transfer begins
// earlier, another one on the same card may end later.
TEST(Data, AFasterNetworkDoesNotMakeJobsLonger) {
  std::uint64_t jobs = 0;
  for (std::uint64_t seed = 1; seed <= kScenarios; ++seed) {
    Scenario scenario = random_scenario(seed, "fifo");
    scenario.policy.options = {{"reduce_early_start", "1"}};
    scenario.cluster.dispatch = Dispatch::kImmediate;
    scenario.simulation.ideal = true;
    for (NodeSpec& node : scenario.cluster.nodes) {
      node.capacity = node.allowance = {Millicores(200'000), EmuBytes(1LL << 40)};
      node.disk_bytes_per_s = 1e12;
    }
    for (const JobSpec& job : std::vector<JobSpec>(scenario.jobs)) {
      if (job.framework == Framework::kSpark) continue;
      scenario.jobs = {job};
      scenario.jobs.front().after = {};
      const double before = makespan_s(simulate(scenario));
      Scenario faster = scenario;
      for (NodeSpec& node : faster.cluster.nodes) node.network_bits_per_s *= 2;
      EXPECT_LE(makespan_s(simulate(faster)), before * 1.001) << "seed " << seed << " " << job.name;
      ++jobs;
    }
  }
  EXPECT_GT(jobs, kScenarios);
}

INSTANTIATE_TEST_SUITE_P(Built, DataUnderScheduler, all_schedulers(), scheduler_name);

}  // namespace heddle::sim::data_property_test
