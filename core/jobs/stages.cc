#include "core/jobs/stages.h"

#include <algorithm>

#include "core/model/locality.h"
#include "core/scenario/blocks.h"
#include "core/scenario/draw.h"

namespace heddle {
namespace {

constexpr std::int64_t kDoubling = emu_seconds(1).count();

// The names of a container's objects differ in 16 bits. One bit is for the kind, and the others are
// for the part. If a container has more parts than these bits can count, numbers repeat. No
// executor reads outputs that are so old.
constexpr int kPartBits = 0x7fff, kFileBit = 0x8000;

std::uint64_t shuffle_object(ContainerId writer, int part) {
  return output_object(writer, part & kPartBits);
}
std::uint64_t file_object(ContainerId writer, int part) {
  return output_object(writer, kFileBit | (part & kPartBits));
}

int threads_of(const PhaseSpec& executors) {
  const auto cores = static_cast<int>((executors.request.cores.count() + 999) / 1000);
  return executors.threads.value_or(std::max(cores, 1));
}

}  // namespace

Stages::Stages(const Scenario& scenario, JobId job, int executors)
    : scenario_(&scenario),
      job_(job),
      spec_(&scenario.jobs[static_cast<std::size_t>(job.value)]),
      count_(spec_->phases[static_cast<std::size_t>(executors)].tasks),
      threads_(threads_of(spec_->phases[static_cast<std::size_t>(executors)])) {
  begin_stage();
}

// Work.

bool Stages::waits_for_inputs(int stage) const {
  return !at(stage).todo.empty() ||
         std::any_of(executors_.begin(), executors_.end(), [&](const auto& entry) {
           const std::optional<Running>& running = entry.second.running;
           return running && running->stage == stage && running->waits;
         });
}

int Stages::ready_stage() const {
  int stage = last_begun();
  while (stage > 0 && !at(stage - 1).complete() && waits_for_inputs(stage)) --stage;
  return stage;
}

void Stages::begin_stage() {
  const StageSpec& next = spec_->stages[stages_.size()];
  Stage& stage = stages_.emplace_back();
  stage.pieces.resize(static_cast<std::size_t>((next.tasks + threads_ - 1) / threads_));
  for (int piece = 0; piece < std::ssize(stage.pieces); ++piece)
    stage.todo.insert(stage.todo.end(), piece);
}

int Stages::take(int stage, NodeId node) {
  std::set<int>& todo = at(stage).todo;
  const bool near = stage == 0 && near_;
  const int piece = near ? near_->nearest(node, {}).task : *todo.begin();
  if (near) near_->take(piece);
  todo.erase(piece);
  return piece;
}

void Stages::put_back(int stage, int piece) {
  at(stage).todo.insert(piece);
  if (stage == 0 && near_) near_->ask(piece);
}

std::vector<std::vector<NodeId>> Stages::first_data() const {
  std::vector<std::vector<NodeId>> data;
  if (spec(0).input.mean <= 0) return data;
  for (int piece = 0; piece < std::ssize(at(0).pieces); ++piece) {
    std::set<NodeId> nodes;
    for (const DataRead& read :
         stage_reads(*scenario_, job_, 0, piece * threads_, tasks_of(0, piece)))
      nodes.insert(read.from.begin(), read.from.end());
    data.emplace_back(nodes.begin(), nodes.end());
  }
  return data;
}

void Stages::prefer_near(std::vector<std::vector<NodeId>> data) {
  near_.emplace(scenario_->cluster, std::move(data));
  for (int piece : at(0).todo) near_->ask(piece);
}

// Notifications.

void Stages::begin(EmuTime now) {
  if (begun_) return;
  begun_ = true;
  watch_backlog(now);
}

void Stages::joined(ContainerId executor, NodeId node, EmuTime now) {
  begin(now);
  Executor& fresh = executors_[executor];
  fresh.node = node;
  fresh.idle_since = now;
  replacing_ = false;
}

void Stages::forget(std::map<ContainerId, Executor>::iterator executor) {
  const auto& [id, what] = *executor;
  if (what.running) put_back(what.running->stage, what.running->piece);
  fetches_.erase(id);
  executors_.erase(executor);
}

void Stages::undo(const std::function<bool(const Piece&)>& lost) {
  for (int stage = 0; stage <= last_begun(); ++stage) {
    if (!hands_over(stage)) continue;
    for (int index = 0; index < std::ssize(at(stage).pieces); ++index) {
      Piece& piece = at(stage).pieces[static_cast<std::size_t>(index)];
      if (!piece.done || !lost(piece)) continue;
      piece.done = false;
      --at(stage).done;
      put_back(stage, index);
    }
  }
}

void Stages::lost(std::uint64_t object) {
  undo([&](const Piece& piece) { return shuffle_object(piece.writer, piece.part) == object; });
}

void Stages::inputs_read(ContainerId executor) {
  auto it = executors_.find(executor);
  if (it != executors_.end() && it->second.running) it->second.running->waits = false;
}

void Stages::part_done(ContainerId executor, int part, EmuTime now) {
  auto it = executors_.find(executor);
  if (it == executors_.end() || !it->second.running || it->second.parts != part) return;
  const auto [stage, piece, waits] = *it->second.running;
  it->second.running.reset();
  it->second.idle_since = now;
  fetches_.erase(executor);
  at(stage).pieces[static_cast<std::size_t>(piece)].done = true;
  ++at(stage).done;
  if (stage < last_begun())
    fetch_again(stage, piece);
  else if (at(stage).complete() && stages_.size() < spec_->stages.size())
    begin_stage();
}

// Parts.

std::vector<Stages::Assignment> Stages::assign(EmuTime now) {
  std::vector<Assignment> assignments;
  for (auto& [id, executor] : executors_) {
    if (executor.running) continue;
    const int stage = ready_stage();
    if (at(stage).todo.empty()) break;
    const int piece = take(stage, executor.node);
    assignments.push_back({id, give(id, executor, stage, piece)});
  }
  if (begun_) watch_backlog(now);
  return assignments;
}

double Stages::progress() const {
  std::int64_t all = 0, taken = 0;
  for (int stage = 0; stage < std::ssize(spec_->stages); ++stage) {
    all += spec(stage).tasks;
    if (stage <= last_begun()) taken += spec(stage).tasks;
  }
  const Stage& last = stages_.back();
  const int short_piece = static_cast<int>(last.pieces.size()) - 1;
  taken -= std::ssize(last.todo) * threads_;
  if (last.todo.contains(short_piece)) taken += threads_ - tasks_of(last_begun(), short_piece);
  return static_cast<double>(taken) / static_cast<double>(all);
}

TaskPart Stages::give(ContainerId id, Executor& executor, int stage, int piece) {
  const int count = tasks_of(stage, piece);
  const StageWork work = draw_stage(*scenario_, job_, stage, piece * threads_, count);
  TaskPart part;
  part.number = ++executor.parts;
  part.stage = stage;
  part.cpu = work.cpu;
  part.threads = count;
  add_block_reads(executor, stage, piece, part);
  add_shuffle_reads(stage, piece, part);
  if (work.shuffle > EmuBytes(0))
    part.writes.push_back({shuffle_object(id, part.number), work.shuffle, true, {}});
  if (work.output > EmuBytes(0)) {
    const std::uint64_t file = file_object(id, part.number);
    part.writes.push_back(
        {file, work.output, false,
         place_copies(scenario_->cluster, executor.node, scenario_->storage.replicas, file)});
  }
  const bool waits = !part.reads.empty() && part.reads.back().source >= 0;
  executor.running = Running{stage, piece, waits};
  executor.progress = std::max(executor.progress, progress());
  part.progress = executor.progress;
  at(stage).pieces[static_cast<std::size_t>(piece)] = {id, part.number, executor.node, work.shuffle,
                                                       false};
  return part;
}

void Stages::add_block_reads(Executor& executor, int stage, int piece, TaskPart& part) const {
  const int count = tasks_of(stage, piece);
  int kept = 0;
  if (spec(stage).cached) {
    int& in_memory = executor.in_memory[first_reader(*spec_, stage)];
    int& given = executor.given[stage];
    kept = std::clamp(in_memory - given, 0, count);
    given += count;
    in_memory += count - kept;
  }
  part.reads = stage_reads(*scenario_, job_, stage, piece * threads_ + kept, count - kept);
  for (DataRead& read : part.reads) try_nearest_first(scenario_->cluster, executor.node, read.from);
}

DataRead Stages::shuffle_read(int stage, int piece, int source) const {
  const Piece& from = at(stage - 1).pieces[static_cast<std::size_t>(source)];
  const Share share = partition(from.shuffle, spec(stage).skew, spec(stage).tasks, piece * threads_,
                                tasks_of(stage, piece));
  return {shuffle_object(from.writer, from.part), share.offset, share.size, {from.node}, source};
}

void Stages::add_shuffle_reads(int stage, int piece, TaskPart& part) const {
  if (stage == 0 || !hands_over(stage - 1)) return;
  const int sources = static_cast<int>(at(stage - 1).pieces.size());
  // Each piece begins with a different source. Otherwise, all pieces would read from the same nodes
  // first.
  for (int i = 0; i < sources; ++i) {
    DataRead read = shuffle_read(stage, piece, (piece + i) % sources);
    if (read.size > EmuBytes(0)) part.reads.push_back(std::move(read));
  }
}

void Stages::fetch_again(int stage, int source) {
  for (const auto& [id, executor] : executors_) {
    if (!executor.running || executor.running->stage != stage + 1 || !executor.running->waits)
      continue;
    DataRead read = shuffle_read(stage + 1, executor.running->piece, source);
    if (read.size > EmuBytes(0)) fetches_[id].push_back(std::move(read));
  }
}

// Number of executors.

int Stages::busy() const {
  return static_cast<int>(std::count_if(executors_.begin(), executors_.end(), [](const auto& e) {
    return e.second.running.has_value();
  }));
}

void Stages::watch_backlog(EmuTime now) {
  now_ = now;
  const bool backlog = !at(ready_stage()).todo.empty();
  if (backlog && backlog_since_) return;
  base_ = std::max(busy(), 1);
  backlog_since_ = backlog ? std::optional(now) : std::nullopt;
}

int Stages::wanted(EmuTime now) const {
  if (done()) return 0;
  if (!dynamic()) return count_;
  if (!backlog_since_) return base_;
  std::int64_t target = base_;
  for (std::int64_t left = (now - *backlog_since_).count() / kDoubling; left > 0; --left) {
    if (target >= count_) break;
    target *= 2;
  }
  return static_cast<int>(std::clamp<std::int64_t>(target, 1, std::max(most_wanted(), 1)));
}

std::vector<ContainerId> Stages::idle(EmuTime now) {
  // Until the job is done, at least one executor is busy after assign(). Therefore `gone` never has
  // all executors.
  std::vector<ContainerId> gone;
  if (!dynamic() || done()) return gone;
  for (const auto& [id, executor] : executors_)
    if (!executor.running && now - executor.idle_since >= spec_->executor_idle_timeout)
      gone.push_back(id);
  for (ContainerId id : gone) left(id);
  return gone;
}

std::optional<ContainerId> Stages::stuck() {
  const int ready = ready_stage();
  if (replacing_ || executors_.empty() || at(ready).todo.empty()) return std::nullopt;
  const bool all_wait = std::all_of(executors_.begin(), executors_.end(), [&](const auto& entry) {
    const std::optional<Running>& running = entry.second.running;
    return running && running->stage > ready && running->waits;
  });
  if (!all_wait) return std::nullopt;
  auto last = std::prev(executors_.end());
  const ContainerId id = last->first;
  forget(last);
  replacing_ = true;
  return id;
}

std::optional<EmuTime> Stages::next_time() const {
  if (!dynamic() || done()) return std::nullopt;
  std::optional<EmuTime> next;
  if (backlog_since_ && wanted(now_) < most_wanted()) {
    const std::int64_t seconds = (now_ - *backlog_since_).count() / kDoubling;
    next = *backlog_since_ + EmuTime((seconds + 1) * kDoubling);
  }
  for (const auto& [id, executor] : executors_) {
    if (executor.running) continue;
    const EmuTime due = executor.idle_since + spec_->executor_idle_timeout;
    next = next ? std::min(*next, due) : due;
  }
  return next;
}

}  // namespace heddle
