#include "cli/run/run_watch.h"

#include <algorithm>
#include <csignal>
#include <utility>

#include "cli/base/exit_status.h"

namespace heddle::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto kMasterLeave = 1s;
constexpr auto kWorkersLeave = 3s;
/// The master reports registrations five times a second.
constexpr auto kRegistrationNews = 600ms;
/// Time that processes have to end after SIGKILL. Only a process that is stuck in the kernel takes
/// longer.
constexpr auto kKilled = 5s;
/// Maximum number of workers whose ends are printed one by one.
constexpr int kMostEnds = 10;
/// The master is restarted at most kMostRestarts times in any kRestartSpan, and kMostRestartsInAll
/// times in all. A resumed run loses nothing. A master that hangs is restarted once.
constexpr int kMostRestarts = 3, kMostRestartsInAll = 10;
constexpr std::chrono::seconds kRestartSpan = 60s;

std::string seconds(std::chrono::nanoseconds time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count()) + " s";
}

}  // namespace

RunWatch::RunWatch(std::vector<std::string> nodes, std::vector<PlannedKills> kills) {
  for (std::string& node : nodes) workers_.emplace_back().node = std::move(node);
  for (std::size_t i = 0; i < kills.size(); ++i) workers_[i].kills = std::move(kills[i]);
}

void RunWatch::kill_by(Time when) { deadline_ = deadline_ ? std::min(*deadline_, when) : when; }

void RunWatch::stop(int status, Time now, Asked& asked) {
  if (!status_) status_ = status;
  if (killed_) return;
  if (!master_ended_) asked.deeds.push_back(Deed::kTerminateMaster);
  kill_by(now + kMasterLeave);
}

RunWatch::Asked RunWatch::on_signal(Time now) {
  Asked asked;
  if (killed_) return asked;
  if (interrupted_) {
    deadline_ = now;
    return on_time(now);
  }
  interrupted_ = true;
  if (!status_)
    asked.sentences.emplace_back("interrupted: ending the run; interrupt again to end it at once");
  stop(kExitInterrupted, now, asked);
  if (workers_.size() > kMostAskedToLeave) asked.deeds.push_back(Deed::kKillWorkers);
  return asked;
}

void RunWatch::on_registered(std::size_t node) {
  workers_[node].registered = true;
  workers_[node].missed.reset();
}

RunWatch::Asked RunWatch::on_master_end(const host::ChildEnd& end, Time now) {
  Asked asked;
  const auto lately =
      std::ranges::count_if(restarts_, [now](Time at) { return now - at < kRestartSpan; });
  if (!status_ && end.signal && !given_up_on_master_ && lately < kMostRestarts &&
      std::ssize(restarts_) < kMostRestartsInAll) {
    restarts_.push_back(now);
    asked.deeds.push_back(Deed::kRestartMaster);
    asked.sentences.push_back("the master ended: " + host::describe(end) +
                              "; it is restarted and resumes from the journal");
    return asked;
  }
  master_ended_ = true;
  if (!status_ && end.signal)
    asked.sentences.push_back(
        "the master ended again: " + host::describe(end) +
        (given_up_on_master_      ? ""
         : lately < kMostRestarts ? ", after " + std::to_string(kMostRestartsInAll) + " restarts"
                                  : ", after " + std::to_string(kMostRestarts) +
                                        " restarts within " + seconds(kRestartSpan)) +
        "; the results cover the run up to now; heddle resume may continue it");
  // If the restarted master cannot continue, the scenario is not the cause, because the first
  // master accepted it.
  const bool cannot = !restarts_.empty() && (end.code == kExitUsage || end.code == kExitMachine);
  if (!status_) status_ = end.signal || cannot ? kExitAborted : end.code;
  asked.deeds.push_back(Deed::kTerminateWorkers);
  if (!killed_) kill_by(now + kWorkersLeave);
  return asked;
}

RunWatch::Asked RunWatch::on_worker_end(std::size_t node, const host::ChildEnd& end, Time now) {
  Asked asked;
  Worker& worker = workers_[node];
  worker.end = end;
  if (status_) return asked;
  if (!end.signal && (end.code == kExitUsage || end.code == kExitMachine)) {
    asked.sentences.push_back("the worker of node " + worker.node + " can't run here");
    stop(kExitMachine, now, asked);
  } else if (end == host::ChildEnd{SIGKILL, true} && !worker.kills.empty()) {
    const auto after = worker.kills.front();
    worker.kills.erase(worker.kills.begin());
    if (after) worker.restart = now + *after;
    asked.sentences.push_back("the worker of node " + worker.node +
                              " was killed by a fault of the scenario" +
                              (after ? "; it will be restarted" : ""));
  } else if (!worker.registered) {
    worker.missed = now + kRegistrationNews;
  } else if (end != host::ChildEnd{kExitDone, false}) {
    // At the end of every run, the master tells workers to leave. They exit normally, before the
    // master ends.
    say_ended("the worker of node " + worker.node + " ended: " + host::describe(end), asked);
  }
  return asked;
}

void RunWatch::say_ended(std::string sentence, Asked& asked) {
  if (++ends_said_ <= kMostEnds) asked.sentences.push_back(std::move(sentence));
  if (ends_said_ == kMostEnds)
    asked.sentences.emplace_back("further ends of workers are not printed; see their logs");
}

RunWatch::Asked RunWatch::on_hung_master(std::chrono::nanoseconds silence) {
  Asked asked;
  if (status_)
    return asked;  // the master still has time to leave; when the time is over, it is killed
  given_up_on_master_ = std::exchange(hung_, true);
  asked.deeds.push_back(Deed::kKillMaster);
  asked.sentences.push_back("the master hangs: it has been silent for " + seconds(silence) +
                            " and is killed");
  return asked;
}

RunWatch::Asked RunWatch::on_no_workers(std::chrono::nanoseconds since, Time now) {
  Asked asked;
  if (status_) return asked;
  asked.sentences.push_back("every worker has ended, and for " + seconds(since) +
                            " the master has not ended the run");
  stop(kExitAborted, now, asked);
  return asked;
}

RunWatch::Asked RunWatch::on_time(Time now) {
  Asked asked;
  for (Worker& worker : workers_) {
    if (!worker.missed || *worker.missed > now) continue;
    worker.missed.reset();
    if (status_) continue;
    asked.sentences.push_back("the worker of node " + worker.node +
                              " ended before the run began: " + host::describe(*worker.end));
    stop(kExitAborted, now, asked);
  }
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    Worker& worker = workers_[i];
    if (!worker.restart || (*worker.restart > now && !status_)) continue;
    worker.restart.reset();
    if (status_) continue;
    worker.end.reset();
    asked.restarts.push_back(i);
  }
  if (!deadline_ || *deadline_ > now) return asked;
  if (killed_) {
    given_up_ = true;
    asked.sentences.push_back("a process does not end even when killed");
    deadline_.reset();
    return asked;
  }
  killed_ = true;
  asked.deeds.push_back(Deed::kKillAll);
  deadline_ = now + kKilled;
  return asked;
}

std::optional<RunWatch::Time> RunWatch::next_time() const {
  std::optional<Time> next = deadline_;
  for (const Worker& worker : workers_)
    for (const std::optional<Time>& time : {worker.missed, worker.restart})
      if (time && (!next || *time < *next)) next = time;
  return next;
}

bool RunWatch::no_workers() const {
  return !workers_.empty() && std::ranges::all_of(workers_, [](const Worker& worker) {
    return worker.started && worker.end && !worker.restart;
  });
}

bool RunWatch::over() const {
  bool all = std::ranges::all_of(
      workers_, [](const Worker& worker) { return worker.end || !worker.started; });
  return given_up_ || (master_ended_ && all);
}

int RunWatch::status() const { return status_.value_or(kExitAborted); }

}  // namespace heddle::cli
