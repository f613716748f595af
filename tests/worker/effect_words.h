#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "common/overloads.h"
#include "wire/record.h"
#include "worker/effect.h"

namespace heddle::worker {

inline std::string words(const wire::Report& report) {
  auto text = [&](const char* kind) {
    return fmt::format("report {} {}", kind, report.container().value);
  };
  return std::visit(
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
}

/// Returns each effect in words, such as "start 7" or "report ended 7 killed".
inline std::vector<std::string> words(const Effects& effects) {
  std::vector<std::string> words_of;
  for (const Effect& effect : effects) {
    if (const auto* start = std::get_if<Start>(&effect))
      words_of.push_back(fmt::format("start {}", start->launch.container.value));
    else if (const auto* stop = std::get_if<Stop>(&effect))
      words_of.push_back(fmt::format("stop {}", stop->container.value));
    else if (const auto* go_on = std::get_if<Continue>(&effect))
      words_of.push_back(fmt::format("continue {}", go_on->container.value));
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

}  // namespace heddle::worker
