#include "worker/outside_program.h"

#include <fmt/core.h>

#include <utility>

#include "common/log/log.h"
#include "worker/load_work.h"

namespace heddle::worker {
namespace {

/// Ids from here on belong to no container. They are below the poller's other tags
/// (Node::kDoorbell).
constexpr std::int64_t kFirstId = 1LL << 62;
constexpr int kNever = -1000;  // OOM_SCORE_ADJ_MIN

}  // namespace

OutsideProgram::OutsideProgram(Parts parts) : parts_(std::move(parts)), id_{kFirstId - 1} {}

OutsideProgram::~OutsideProgram() {
  if (child_) parts_.poller.forget(child_->pidfd.get());
}

void OutsideProgram::set(const Resources& load, real::Time now) {
  if (ended_) return;
  wanted_ = load;
  if (child_) {
    replaced_ = true;
    kill();
  } else {
    start(now);
  }
}

void OutsideProgram::end() {
  ended_ = true;
  wanted_ = {};
  replaced_ = true;
  if (child_) kill();
}

void OutsideProgram::kill() {
  if (Result<void> killed = parts_.enforcer.kill(id_); !killed)
    log_error(fmt::format("end the external load: {}", killed.error().text));
}

void OutsideProgram::start(real::Time now) {
  if (wanted_ == Resources{}) return;
  ++id_.value;
  Result<void> launched = launch(now);
  if (launched) return;
  log_error(fmt::format("start the external load: {}", launched.error().text));
  give_back(now);
}

Result<void> OutsideProgram::launch(real::Time now) {
  Result<LaunchPlan> plan = parts_.enforcer.prepare_load(id_, wanted_);
  if (!plan) return std::move(plan).error();
  plan->program = parts_.program;
  plan->arguments = {"external-load"};
  Result<int> page = parts_.enforcer.publish_load(id_, wanted_, load_work(wanted_), now);
  if (!page) return std::move(page).error();
  plan->page = *page;
  Result<Child> child = parts_.launcher.launch(*plan);
  if (!child) return std::move(child).error();
  parts_.enforcer.begin(id_, child->pid, now);
  Result<void> watched =
      parts_.poller.watch(child->pidfd.get(), static_cast<std::uint64_t>(id_.value));
  if (!watched) {  // the end of the process would go unnoticed
    (void)parts_.enforcer.stop_filling(id_);
    Launcher::abandon(*child);
    return watched;
  }
  child_ = *std::move(child);
  protect();
  log_info(fmt::format("external load of {} millicores and {} bytes: process {}",
                       wanted_.cores.count(), wanted_.memory.count(), child_->pid));
  return {};
}

/// Protects the process from the OOM killer. This needs CAP_SYS_RESOURCE, while raising others does
/// not.
void OutsideProgram::protect() {
  Result<void> set = parts_.enforcer.set_oom_score(id_, kNever);
  if (set || std::exchange(unprotected_, true)) return;
  log_info(fmt::format(
      "the external load can't be protected from the OOM killer, so containers are made to be "
      "killed before it: {}",
      set.error().text));
}

void OutsideProgram::on_exit(real::Time now) {
  (void)parts_.enforcer.stop_filling(id_);
  Result<std::optional<Ended>> ended = Launcher::reap(*child_);
  if (ended && !*ended) return;
  if (!ended) log_error(fmt::format("external load: {}", ended.error().text));
  if (ended && !replaced_)
    log_error(fmt::format("the external load ended by itself: {} {}",
                          (*ended)->by_signal ? "signal" : "status", (*ended)->value));
  parts_.poller.forget(child_->pidfd.get());
  past_cpu_ = use().cpu;
  child_.reset();
  give_back(now);
  if (std::exchange(replaced_, false)) start(now);
}

void OutsideProgram::give_back(real::Time now) {
  if (Result<void> released = parts_.enforcer.release(id_, now); !released)
    log_error(fmt::format("release the external load: {}", released.error().text));
}

OutsideProgram::Use OutsideProgram::use() {
  if (!child_) return {past_cpu_, real::Bytes(0)};
  Result<Sample> sample = parts_.enforcer.sample(id_);
  if (sample) return {past_cpu_ + sample->stats.cpu, sample->stats.memory};
  log_error(fmt::format("measure the external load: {}", sample.error().text));
  return {past_cpu_, real::Bytes(0)};
}

}  // namespace heddle::worker
