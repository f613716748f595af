#include "driver/recorder.h"

namespace heddle::driver {
namespace {

/// A resumed master takes from the samples how long the previous one lived, so a real run has a
/// line at each heartbeat period.
std::optional<EmuTime> silence_of(const Scenario& scenario, wire::JournalLines::Mode mode) {
  if (mode == wire::JournalLines::Mode::kSimulated) return std::nullopt;
  return scenario.cluster.heartbeat;
}

}  // namespace

Recorder::Recorder(const Scenario& scenario, Options options, Sink journal, Sink samples)
    : scenario_(scenario),
      stopwatch_(std::move(options.stopwatch)),
      observer_(options.observer),
      journal_(std::move(journal)),
      samples_(std::move(samples)),
      lines_(options.mode, options.heartbeats, options.counted),
      kept_(scenario.cluster.nodes.size(), silence_of(scenario, options.mode)) {
  if (options.mode == wire::JournalLines::Mode::kReal) times_ = wire::JournalLines::RealTimes{};
}

void Recorder::open(const std::string& run) {
  if (observer_ && observer_->takes_lines())
    observer_->on_line(lines_.run(scenario_, run, false, times_));
  if (journal_) journal_(lines_.run(scenario_, run, true, times_));
}

Step Recorder::decide(Engine& engine, EmuTime now, std::span<const Event> events) {
  const real::Duration began = read();
  Step step = engine.step(now, events);
  note_decision(began);
  return step;
}

bool Recorder::pass(Engine& engine, EmuTime now, NodeId node) {
  const real::Duration began = read();
  if (!engine.passes(now, node)) return false;
  note_decision(began);
  lines_.pass_heartbeats(1);
  return true;
}

void Recorder::note_decision(real::Duration began) {
  ++decisions_;
  if (!stopwatch_) return;
  decision_us_.push_back(std::chrono::duration<double, std::micro>(read() - began).count());
}

void Recorder::line(std::string_view line) {
  if (observer_) observer_->on_line(line);
  if (journal_) journal_(line);
}

void Recorder::step(EmuTime now, std::span<const Event> events, const Step& step) {
  if (observer_) observer_->on_step(now, events, step);
  if (samples_) end_samples(events);
  if (journal_)
    if (const std::string_view lines = lines_.step(now, events, step, times_); !lines.empty())
      journal_(lines);
  if (times_) times_ = wire::JournalLines::RealTimes{times_->wall_s};
}

void Recorder::end(EmuTime now, std::string_view status, const std::string& reason,
                   wire::Json overhead) {
  if (samples_)
    for (std::size_t i = 0; i < scenario_.cluster.nodes.size(); ++i)
      put_sample(kept_.end(NodeId{static_cast<std::int64_t>(i)}));
  line(lines_.end(now, status, reason, std::move(overhead), times_));
}

void Recorder::sample(EmuTime now, const NodeHeartbeat& heartbeat, double cores, EmuBytes memory) {
  if (samples_) put_sample(kept_.take({now, heartbeat, cores, memory}));
}

/// Writes what was left out before these events, which end what the samples show.
void Recorder::end_samples(std::span<const Event> events) {
  for (const Event& event : events) {
    if (const auto* ended = std::get_if<ContainerEnded>(&event.what))
      put_sample(kept_.end(ended->container));
    if (const auto* lost = std::get_if<NodeLost>(&event.what)) put_sample(kept_.end(lost->node));
  }
}

void Recorder::put_sample(const std::string& lines) {
  if (!lines.empty()) samples_(lines);
}

}  // namespace heddle::driver
