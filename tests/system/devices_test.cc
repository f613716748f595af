// Tests that no device is ever held twice or lost in real runs whose tasks, workers and masters are
// killed. The tasks are the witnesses. Each one takes tokens of the kernel for what it was given,
// so that a second holder of the same device finds no tokens left.

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <sstream>

#include "common/fd.h"
#include "tests/support/matchers.h"
#include "tests/system/real_run.h"

namespace heddle::devices_test {

using namespace std::chrono_literals;
using Json = nlohmann::json;

/// The program of a task. Its arguments are a kind, seconds, and the attempt.
///
/// A device has ten tokens, which are names of abstract Unix sockets. The program takes as many as
/// its share says, and reports a device of which it gets fewer. A child process holds them too and
/// does not end by itself. The kernel frees a token when the last of the two processes has ended,
/// whatever has killed it. So the device is still held as long as anything of the container lives.
constexpr const char* kWitness = R"(
use Socket;
my ($kind, $seconds, $attempt) = @ARGV;
sub text { local $/; open my $file, '<', $_[0] or die; <$file> }
sub now { (split ' ', text('/proc/uptime'))[0] }
my ($run, $node) = text('/proc/self/cgroup') =~ m{/heddle-([^/\s]+)/([^/\s]+)};
my ($name) = grep { /^HEDDLE_GPU$|^CUDA_/ } sort keys %ENV;
my $share = $ENV{HEDDLE_GPU_SHARE};
open my $evidence, '>', 'evidence' or die;
select $evidence;
$| = 1;
print "$node $name $ENV{$name} $share ", now(), "\n";
my @tokens;
for my $device (split /,/, $ENV{$name}) {
  my $wanted = sprintf '%.0f', 10 * $share;
  for my $token (0 .. 9) {
    last if !$wanted;
    socket my $socket, PF_UNIX, SOCK_DGRAM, 0 or die;
    bind $socket, pack_sockaddr_un("\0heddle-device/$run/$node/$device/$token") or next;
    push @tokens, $socket;
    $wanted--;
  }
  print "held twice: $device\n" if $wanted;
}
if (!fork) { sleep 1000; exit }
select undef, undef, undef, $seconds;
my @memory;
while ($kind eq 'large' && $attempt == 1) { push @memory, 'x' x 1e6 }
print "end ", now(), "\n";
)";

/// Waits until the abstract Unix socket of this name is free.
constexpr const char* kGate = R"(
use Socket;
socket my $socket, PF_UNIX, SOCK_DGRAM, 0 or die;
until (bind $socket, pack_sockaddr_un("\0$ARGV[0]")) { select undef, undef, undef, 0.1 }
)";

/// Keeps the program kGate from ending while it exists.
class Gate {
 public:
  explicit Gate(const std::string& name) : name_(name) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + 1, name.data(), name.size());
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    socket_ = Fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), length), 0);
  }
  const std::string& name() const { return name_; }
  void open() { socket_.reset(); }

 private:
  std::string name_;
  Fd socket_;
};

/// Returns the line of a phase of commands.
std::string phase(const std::string& name, int tasks, const std::string& gpus,
                  const std::vector<std::string>& command, const std::string& more = "") {
  return "      - {name: " + name + ", kind: command, tasks: " + std::to_string(tasks) +
         ", request: {cores: 1, memory: 1GiB, gpu: " + gpus + "}, " + more +
         "command: " + Json(command).dump() + "}\n";
}
/// Returns a job of witnesses with one phase "w".
std::string job(const std::string& name, const std::string& queue, int tasks,
                const std::string& gpus, const std::string& seconds,
                const std::string& kind = "small") {
  return "  - name: " + name + "\n    queue: " + queue +
         "\n    submit: " + (queue == "late" ? "10s" : "0s") +
         "\n    max_attempts: 1000\n    phases:\n" +
         phase("w", tasks, gpus, {"perl", "-e", kWitness, kind, seconds, "{attempt}"});
}

/// The lines that an attempt wrote about itself.
struct Evidence {
  std::string node, variable, devices, share;
  std::optional<double> end;
};

/// A run with two nodes d1 and d2 of three devices each, and a node without devices. Six jobs hold
/// whole devices and parts of devices for about 8 s. At first, the job "long" holds all devices, so
/// that some of its containers are killed for the others. The last job begins with a gate. When it
/// opens, a gang asks for `at_once` devices.
class WitnessedRun {
 public:
  static constexpr int kJobs = 6;  ///< before the last one

  WitnessedRun(const std::string& name, const std::string& emulation, const std::string& cluster,
               const std::string& faults, int at_once)
      : out_(scratch_ / "out"),
        gate_("heddle-gate/" + std::to_string(::getpid()) + "/" + name),
        at_once_(at_once) {
    ScenarioText text;
    text.emulation = "time_scale: 0.1, core_fraction: 0.08, memory_scale: 1/64" + emulation;
    text.cluster =
        "node_timeout: 20s, resources: {gpu: {devices: true}}, nodes: [{name: d, count: "
        "2, cores: 8, memory: 16GiB, gpu: 3}, {name: g, cores: 1, memory: 2GiB, labels: "
        "{gate: open}}]" +
        cluster;
    text.more =
        "policy: {scheduler: fair, preemption: kill, preemption_grace: 5}\n"
        "queues: [{name: early}, {name: late}]\nfaults: [" +
        faults + "]\n";
    text.jobs =
        job("long", "early", 6, "1", "2") + job("whole", "late", 14, "1", "0.4") +
        job("pair", "late", 4, "2", "0.4") + job("third", "late", 20, "0.3", "0.5") +
        job("half", "late", 12, "0.5", "0.5") + job("large", "late", 8, "0.5", "0.2", "large") +
        "  - name: last\n    queue: early\n    max_attempts: 1000\n    phases:\n" +
        phase("gate", 1, "0", {"perl", "-e", kGate, gate_.name()}, "where: {gate: open}, ") +
        phase("all", at_once, "1", {"perl", "-e", kWitness, "small", "0.5", "{attempt}"},
              "after: [gate], gang: true, ");
    scratch_.file("s.yaml", text.text());
    process_ = std::make_unique<Process>(
        heddle({"run", scratch_ / "s.yaml", "--out", out_, "--allow-commands"}), scratch_);
  }

  Process& process() { return *process_; }
  const std::string& out() const { return out_; }
  Gate& gate() { return gate_; }
  std::string errors() const { return process_->errors(); }

  /// Returns the journal's lines of this type.
  std::vector<Json> lines(const std::string& type) const {
    std::vector<Json> lines = read_journal(out_);
    std::erase_if(lines, [&](const Json& line) { return line["type"] != type; });
    return lines;
  }
  int count(const std::string& type) const { return static_cast<int>(lines(type).size()); }
  int ended(const std::string& outcome) const {
    int count = 0;
    for (const Json& line : lines("container_ended")) count += line["outcome"] == outcome;
    return count;
  }
  /// Returns whether a fault of the scenario has cost the node, and it has come back since.
  bool is_back(int node) const {
    enum { kUntouched, kFault, kLost, kBack } state = kUntouched;
    for (const Json& line : read_journal(out_)) {
      if (!line.contains("node") || line["node"] != node) continue;
      const std::string type = line["type"];
      if (type == "fault") state = kFault;
      if (type == "node_lost" && state != kUntouched) state = kLost;
      if (type == "node_registered" && state == kLost) state = kBack;
    }
    return state == kBack;
  }

  /// Kills the first process. Resumes the run as soon as that is possible.
  void kill_and_resume() {
    process_->signal(SIGKILL);
    EXPECT_EQ(process_->wait(), 128 + SIGKILL);
    const int before = count("resumed");
    EXPECT_TRUE(eventually([&] {
      process_ = std::make_unique<Process>(heddle({"resume", out_, "--allow-commands"}), scratch_);
      EXPECT_TRUE(eventually([&] { return !process_->running() || count("resumed") > before; }));
      return process_->running();
    })) << errors();
  }

  void expect_devices_held_once_each(const std::string& variable) const;

 private:
  /// Returns the evidence by attempt, such as "half-w-3-2". Fails if an attempt found a device that
  /// another one held too.
  std::map<std::string, Evidence> evidence() const;

  Scratch scratch_;
  std::string out_;
  Gate gate_;
  int at_once_;
  std::unique_ptr<Process> process_;
};

std::map<std::string, Evidence> WitnessedRun::evidence() const {
  std::map<std::string, Evidence> all;
  for (const std::string& attempt : names_in(out_ + "/logs")) {
    const std::string text = text_of(out_ + "/logs/" + attempt + "/evidence");
    EXPECT_THAT(text, Not(HasSubstr("held twice"))) << attempt;
    std::istringstream words(text);
    Evidence one;
    std::string begin, word;
    if (!(words >> one.node >> one.variable >> one.devices >> one.share >> begin)) continue;
    double end = 0;
    if (words >> word >> end && word == "end") one.end = end;
    all[attempt] = one;
  }
  return all;
}

/// Follows the journal: what is held of each device, and by which launch.
class Ledger {
 public:
  /// Takes in a line of the journal.
  void follow(const Json& line) {
    const std::string type = line["type"];
    if (type == "launch" && line.contains("devices")) {
      launches_[line["container"]] = line;
      hold(line, 1);
    } else if (type == "container_ended") {
      release(line["container"]);
    } else if (type == "node_lost") {
      std::vector<int> lost;
      for (const auto& [container, launch] : held_)
        if (launch["node"] == line["node"]) lost.push_back(container);
      for (int container : lost) release(container);
    }
  }
  /// Returns the launches with devices, by container.
  const std::map<int, Json>& launches() const { return launches_; }

 private:
  void hold(const Json& launch, int sign) {
    const double amount = launch["counts"][0];
    for (int device : launch["devices"][0]) {
      int& tenths = tenths_[{launch["node"], device}];
      tenths += sign * static_cast<int>(std::lround(10 * std::min(amount, 1.0)));
      EXPECT_LE(tenths, 10) << "given twice: " << launch;
    }
    if (sign > 0) held_[launch["container"]] = launch;
  }
  void release(int container) {
    const auto held = held_.find(container);
    if (held == held_.end()) return;
    hold(held->second, -1);
    held_.erase(held);
  }

  std::map<int, Json> launches_, held_;
  std::map<std::pair<int, int>, int> tenths_;
};

std::string joined(const Json& numbers) {
  std::string text;
  for (const Json& number : numbers) text += (text.empty() ? "" : ",") + number.dump();
  return text;
}

void WitnessedRun::expect_devices_held_once_each(const std::string& variable) const {
  const std::vector<Json> journal = read_journal(out_);
  const std::map<std::string, Evidence> evidence = this->evidence();
  Ledger ledger;
  std::set<int> completed, unseen;
  for (const Json& line : journal) {
    ledger.follow(line);
    if (line["type"] == "container_ended" && line["outcome"] == "completed")
      completed.insert(line["container"].get<int>());
  }
  std::set<std::string> known;
  std::set<std::pair<std::string, std::string>> at_the_end;
  for (const auto& [container, launch] : ledger.launches()) {
    const std::string job = journal[0]["jobs"][launch["job"].get<std::size_t>()]["name"];
    const std::string name = job + (job == "last" ? "-all-" : "-w-") + launch["task"].dump() + "-" +
                             launch["attempt"].dump();
    // If the directory of this attempt was there already, the worker appends the container.
    auto found = evidence.find(name + "-c" + std::to_string(container));
    if (found == evidence.end()) found = evidence.find(name);
    if (found == evidence.end()) {
      EXPECT_FALSE(completed.contains(container)) << name << " has no evidence";
      continue;
    }
    known.insert(found->first);
    SCOPED_TRACE(name);
    const Evidence& one = found->second;
    const double amount = launch["counts"][0];
    EXPECT_EQ(one.node, journal[0]["nodes"][launch["node"].get<std::size_t>()]["name"]);
    EXPECT_EQ(one.variable, variable);
    EXPECT_EQ(one.devices, joined(launch["devices"][0]));
    EXPECT_EQ(one.share, amount < 1 ? launch["counts"][0].dump() : "1");
    EXPECT_TRUE(one.end.has_value() || !completed.contains(container));
    if (job == "last" && completed.contains(container)) at_the_end.insert({one.node, one.devices});
  }
  EXPECT_THAT(evidence, SizeIs(known.size())) << "an attempt is not in the journal";
  EXPECT_THAT(at_the_end, SizeIs(at_once_)) << "devices were lost";
  // Each fault has happened to a container that held a device.
  for (const char* outcome : {"failed", "oom_killed", "killed", "lost"})
    EXPECT_GT(ended(outcome), 0) << outcome;
}

class Devices : public ::testing::Test {
 protected:
  void SetUp() override {
    if (end_of({"perl", "-MSocket", "-e", "1"}, scratch_).status != 0)
      GTEST_SKIP() << "perl is missing";
  }
  /// Kills a process of a task now and then until the condition is true.
  template <class Condition>
  bool disturb_until(const std::vector<WitnessedRun*>& runs, Condition condition) {
    return eventually([&] {
      std::vector<pid_t> pids;
      for (WitnessedRun* run : runs)
        for (const char* program : {"perl", "heddle-task"})
          for (pid_t pid : descendants(run->process().pid(), program)) pids.push_back(pid);
      if (!pids.empty()) ::kill(pids[random_() % pids.size()], SIGKILL);
      sleep_for(150ms);
      return condition();
    });
  }

  Scratch scratch_;
  std::mt19937 random_{1};
};

// Run a loses its master and the worker of d1. Run b loses its master, then all of its processes,
// then d1 for 3 s by a partition, and the worker of d2, which comes back.
TEST_F(Devices, AreNeitherHeldTwiceNorLost) {
  WitnessedRun a("a", "", "", "", 3);
  WitnessedRun b("b", ", device_env: {gpu: CUDA_VISIBLE_DEVICES}", ", dispatch: immediate",
                 "{fault: partition, node: d1, at: 40s, for: 30s}, "
                 "{fault: kill-worker, node: d2, at: 80s, restart_after: 5s}",
                 6);
  const std::vector<WitnessedRun*> both = {&a, &b};
  for (WitnessedRun* run : both)
    ASSERT_TRUE(eventually([&] { return run->ended("killed") > 0; })) << run->errors();
  const auto busy = [&] { return a.ended("completed") >= 5 && b.ended("completed") >= 5; };
  ASSERT_TRUE(disturb_until(both, busy)) << a.errors() << b.errors();

  for (WitnessedRun* run : both) ::kill(master_of(run->process()), SIGKILL);
  ASSERT_TRUE(
      disturb_until(both, [&] { return a.count("resumed") == 1 && b.count("resumed") == 1; }))
      << a.errors() << b.errors();

  b.kill_and_resume();
  for (pid_t worker : workers_of(a.process()))
    if (node_of_worker(worker) == "d1") ::kill(worker, SIGKILL);
  ASSERT_TRUE(disturb_until(both, [&] { return a.count("node_lost") == 1; })) << a.errors();
  ASSERT_TRUE(disturb_until(both, [&] { return b.is_back(0) && b.is_back(1); })) << b.errors();

  for (WitnessedRun* run : both) {
    EXPECT_TRUE(eventually([&] {
      sleep_for(100ms);
      return run->count("job_finished") == WitnessedRun::kJobs;
    })) << run->errors();
    run->gate().open();
  }
  for (WitnessedRun* run : both) {
    EXPECT_EQ(run->process().wait(30s), 0) << run->errors();
    EXPECT_THAT(left_of(run_id(run->out())), IsEmpty());
    EXPECT_EQ(replay_trouble(run->out()), "");
  }
  a.expect_devices_held_once_each("HEDDLE_GPU");
  b.expect_devices_held_once_each("CUDA_VISIBLE_DEVICES");
}

}  // namespace heddle::devices_test
