#pragma once

#include <fmt/format.h>

#include <csignal>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "common/overloads.h"
#include "common/text.h"
#include "wire/record.h"
#include "worker/effect.h"
#include "worker/task_table.h"

namespace heddle::worker {

/// Returns a report in words, such as "report ended 7 failed: exited with status 3".
inline std::string words(const wire::Report& report) {
  auto text = [&](const char* kind) {
    return fmt::format("report {} {}", kind, report.container().value);
  };
  const std::string what = std::visit(
      Overloads{
          [&](const ContainerStarted&) { return text("started"); },
          [&](const ContainerEnded& e) {
            return text("ended") + " " + std::string(wire::name_of(e.outcome));
          },
          [&](const ContainerSuspended&) { return text("suspended"); },
          [&](const ContainerResumed&) { return text("resumed"); },
          [&](const InputsRead&) { return text("inputs_read"); },
          [&](const PartDone& e) { return text("part_done") + fmt::format(" part {}", e.part); },
          [&](const InputLost& e) {
            return text("input_lost") + fmt::format(" source {} object {}", e.source, e.object);
          },
          [&](const wire::CommandRefused&) { return text("refused"); }},
      report.what);
  return report.reason().empty() ? what : what + ": " + report.reason();
}

/// Returns each effect in words, such as "start 7" or "report ended 7 killed".
inline std::vector<std::string> words(const Effects& effects) {
  std::vector<std::string> words_of;
  for (const Effect& effect : effects) {
    if (const auto* start = std::get_if<Start>(&effect))
      words_of.push_back(fmt::format("start {}", start->launch.container.value));
    else if (const auto* stop = std::get_if<Stop>(&effect))
      words_of.push_back(fmt::format("stop {}", stop->container.value));
    else if (const auto* resumed = std::get_if<Continue>(&effect))
      words_of.push_back(fmt::format("continue {}", resumed->container.value));
    else if (const auto* give = std::get_if<Give>(&effect))
      words_of.push_back(fmt::format("give {} part {}{}", give->container.value, give->part.number,
                                     give->part.last ? ", the last" : ""));
    else if (const auto* read = std::get_if<BeginRead>(&effect))
      words_of.push_back(
          fmt::format("read {} object {}", read->container.value, read->read.object));
    else if (const auto* write = std::get_if<BeginWrite>(&effect))
      words_of.push_back(
          fmt::format("write {} object {}", write->container.value, write->write.object));
    else if (const auto* end = std::get_if<SendSigkill>(&effect))
      words_of.push_back(fmt::format("kill {}", end->container.value));
    else if (const auto* release = std::get_if<Release>(&effect))
      words_of.push_back(fmt::format("release {}", release->container.value));
    else
      words_of.push_back(words(std::get<wire::Report>(effect)));
  }
  return words_of;
}

constexpr ContainerId kC{7};

/// Returns the words before and after the first `mark`.
inline std::pair<std::string, std::string> split(const std::string& text, char mark) {
  const std::size_t at = text.find(mark);
  return {text.substr(0, at), at == text.npos ? "" : text.substr(at + 1)};
}

/// Returns inputs, such as "3+4/0": block 3, and object 4 of source 0.
inline std::vector<DataRead> inputs(const std::string& words) {
  std::vector<DataRead> reads;
  std::istringstream in(words);
  for (std::string word; std::getline(in, word, '+');) {
    const auto [object, source] = split(word, '/');
    reads.push_back({std::stoull(object),
                     EmuBytes(0),
                     EmuBytes(100),
                     {NodeId{0}, NodeId{3}},
                     source.empty() ? -1 : std::stoi(source)});
  }
  return reads;
}
inline DataRead input(const std::string& words) { return inputs(words).at(0); }
inline DataWrite output(const std::string& words) {
  return {std::stoull(words), EmuBytes(50), false, {NodeId{2}}};
}

/// Returns the launch of container 7 with work such as "sources=2 reads=1/0 writes=5+6 waits".
inline wire::LaunchCommand launch_of(const std::string& work) {
  wire::LaunchCommand launch;
  launch.container = kC;
  launch.resources = {Millicores(1000), EmuBytes(1LL << 30)};
  std::istringstream in(work);
  for (std::string word; in >> word;) {
    const auto [kind, value] = split(word, '=');
    if (kind == "waits") launch.work.waits = true;
    if (kind == "executor") launch.work.executor = true;
    if (kind == "sources") launch.work.sources = std::stoi(value);
    if (kind == "reads") launch.work.reads = inputs(value);
    if (kind != "writes") continue;
    for (const DataRead& write : inputs(value))
      launch.work.writes.push_back(output(std::to_string(write.object)));
  }
  return launch;
}

/// Returns the command for a part such as "2:5", the second, which reads object 5.
inline RunPart part_of(const std::string& words) {
  const auto [number, reads] = split(words, ':');
  RunPart run{kC, {}};
  run.part.number = std::stoi(number);
  run.part.cpu = core_seconds(3);
  run.part.reads = inputs(reads);
  run.part.progress = run.part.number * 0.25;
  return run;
}

/// Carries out steps such as "launch started read=1" in a task table. Returns the effects of each
/// step, such as "start 7 | report started 7, read 7 object 1 | -".
inline std::string life_of(const std::string& work, const std::string& steps) {
  TaskTable table;
  const real::Time now(real::Duration(10));
  using Value = const std::string&;
  const std::map<std::string, std::function<Effects(Value)>> kinds = {
      {"launch", [&](Value) { return table.command(launch_of(work), now); }},
      {"kill", [&](Value) { return table.command(Kill{kC}, now); }},
      {"suspend", [&](Value) { return table.command(Suspend{kC}, now); }},
      {"resume", [&](Value) { return table.command(Resume{kC}, now); }},
      {"ready", [&](Value) { return table.command(InputsReady{kC}, now); }},
      {"fetch",
       [&](Value reads) {
         return table.command(Fetch{kC, inputs(reads)}, now);
       }},
      {"part", [&](Value part) { return table.command(part_of(part), now); }},
      {"finish", [&](Value) { return table.command(Finish{kC}, now); }},
      {"kill-all", [&](Value) { return table.kill_all(); }},
      {"started", [&](Value) { return table.started(kC, now); }},
      {"unstarted",
       [&](Value) { return table.start_failed(kC, aborted_error("no such file"), now); }},
      {"unstartable",
       [&](Value) { return table.start_failed(kC, usage_error("too many threads"), now); }},
      {"stopped", [&](Value) { return table.stopped(kC, now); }},
      {"unstopped", [&](Value) { return table.stop_failed(kC, "did not stop", now); }},
      {"continued", [&](Value) { return table.continued(kC, now); }},
      {"read", [&](Value read) { return table.read_done(kC, input(read), now); }},
      {"lost",
       [&](Value read) { return table.read_failed(kC, input(read), "no such object", now); }},
      {"done", [&](Value part) { return table.part_done(kC, std::stoi(part), now); }},
      {"written", [&](Value) { return table.write_done(kC, now); }},
      {"unwritten",
       [&](Value file) { return table.write_failed(kC, output(file), "no space left", now); }},
      {"exit", [&](Value) { return table.exited(kC, {}, {}, now); }},
      {"sigkill",
       [&](Value) {
         return table.exited(kC, {true, SIGKILL}, {}, now);
       }},
      {"oom", [&](Value) {
         return table.exited(kC, {true, SIGKILL, OomCause::kNode}, {}, now);
       }}};
  std::vector<std::string> said;
  std::istringstream in(steps);
  for (std::string step; in >> step;) {
    const auto [kind, value] = split(step, '=');
    const std::vector<std::string> effects = words(kinds.at(kind)(value));
    said.push_back(effects.empty() ? "-" : join(effects));
  }
  return join(said, " | ");
}

}  // namespace heddle::worker
