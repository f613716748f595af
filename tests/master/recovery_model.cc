#include "recovery_model.h"

#include <algorithm>
#include <csignal>
#include <sstream>

#include "tests/support/cluster.h"
#include "tests/support/job.h"

namespace heddle::master {
namespace {

using namespace std::chrono_literals;

constexpr auto kTick = 10ms;
constexpr auto kTrouble = 15s;
constexpr auto kEnd = 150s;
/// Probabilities per message.
constexpr double kLost = 0.03, kTwice = 0.03;
/// Probabilities per second, for the run.
constexpr double kMasterDies = 0.25, kInterrupted = 0.03;
/// Probabilities per second, for each worker.
constexpr double kWorkerDies = 0.04, kWorkerFreezes = 0.04, kCutOff = 0.04;

/// Returns a scenario with three nodes of two cores, a job with reduces that start early, and a job
/// that comes later. Tasks take 1 to 4 s at a tenth of real time.
Scenario small_cluster() {
  Scenario scenario = cluster_of(3, 2, 4);
  scenario.cluster.dispatch = Dispatch::kHeartbeat;
  scenario.emulation.time_scale = scenario.emulation.core_fraction = 0.1;
  scenario.emulation.memory_scale = 0.01;
  PhaseSpec map = phase_of("map", 9), reduce = phase_of("reduce", PhaseKind::kReduce, 2);
  map.cpu.mean = reduce.cpu.mean = 4e6;
  reduce.after = {0};
  scenario.jobs = {job_of("first", {map, reduce}), job_of("late", {map}, 20)};
  return scenario;
}

}  // namespace

RecoveryModel::RecoveryModel(unsigned seed, Options options)
    : random_(seed), scenario_(small_cluster()), options_(options) {
  if (seed % 2 == 0)
    scenario_.jobs[1].after = {{JobId{0}, AfterWhen::kStart, emu_seconds(seed % 4 == 0 ? 0 : 20)}};
  for (const NodeSpec& node : scenario_.cluster.nodes) {
    Worker worker;
    worker.node = node.name;
    workers_.push_back(std::move(worker));
  }
}

real::Duration RecoveryModel::between(int least_ms, int most_ms) {
  return std::chrono::milliseconds(std::uniform_int_distribution<int>(least_ms, most_ms)(random_));
}

void RecoveryModel::run() {
  start_master();
  const real::Time begin = now_;
  while (!over_ && now_ < begin + kEnd && wrong_.empty()) {
    now_ += kTick;
    calm_ = now_ > begin + kTrouble;
    if (!calm_) trouble();
    if (!master_ && now_ >= master_back_) start_master();
    deliver();
    for (std::size_t i = 0; i < workers_.size(); ++i) work(i);
    if (!master_) continue;
    carry_out(master_->on_time(now_));
    if (!master_ || !master_->end().over()) continue;
    status_ = master_->end().status();
    // Some power failures come while the run ends.
    if (options_.power_fails > 0 && !end_failed_) end_failed_ = disk_.fails = chance() < 0.5;
    if (!files_->end(master_->end_line(0, now_))) {
      cut_power();
      continue;
    }
    master_.reset();
    written_samples_ = samples_.bytes;
    // Runs that end otherwise can be continued with `heddle resume`.
    over_ = status_ == RunStatus::kDone || status_ == RunStatus::kFailed;
    master_back_ = now_ + 1s;
  }
}

void RecoveryModel::trouble() {
  constexpr double kSecond = std::chrono::duration<double>(kTick).count();
  if (options_.power_fails > 0 && chance() < options_.power_fails * kSecond) {
    // Some power failures come before the last write is synced.
    if (master_ && options_.durability == Durability::kFsync && chance() < 0.5)
      disk_.fails = true;
    else
      cut_power();
  }
  if (master_ && chance() < kMasterDies * kSecond) kill_master();
  if (master_ && chance() < kInterrupted * kSecond)
    carry_out(master_->stop(RunStatus::kInterrupted, "interrupted", now_));
  for (Worker& worker : workers_) {
    if (worker.link && chance() < kWorkerDies * kSecond) kill_worker(worker);
    if (!frozen(worker) && chance() < kWorkerFreezes * kSecond)
      worker.thaws = now_ + between(100, 5000);
    if (chance() < kCutOff * kSecond) worker.mute = now_ + between(100, 4000);
    if (chance() < kCutOff * kSecond) worker.deaf = now_ + between(100, 4000);
  }
}

std::string RecoveryModel::journal() const {
  std::string text;
  std::istringstream lines(disk_.bytes);
  wire::LineChecksums checksums;
  for (std::string line; std::getline(lines, line);) {
    (void)checksums.check_and_strip(line);
    text += line + "\n";
  }
  return text;
}

void RecoveryModel::start_master() {
  LiveRun::Options options;
  options.run = "r";
  options.await_all = chance() < 0.3;
  master_ = std::make_unique<LiveRun>(scenario_, options, now_);
  if (!read_journal()) return;
  if (const std::optional<RunStatus> ended =
          master_->recovery().ended_as()) {  // the last line was whole
    if (samples_.bytes != written_samples_)
      wrong_.push_back("the journal has its end, but samples are lost");
    over_ = true;
    status_ = *ended;
    master_.reset();
    return;
  }
  Result<Effects> resumed = master_->resume(std::nullopt, now_);
  if (resumed) return carry_out(*resumed);
  wrong_.push_back("resume: " + resumed.error().text);
}

bool RecoveryModel::read_journal() {
  std::istringstream lines(disk_.bytes);
  wire::LineChecksums checksums;
  const Result<std::int64_t> kept = read_lines(lines, "journal", take_journal(*master_, checksums));
  if (!kept) {
    wrong_.push_back("read again: " + kept.error().text);
    return false;
  }
  disk_.cut(static_cast<std::size_t>(*kept));
  std::istringstream samples(samples_.bytes);
  const Result<std::int64_t> kept_samples = read_lines(samples, "samples", take_sample);
  if (!kept_samples) {
    wrong_.push_back("read again: " + kept_samples.error().text);
    return false;
  }
  samples_.cut(static_cast<std::size_t>(*kept_samples));
  if (!written_samples_.starts_with(samples_.bytes)) wrong_.push_back("samples were changed");
  // Half-written lines of a power failure are cut; synced bytes are not.
  if (options_.durability == Durability::kFsync && disk_.bytes.size() < before_failure_)
    wrong_.push_back("what had been synced is lost");
  follow(journal(), false);
  files_.emplace(std::make_unique<ModelFile>(&disk_), std::make_unique<ModelFile>(&samples_),
                 checksums, options_.durability);
  return true;
}

void RecoveryModel::kill_master() {
  ++deaths_;
  written_samples_ = samples_.bytes;
  disk_.fails = false;
  master_.reset();
  master_back_ = now_ + (chance() < 0.8 ? between(0, 800) : between(800, 6000));
  std::erase_if(letters_, [](const auto& letter) { return !letter.second.to; });
}

void RecoveryModel::cut_power() {
  ++power_failures_;
  before_failure_ = disk_.synced;
  const std::string before = disk_.bytes, samples = samples_.bytes;
  disk_.power_fails(random_);
  samples_.power_fails(random_);
  const std::size_t left = std::min(disk_.bytes.size(), before.size());
  if (before.find('\n', left) != std::string::npos) ++lost_lines_;
  if (samples_.bytes != samples) ++lost_samples_;
  kill_master();
  written_samples_ = samples;
  // Workers may be on hosts of their own, or on the master's.
  if (chance() < 0.5)
    for (Worker& worker : workers_)
      if (worker.link) kill_worker(worker);
}

void RecoveryModel::carry_out(const Effects& effects) {
  follow(effects.journal, true);
  const bool dies = !calm_ && !effects.journal.empty() && chance() < 0.01;
  const std::size_t before = disk_.bytes.size(), synced = disk_.synced;
  // Only the power can fail here.
  if (Result<void> kept = files_->keep(effects); !kept) return cut_power();
  if (dies && chance() < 0.5) {  // while it writes, or before any message leaves
    disk_.cut(before + random_() % (disk_.bytes.size() - before));
    disk_.synced = synced;
  }
  if (dies) return kill_master();
  for (const auto& [to, message] : effects.send)
    for (const std::string& identity : to)
      for (std::size_t i = 0; i < workers_.size(); ++i)
        if (workers_[i].identity == identity) post({i, identity, message});
}

void RecoveryModel::follow(const std::string& lines, bool now) {
  for (std::size_t from = 0, end = 0; (end = lines.find('\n', from)) != std::string::npos;
       from = end + 1) {
    const std::string line = lines.substr(from, end - from);
    if (line.starts_with(R"({"type":"node_registered")")) {
      const wire::Json json = wire::Json::parse(line);
      lives_[json["node"]] = json["incarnation"];
    }
    if (!now || !line.starts_with(R"({"type":"node_lost")")) continue;
    const wire::Json json = wire::Json::parse(line);
    const Worker& worker = workers_[json["node"]];
    const std::string reason = json["reason"];
    if (journal_knows_all() &&
        (reason.ends_with("than the journal records") || reason.ends_with("did not launch there")))
      wrong_.push_back(worker.node + ": " + reason);
    if (!worker.link || frozen(worker)) continue;
    if (journal_knows_all() && worker.link->joined() && worker.answered &&
        worker.link->incarnation() == lives_[json["node"]])
      wrong_.push_back(worker.node + " is given up while its worker believes in its master");
  }
}

void RecoveryModel::post(Letter letter) {
  if (!calm_ && chance() < kLost) return;
  for (std::size_t i = 0; i < workers_.size(); ++i)
    if (letter.to ? *letter.to == i && now_ < workers_[i].deaf
                  : workers_[i].identity == letter.identity && now_ < workers_[i].mute)
      return;
  if (!calm_ && chance() < kTwice) letters_.emplace(now_ + between(1, 200), letter);
  letters_.emplace(now_ + between(1, 40), std::move(letter));
}

void RecoveryModel::deliver() {
  std::vector<Letter> later;
  while (!letters_.empty() && letters_.begin()->first <= now_) {
    Letter letter = std::move(letters_.begin()->second);
    letters_.erase(letters_.begin());
    if (!letter.to) {
      if (master_) carry_out(master_->on_message(letter.identity, letter.message, now_));
      continue;
    }
    Worker& worker = workers_[*letter.to];
    if (frozen(worker))
      later.push_back(std::move(letter));
    else if (worker.link && worker.identity == letter.identity)
      hear(*letter.to, letter.message);
  }
  for (Letter& letter : later) {
    const real::Time at = workers_[*letter.to].thaws;
    letters_.emplace(at, std::move(letter));
  }
}

void RecoveryModel::start_worker(Worker& worker) {
  const std::uint64_t first = incarnation();
  worker.identity = worker.node + "-" + std::to_string(first);
  worker.link.emplace(worker::Link::Identity{"r", worker.node, 1, ""}, first, now_);
  worker.clearing = worker.answered = false;
}

void RecoveryModel::kill_worker(Worker& worker) {
  // Tasks die with their worker.
  worker.link.reset();
  worker.table = {};
  worker.starts.clear();
  worker.ends.clear();
  worker.killed.clear();
  worker.running.clear();
  worker.back = now_ + between(100, 4000);
  worker.thaws = now_;
}

void RecoveryModel::work(std::size_t index) {
  Worker& worker = workers_[index];
  // Tasks continue while their worker is frozen.
  for (auto* due : {&worker.ends, &worker.killed})
    for (const auto& [id, at] : *due)
      if (at <= now_) worker.running.erase(id);
  if (frozen(worker)) return;
  if (!worker.link) {
    if (now_ >= worker.back) start_worker(worker);
    return;
  }
  auto due = [&](std::map<ContainerId, real::Time>& times) {
    std::vector<ContainerId> ids;
    for (const auto& [id, at] : times)
      if (at <= now_) ids.push_back(id);
    for (ContainerId id : ids) times.erase(id);
    return ids;
  };
  for (ContainerId id : due(worker.killed)) {
    worker.ends.erase(id);
    carry_out(worker, worker.table.exited(id, {true, SIGKILL}, {}, now_));
  }
  for (ContainerId id : due(worker.ends)) {
    worker.killed.erase(id);
    carry_out(worker, worker.table.exited(id, {}, {}, now_));
  }
  for (ContainerId id : due(worker.starts)) {
    if (!worker.table.start_wanted(id)) {
      carry_out(worker,
                worker.table.start_failed(id, aborted_error("killed before it was started"), now_));
      continue;
    }
    if (!started_.insert(id).second && journal_knows_all())
      wrong_.push_back("container " + std::to_string(id.value) + " is started twice");
    worker.running.insert(id);
    if (worker.at_once.contains(id)) worker.ends[id] = now_ + between(100, 400);
    carry_out(worker, worker.table.started(id, now_));
  }
  const wire::Reports fresh = worker.link->take_fresh();
  if (!fresh.reports.empty()) say(index, fresh);
  if (worker.clearing && worker.table.empty()) {
    worker.clearing = worker.answered = false;
    worker.link->cleared(incarnation(), now_);
    ++began_anew_;
  }
  take(index, worker.link->tick(now_));
  if (!worker.link) return;
  if (worker.link->hello_due(now_)) {
    say(index, worker.link->hello(now_));
    worker.link->hello_sent(true, now_);
  }
  if (!worker.link->heartbeat_due(now_)) return;
  wire::Heartbeat beat = worker.link->heartbeat(now_);
  for (ContainerId id : worker.table.containers()) beat.containers.push_back({id, {}, {}, 0});
  say(index, beat);
}

void RecoveryModel::say(std::size_t index, const wire::Message& message) {
  // Without a master there is no connection.
  if (master_) post({std::nullopt, workers_[index].identity, message});
}

void RecoveryModel::hear(std::size_t index, const wire::Message& message) {
  workers_[index].answered |= std::holds_alternative<wire::HeartbeatReply>(message);
  take(index, workers_[index].link->on_message(message, now_));
}

void RecoveryModel::take(std::size_t index, const std::vector<worker::LinkEvent>& events) {
  Worker& worker = workers_[index];
  for (const worker::LinkEvent& event : events) {
    if (const auto* command = std::get_if<worker::Do>(&event)) {
      std::visit(
          [&](const auto& what) {
            if constexpr (requires { worker.table.command(what, now_); })
              carry_out(worker, worker.table.command(what, now_));
          },
          command->command.what);
    } else if (std::holds_alternative<worker::Clear>(event)) {
      worker.clearing = true;
      carry_out(worker, worker.table.kill_all());
    } else if (const auto* answer = std::get_if<worker::Answer>(&event)) {
      say(index, answer->message);
    } else if (std::holds_alternative<worker::Leave>(event) ||
               std::holds_alternative<worker::GiveUp>(event)) {
      say(index, wire::Goodbye{worker.link->incarnation(), "", 0, 0});
      return kill_worker(worker);
    }
  }
}

void RecoveryModel::carry_out(Worker& worker, const worker::Effects& effects) {
  for (const worker::Effect& effect : effects) {
    if (const auto* start = std::get_if<worker::Start>(&effect)) {
      worker.starts[start->launch.container] = now_ + between(5, 30);
      if (worker::begins_at_once(start->launch.work))
        worker.at_once.insert(start->launch.container);
    }
    if (const auto* kill = std::get_if<worker::SendSigkill>(&effect))
      worker.killed[kill->container] = now_ + between(1, 20);
    if (const auto* give = std::get_if<worker::Give>(&effect))
      worker.ends[give->container] = now_ + between(100, 400);
    if (const auto* report = std::get_if<wire::Report>(&effect)) worker.link->report(*report);
  }
}

}  // namespace heddle::master
