#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "worker/effect.h"

namespace heddle::worker {

inline std::string words(const wire::Report& report) {
  static constexpr const char* kKinds[] = {"started", "ended",       "suspended", "resumed",
                                           "refused", "inputs_read", "part_done", "input_lost"};
  static constexpr const char* kOutcomes[] = {"completed", "failed", "oom_killed",
                                              "killed",    "lost",   "not_started"};
  std::string text =
      fmt::format("report {} {}", kKinds[static_cast<int>(report.kind)], report.container.value);
  if (report.kind == wire::ReportKind::kEnded)
    text += std::string(" ") + kOutcomes[static_cast<int>(report.outcome)];
  if (report.kind == wire::ReportKind::kPartDone) text += fmt::format(" part {}", report.part);
  if (report.kind == wire::ReportKind::kInputLost)
    text += fmt::format(" source {} object {}", report.source, report.object);
  return text;
}

/// "start 7", "report ended 7 killed", …
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
    else if (const auto* end = std::get_if<Kill>(&effect))
      words_of.push_back(fmt::format("kill {}", end->container.value));
    else if (const auto* release = std::get_if<Release>(&effect))
      words_of.push_back(fmt::format("release {}", release->container.value));
    else
      words_of.push_back(words(std::get<wire::Report>(effect)));
  }
  return words_of;
}

}  // namespace heddle::worker
