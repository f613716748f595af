// Workers in virtual time: how containers share a node's CPU and memory, and read and write data.
// The cases of workers.yaml are computed by hand. Disks move 100 bytes per second, networks 50 in
// each direction.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <random>

#include "sim/worker_model.h"
#include "tests/support/compact_scenario.h"
#include "wire/record.h"

namespace heddle::sim::workers_test {

using YAML::Node;

constexpr double kMiB = 1 << 20;

EmuBytes mib(double n) { return EmuBytes(static_cast<std::int64_t>(n * kMiB)); }
/// Reads [cores, MiB].
Resources resources(const Node& size) {
  return {Millicores(std::llround(size[0].as<double>() * 1000)), mib(size[1].as<double>())};
}

/// Some workers. The test says what happens when.
class Site {
 public:
  Site(int count, const NodeModel::Spec& spec, EmuTime launch_delay = EmuTime(0))
      : data_(std::vector<NodeSpec>(static_cast<std::size_t>(count), devices())) {
    for (std::int64_t i = 0; i < count; ++i)
      workers_.emplace_back(NodeModel(spec, NodeId{i}, data_),
                            StartDelays(launch_delay, {}, NodeId{i}));
  }
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;

  void at(double s, std::function<void()> deed) { deeds_.emplace(emu_seconds(s), std::move(deed)); }
  template <class Command>
  void command(double s, std::int64_t node, const Command& command) {
    at(s, [=, this] { workers_[node].command(command); });
  }
  void launch(double s, std::int64_t node, std::int64_t id, const Resources& size,
              const TaskWork& work) {
    Launch launch;
    launch.container = {id};
    launch.resources = size;
    launch.work = work;
    command(s, node, launch);
  }
  WorkerModel::Beat beat(std::int64_t node) {
    workers_[node].beat(now_);
    return workers_[node].take_beat();
  }
  /// Adds a line with the present time to the result.
  void say(const char* format, auto... values) {
    char what[200], line[256];
    std::snprintf(what, sizeof what, format, values...);
    std::snprintf(line, sizeof line, "%.9g %s", to_seconds(now_), what);
    said_.emplace_back(line);
  }
  bool at_rest(std::int64_t node, std::int64_t id) const {
    return workers_[node].at_rest(ContainerId{id});
  }

  /// Runs until nothing happens by itself. Returns lines such as "3.5 completed 1".
  std::vector<std::string> run() {
    for (;;) {
      now_ = data_.next_time();
      if (!deeds_.empty()) now_ = std::min(now_, deeds_.begin()->first);
      for (const WorkerModel& worker : workers_) now_ = std::min(now_, worker.next_time());
      if (now_ == kNever) break;
      data_.advance(now_);
      for (WorkerModel& worker : workers_) worker.advance(now_);
      for (const DataModel::Moved& moved : data_.take_moved())
        workers_[moved.node.value].moved(moved.container, moved.ticket);
      for (; !deeds_.empty() && deeds_.begin()->first == now_; deeds_.erase(deeds_.begin()))
        deeds_.begin()->second();
      for (WorkerModel& worker : workers_)
        for (const Event& event : worker.settle())
          std::visit([this](const auto& what) { tell(what); }, event.what);
      data_.settle();
    }
    EXPECT_EQ(data_.count(), 0);
    return said_;
  }

  std::map<std::int64_t, AttemptUsage> usage;
  bool tells_starts = false;  ///< and suspensions

 private:
  static NodeSpec devices() {
    NodeSpec node;
    node.disk_bytes_per_s = 100;
    node.network_bits_per_s = 400;
    return node;
  }

  void tell(const ContainerEnded& e) {
    const auto name = e.oom == OomCause::kNone ? wire::name_of(e.outcome) : wire::name_of(e.oom);
    say("%s %d", std::string(name).c_str(), number(e.container));
    usage[e.container.value] = e.usage;
  }
  void tell(const InputsRead& e) { say("read %d", number(e.container)); }
  void tell(const PartDone& e) { say("part %d of %d", e.part, number(e.container)); }
  void tell(const ActionRefused& e) { say("%s", e.reason.c_str()); }
  void tell(const ContainerStarted& e) { if_told("started %d", e.container); }
  void tell(const ContainerSuspended& e) { if_told("suspended %d", e.container); }
  void tell(const ContainerResumed& e) { if_told("resumed %d", e.container); }
  void tell(const auto&) {}
  void if_told(const char* format, ContainerId id) {
    if (tells_starts) say(format, number(id));
  }
  static int number(ContainerId id) { return static_cast<int>(id.value); }

  DataModel data_;
  std::vector<WorkerModel> workers_;
  std::multimap<EmuTime, std::function<void()>> deeds_;
  std::vector<std::string> said_;
  EmuTime now_;
};

NodeModel::Spec spec_of(const Node& it) {
  NodeModel::Spec spec;
  const Resources size = resources(it["node"]);
  spec.cores = size.cores;
  spec.memory = size.memory;
  spec.speed = it["speed"].as<double>(1);
  spec.overhead = mib(it["overhead"].as<double>(0));
  spec.noise = mib(it["noise"].as<double>(0));
  spec.suspend_cost = emu_seconds(it["suspend_cost"].as<double>(0));
  if (it["shares"]) spec.cpu_limit = CpuLimit::kShares;
  if (it["saturation"]) spec.saturation = Saturation::kAll;
  if (const auto kills = it["kills"].as<std::string>("kernel"); kills != "kernel")
    spec.preference = kills == "youngest" ? OomPreference::kYoungest : OomPreference::kLargest;
  return spec;
}

/// Reads [bytes, node] for a block, and [bytes, node, source] for the output of a source.
std::vector<DataRead> reads_of(const Node& list) {
  std::vector<DataRead> reads;
  for (std::uint64_t i = 0; list && i < list.size(); ++i) {
    const int source = list[i].size() > 2 ? list[i][2].as<int>() : -1;
    reads.push_back({source < 0 ? i + 1 : 1ULL << 63 | static_cast<std::uint64_t>(source),
                     EmuBytes(0),
                     EmuBytes(list[i][0].as<std::int64_t>()),
                     {NodeId{list[i][1].as<std::int64_t>()}},
                     source});
  }
  return reads;
}

/// Reads [bytes] for output that is kept, and [bytes, node…] for a file with copies on nodes.
std::vector<DataWrite> writes_of(const Node& list) {
  std::vector<DataWrite> writes;
  for (const Node& one : list) {
    DataWrite& write = writes.emplace_back();
    write.object = 1ULL << 63;
    write.size = EmuBytes(one[0].as<std::int64_t>());
    write.kept = one.size() == 1;
    for (std::size_t i = 1; i < one.size(); ++i)
      write.copies.push_back(NodeId{one[i].as<std::int64_t>()});
  }
  return writes;
}

TaskWork work_of(const Node& it) {
  TaskWork work;
  work.cpu = core_seconds(it["cpu"].as<double>(0));
  work.threads = it["threads"].as<int>(1);
  work.sleep = emu_seconds(it["sleep"].as<double>(0));
  work.waits = it["waits"].as<bool>(false);
  work.executor = it["executor"].as<bool>(false);
  work.pauses = it["pauses"].as<int>(0);
  work.pause = emu_seconds(it["pause"].as<double>(0));
  work.sources = it["sources"].as<int>(0);
  work.reads = reads_of(it["reads"]);
  work.writes = writes_of(it["writes"]);
  for (const Node& corner : it["memory"])
    work.memory.push_back({corner[0].as<double>(), mib(corner[1].as<double>())});
  return work;
}

RunPart part_of(const Node& it) {
  const Node part = it["part"];
  RunPart run{{part[0].as<std::int64_t>()}, {}};
  run.part.number = part[1].as<int>();
  run.part.cpu = core_seconds(part[2].as<double>());
  run.part.progress = part[3].as<double>();
  run.part.threads = it["threads"].as<int>(1);
  run.part.reads = reads_of(it["reads"]);
  run.part.writes = writes_of(it["writes"]);
  return run;
}

/// Adds what a line of a case says. Its first key, beside `at` and `on`, says what happens.
void plan(const Node& it, Site& site) {
  const auto s = it["at"].as<double>();
  const auto node = it["on"].as<std::int64_t>(0);
  const auto id = [&](const char* key) { return ContainerId{it[key].as<std::int64_t>()}; };
  if (it["launch"]) {
    static const Node usual = YAML::Load("[1, 1024]");
    site.launch(s, node, id("launch").value, resources(it["size"] ? it["size"] : usual),
                work_of(it));
  } else if (it["suspend"]) {
    site.command(s, node, Suspend{id("suspend")});
  } else if (it["resume"]) {
    site.command(s, node, Resume{id("resume")});
  } else if (it["kill"]) {
    site.command(s, node, Kill{id("kill")});
  } else if (it["ready"]) {
    site.command(s, node, InputsReady{id("ready")});
  } else if (it["finish"]) {
    site.command(s, node, Finish{id("finish")});
  } else if (it["fetch"]) {
    site.command(s, node, Fetch{id("fetch"), reads_of(it["reads"])});
  } else if (it["part"]) {
    site.command(s, node, part_of(it));
  } else if (it["load"]) {
    site.command(s, node, ExternalLoad{NodeId{node}, resources(it["load"])});
  } else if (it["look"]) {  // at the container's memory and progress, and the bytes that it moved
    site.at(s, [&site, node, container = id("look"), data = it["data"].as<bool>(false)] {
      for (const ContainerUse& use : site.beat(node).heartbeat.containers) {
        if (use.container != container) continue;
        if (data)
          site.say("disk %d, network %d", static_cast<int>(use.disk.count()),
                   static_cast<int>(use.network.count()));
        else
          site.say("%.1f MiB, progress %.3f", static_cast<double>(use.memory.count()) / kMiB,
                   use.progress);
      }
    });
  } else if (it["rests"]) {
    site.at(s, [&site, node, container = id("rests").value] {
      site.say(site.at_rest(node, container) ? "rests" : "works");
    });
  } else if (it["look_at_node"]) {
    site.at(s, [&site, node] {
      const WorkerModel::Beat beat = site.beat(node);
      site.say("node used %.9g core-s, uses %.1f MiB", to_core_seconds(beat.cpu),
               static_cast<double>(beat.memory.count()) / kMiB);
    });
  } else {
    ADD_FAILURE() << "unknown: " << it;
  }
}

/// Returns a container's usage by the names of workers.yaml.
std::map<std::string, double> numbers_of(const AttemptUsage& usage) {
  const auto bytes = [](EmuBytes size) { return static_cast<double>(size.count()); };
  return {{"cpu", to_core_seconds(usage.cpu)},
          {"ideal", to_seconds(usage.ideal)},
          {"contended", usage.contended ? 1 : 0},
          {"peak_mib", bytes(usage.peak_memory) / kMiB},
          {"mib_seconds", usage.memory_byte_seconds / kMiB},
          {"read_local", bytes(usage.read_local)},
          {"read_remote", bytes(usage.read_remote)},
          {"written", bytes(usage.written)}};
}

class Workers : public testing::TestWithParam<tests::Case> {};

TEST_P(Workers, DoAsComputedByHand) {
  SCOPED_TRACE(GetParam().place);
  const Node& it = GetParam().node;
  Site site(it["workers"].as<int>(1), spec_of(it), emu_seconds(it["start_takes"].as<double>(0)));
  site.tells_starts = it["start_takes"].IsDefined();
  for (const Node& line : it["do"]) plan(line, site);
  EXPECT_EQ(site.run(), it["events"].as<std::vector<std::string>>());
  for (const auto& container : it["usage"]) {
    SCOPED_TRACE("container " + container.first.as<std::string>());
    const auto numbers = numbers_of(site.usage.at(container.first.as<std::int64_t>()));
    for (const auto& number : container.second)
      EXPECT_NEAR(numbers.at(number.first.as<std::string>()), number.second.as<double>(), 1e-9)
          << number.first.as<std::string>();
  }
}

INSTANTIATE_TEST_SUITE_P(Sim, Workers, testing::ValuesIn(tests::cases_of("sim/workers.yaml")),
                         [](const auto& test) { return test.param.name; });

// In random runs, the node gives out no more CPU than it has, memory stays within limits, and every
// task that can end does. Looking at the node in between changes nothing.
TEST(NodeModel, RandomLives) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::vector<std::string> lines[2];
    for (int look = 0; look < 2; ++look) {
      std::mt19937 random(seed);
      auto up_to = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
      NodeModel::Spec spec;
      spec.cores = Millicores(1000 + up_to(4) * 500);
      spec.memory = mib(2000 + up_to(4000));
      spec.cpu_limit = up_to(2) ? CpuLimit::kStrict : CpuLimit::kShares;
      spec.saturation = up_to(2) ? Saturation::kKernel : Saturation::kAll;
      Site site(1, spec);
      const int tasks = 2 + up_to(6);
      for (std::int64_t i = 0; i < tasks; ++i) {
        TaskWork work;
        work.sleep = emu_seconds(up_to(3) * 1.7);
        work.cpu = core_seconds(up_to(5) * 3.1);
        work.threads = 1 + up_to(3);
        for (double progress : {0.0, 0.3, 0.8}) work.memory.push_back({progress, mib(up_to(1000))});
        const double begin = up_to(10);
        site.launch(begin, 0, i, {Millicores(500 + 500 * up_to(3)), mib(1000)}, work);
        if (up_to(3) > 0) continue;
        const double stop = begin + 0.3 * up_to(20);
        site.command(stop, 0, Suspend{{i}});
        site.command(stop + 0.7 * up_to(20), 0, Resume{{i}});
      }
      for (int s = 0; look == 1 && s < 60; ++s)
        site.at(s * 0.77, [&, s] {
          const WorkerModel::Beat beat = site.beat(0);
          EXPECT_LE(beat.memory, spec.memory + mib(1000));
          EXPECT_LE(to_core_seconds(beat.cpu),
                    s * 0.77 * static_cast<double>(spec.cores.count()) / 1e3 + 1e-5);
        });
      lines[look] = site.run();
      EXPECT_EQ(std::ssize(site.usage), tasks) << seed;
    }
    EXPECT_EQ(lines[0], lines[1]) << seed;
  }
}

}  // namespace heddle::sim::workers_test
