#include "driver/recorder.h"

namespace heddle::driver {

Recorder::Recorder(const Scenario& scenario, Options options, Sink journal, Sink samples)
    : scenario_(scenario),
      stopwatch_(std::move(options.stopwatch)),
      observer_(options.observer),
      journal_(std::move(journal)),
      samples_(std::move(samples)),
      lines_(options.mode, options.heartbeats) {
  if (options.mode == wire::JournalLines::Mode::kReal) times_ = wire::JournalLines::RealTimes{};
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
  lines_.pass_heartbeat();
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
  if (journal_)
    if (const std::string_view lines = lines_.step(now, events, step, times_); !lines.empty())
      journal_(lines);
  if (times_) times_ = wire::JournalLines::RealTimes{times_->wall_s};
}

}  // namespace heddle::driver
