// Measures single functions that run often: encoding of journal lines and messages, and dividing a
// node's CPU.

#include <benchmark/benchmark.h>

#include "core/model/cpu_share.h"
#include "wire/codec.h"
#include "wire/journal_lines.h"
#include "wire/line_checksums.h"

namespace heddle::bench {
namespace {

std::vector<ContainerUse> uses(std::int64_t containers) {
  std::vector<ContainerUse> uses;
  for (std::int64_t i = 0; i < containers; ++i)
    uses.push_back({ContainerId{1000 + i}, CoreTime(12'345'678 + i), EmuBytes(987'654'321 + i),
                    0.123456789 + static_cast<double>(i) / 1000});
  return uses;
}

wire::Heartbeat heartbeat(std::int64_t containers) {
  wire::Heartbeat beat;
  beat.incarnation = 0x123456789abcdefULL;
  beat.sequence = 77;
  beat.containers = uses(containers);
  return beat;
}

void encode_heartbeat(benchmark::State& state) {
  const wire::Message message = heartbeat(state.range(0));
  std::size_t bytes = 0;
  for (auto _ : state) benchmark::DoNotOptimize(bytes = wire::encode(message).size());
  state.counters["bytes"] = static_cast<double>(bytes);
}
BENCHMARK(encode_heartbeat)->Arg(0)->Arg(8)->Arg(50);

void decode_heartbeat(benchmark::State& state) {
  const std::string text = wire::encode(heartbeat(state.range(0)));
  for (auto _ : state) {
    Result<wire::Message> message = wire::decode(text);
    if (!message) return state.SkipWithError(message.error().text.c_str());
    benchmark::DoNotOptimize(message);
  }
}
BENCHMARK(decode_heartbeat)->Arg(0)->Arg(8)->Arg(50);

Step launching() {
  Launch launch;
  launch.phase = {JobId{7}, 0};
  launch.node = NodeId{3};
  launch.resources = {Millicores(1000), EmuBytes(1 << 30)};
  launch.container = ContainerId{123};
  launch.task = 45;
  launch.work.cpu = CoreTime(19'876'543);
  launch.work.memory = {{0, EmuBytes(858'993'459)}};
  Step step;
  step.actions = {{launch, ""}};
  return step;
}

/// Writes the lines of one task: the heartbeat with its launch, its start and its end.
void journal_of_a_task(benchmark::State& state) {
  wire::JournalLines lines(wire::JournalLines::Mode::kSimulated, state.range(0) > 0);
  const Step step = launching();
  const std::vector<Event> beat = {{EmuTime(17'000'000), NodeHeartbeat{NodeId{3}, uses(8)}}};
  const std::vector<Event> started = {{EmuTime(17'012'345), ContainerStarted{ContainerId{123}}}};
  ContainerEnded end;
  end.container = ContainerId{123};
  end.usage.cpu = CoreTime(19'876'543);
  end.usage.peak_memory = EmuBytes(858'993'459);
  end.usage.memory_byte_seconds = 1.7e10;
  end.usage.ideal = EmuTime(19'876'543);
  const std::vector<Event> ended = {{EmuTime(37'012'345), end}};
  std::size_t bytes = 0;
  for (auto _ : state) {
    bytes = lines.step(EmuTime(17'000'000), beat, step).size();
    bytes += lines.step(EmuTime(17'012'345), started, {}).size();
    bytes += lines.step(EmuTime(37'012'345), ended, {}).size();
  }
  if (bytes == 0) state.SkipWithError("nothing was written");
  state.counters["bytes"] = static_cast<double>(bytes);
}
BENCHMARK(journal_of_a_task)->ArgName("heartbeats")->Arg(0)->Arg(1);

/// Computes the checksums of the lines of a task.
void checksums_of_a_task(benchmark::State& state) {
  const Step step = launching();
  const std::vector<Event> started = {{EmuTime(17'012'345), ContainerStarted{ContainerId{123}}}};
  wire::JournalLines lines(wire::JournalLines::Mode::kSimulated, true);
  std::string text(lines.step(EmuTime(17'012'345), started, step));
  wire::LineChecksums checksums;
  for (auto _ : state) benchmark::DoNotOptimize(checksums.add_checksums(text));
  state.counters["bytes"] = static_cast<double>(text.size());
}
BENCHMARK(checksums_of_a_task);

void sample_of_a_node(benchmark::State& state) {
  const NodeHeartbeat beat{NodeId{3}, uses(state.range(0))};
  for (auto _ : state)
    benchmark::DoNotOptimize(wire::sample_line(EmuTime(17'000'001), beat, 7.25, EmuBytes(1 << 30)));
}
BENCHMARK(sample_of_a_node)->Arg(8);

void divide_a_node(benchmark::State& state) {
  std::vector<CpuClaim> claims;
  for (int i = 0; i < state.range(0); ++i)
    claims.push_back({Millicores(500 + 100 * (i % 5)), 1 + i % 4});
  for (auto _ : state)
    benchmark::DoNotOptimize(share_cpu(claims, Millicores(8000), 1, CpuLimit::kShares));
}
BENCHMARK(divide_a_node)->Arg(8)->Arg(64);

}  // namespace
}  // namespace heddle::bench

BENCHMARK_MAIN();
