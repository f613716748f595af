#pragma once

#include "core/model/action.h"
#include "core/model/event.h"
#include "wire/form.h"

namespace heddle::wire {

// The fields of every action and event, for journal lines and messages. The names of the fields and
// their order are the format of the journal (record.h).

inline constexpr int kMaxTask = 100'000'000, kMaxAttempt = 1'000'000, kMaxPhase = 1'000'000,
                     kMaxPart = 1'000'000'000, kMaxStage = 65535, kMaxWorkThreads = 1024,
                     kMaxWorkPauses = 1'000'000, kMaxExitCode = 1023;
/// Size of the largest reply of an external policy, in bytes.
inline constexpr std::size_t kMaxPolicyReply = 64 << 20;

void describe(const auto& io, Of<PhaseId> auto& phase) {
  io("job", phase.job);
  io("phase", phase.phase, 0, kMaxPhase);
}

void describe(const auto& io, Of<Resources> auto& resources) {
  io("cores", resources.cores);
  io("memory", resources.memory, kMaxInteger);
  if (io.given("counts", !resources.counts.none())) io("counts", resources.counts);
  if (auto held = devices_of(resources.counts); io.given("devices", held.counts.has_devices()))
    io("devices", held);
}
void describe(const auto& io, Of<TaskWork> auto& w) {
  io("cpu_core_s", w.cpu);
  io("threads", w.threads, 1, kMaxWorkThreads);
  io("sleep_s", w.sleep);
  io("memory", w.memory);
  if (io.given("pauses", w.pauses > 0)) {
    io("pauses", w.pauses, 0, kMaxWorkPauses);
    io("pause_s", w.pause);
  }
  if (io.given("pieces", !w.pieces.empty())) io("pieces", w.pieces);
  if (io.given("waits", w.waits)) io("waits", w.waits);
  if (io.given("reads", !w.reads.empty())) io("reads", w.reads);
  if (io.given("sources", w.sources > 0)) io("sources", w.sources, 0, kMaxTask);
  if (io.given("writes", !w.writes.empty())) io("writes", w.writes);
  if (io.given("executor", w.executor)) io("executor", w.executor);
  io("crash_at", w.crash_at, 0.0, 1.0);
  io.require("pieces", pieces_agree(w),
             "pieces that add up to the CPU work, without sleep and pauses");
}
void describe(const auto& io, Of<TaskPart> auto& p) {
  io("part", p.number, 1, kMaxPart);
  io("stage", p.stage, 0, kMaxStage);
  io("cpu_core_s", p.cpu);
  io("threads", p.threads, 1, kMaxWorkThreads);
  io("reads", p.reads);
  io("writes", p.writes);
  io("progress", p.progress, 0, 1);
}
void describe(const auto& io, Of<MemoryFidelity> auto& f) {
  io("samples", f.samples);
  io("lag_ms", f.lag_ms);
  io("peak_missed", f.peak_missed);
  io("cpu_s", f.cpu_s, 0, kMaxSeconds);
}
void describe(const auto& io, Of<AttemptUsage> auto& u) {
  io("cpu_core_s", u.cpu);
  io("peak_memory", u.peak_memory, kMaxInteger);
  if (io.given("peak_method", u.peak_method != PeakMethod::kKernel))
    io.word("peak_method", u.peak_method, kPeakMethods);
  io("memory_byte_s", u.memory_byte_seconds, 0, 1e300);
  io("ideal_s", u.ideal);
  io("contended", u.contended);
  io("host_lost_s", u.host_lost);
  const auto bytes = [&](const char* key, auto& moved) {
    if (io.given(key, moved.count() > 0)) io(key, moved, kMaxInteger);
  };
  bytes("read_local", u.read_local);
  bytes("read_remote", u.read_remote);
  bytes("written", u.written);
  if (io.given("memory_fidelity", u.memory.has_value())) io.object("memory_fidelity", u.memory);
  if (io.given("work_times", !u.work.empty())) io("work_times", u.work);
  if (io.given("transfers", !u.transfers.empty())) io("transfers", u.transfers);
}

// Events ----------------------------------------------------------------------------------------

void describe(const auto& io, Of<JobSubmitted> auto& e) { io("job", e.job); }
void describe(const auto& io, Of<NodeRegistered> auto& e) { io("node", e.node); }
void describe(const auto& io, Of<NodeLost> auto& e) {
  io("node", e.node);
  io("reason", e.reason);
  if (io.given("returns", e.returns)) io("returns", e.returns);
}
void describe(const auto& io, Of<NodeDrained> auto& e) {
  io("node", e.node);
  io("reason", e.reason);
}
void describe(const auto& io, Of<NodeRestored> auto& e) { io("node", e.node); }
void describe(const auto& io, Of<NodeHeartbeat> auto& e) {
  io("node", e.node);
  io("use", e.use);
  io("estimate", e.estimate);
  if (io.given("containers", io.containers)) io("containers", e.containers);
}
void describe(const auto& io, Of<ContainerStarted> auto& e) { io("container", e.container); }
void describe(const auto& io, Of<ContainerEnded> auto& e) {
  io("container", e.container);
  io.word("outcome", e.outcome, kOutcomes);
  io.word("oom", e.oom, kOomCauses);
  io("exit_code", e.exit_code, 0, kMaxExitCode);
  io("reason", e.reason);
  describe(io, e.usage);
}
void describe(const auto& io, Of<InputsRead> auto& e) { io("container", e.container); }
void describe(const auto& io, Of<PartDone> auto& e) {
  io("container", e.container);
  io("part", e.part, 1, kMaxPart);
}
void describe(const auto& io, Of<InputLost> auto& e) {
  io("container", e.container);
  io("source", e.source, 0, kMaxTask);
  io("object", e.object);
  io("reason", e.reason);
}
void describe(const auto& io, Of<ContainerSuspended> auto& e) { io("container", e.container); }
void describe(const auto& io, Of<ContainerResumed> auto& e) { io("container", e.container); }
void describe(const auto& io, Of<ActionRefused> auto& e) {
  io("action", e.action);
  io("reason", e.reason);
}
void describe(const auto&, Of<Wake> auto&) {}
void describe(const auto& io, Of<PolicyReplied> auto& e) {
  io("request", e.request);
  io("asked", e.asked);
  io.long_text("reply", e.reply, kMaxPolicyReply);
}
void describe(const auto& io, Of<ExternalLoad> auto& e) {
  io("node", e.node);
  describe(io, e.load);
}

// Actions ---------------------------------------------------------------------------------------

void describe(const auto& io, Of<Launch> auto& a) {
  io("container", a.container);
  describe(io, a.phase);
  io("task", a.task, 0, kMaxTask);
  io("attempt", a.attempt, 1, kMaxAttempt);
  io("node", a.node);
  describe(io, a.resources);
  io.object("work", a.work);
  if (io.given("locality", a.locality != Locality::kAny))
    io.word("locality", a.locality, kLocalities);
}
void describe(const auto& io, Of<Reserve> auto& a) {
  describe(io, a.phase);
  io("node", a.node);
}
void describe(const auto& io, Of<Unreserve> auto& a) {
  describe(io, a.phase);
  io("node", a.node);
}
void describe(const auto& io, Of<Suspend> auto& a) { io("container", a.container); }
void describe(const auto& io, Of<Resume> auto& a) { io("container", a.container); }
void describe(const auto& io, Of<Kill> auto& a) { io("container", a.container); }
void describe(const auto& io, Of<KillJob> auto& a) { io("job", a.job); }
void describe(const auto& io, Of<InputsReady> auto& a) { io("container", a.container); }
void describe(const auto& io, Of<Fetch> auto& a) {
  io("container", a.container);
  io("reads", a.reads);
}
void describe(const auto& io, Of<RunPart> auto& a) {
  io("container", a.container);
  io.object("work", a.part);
}
void describe(const auto& io, Of<Finish> auto& a) { io("container", a.container); }
void describe(const auto& io, Of<Submit> auto& a) { io("job", a.job); }
void describe(const auto& io, Of<SubmitAt> auto& a) {
  io("job", a.job);
  io("at", a.at);
}
void describe(const auto& io, Of<WakeAt> auto& a) { io("at", a.at); }

}  // namespace heddle::wire
