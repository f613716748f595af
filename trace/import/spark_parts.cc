#include "trace/import/spark_parts.h"

#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <tuple>

#include "common/number.h"

namespace heddle::trace::spark {
namespace {

struct Part {
  std::size_t path = 0;
  std::string log;                          ///< the same for all parts of a log
  std::optional<std::int64_t> number = {};  ///< of events_N_APP
  bool compact = false;
  std::string time = {};  ///< "": the newest part

  auto key() const { return std::tuple(number.value_or(0), compact, time.empty(), time); }
};

Part part_of(const std::string& path, std::size_t index) {
  static const std::regex kEnding(R"(\.(gz|zst|zstd|lz4|snappy|lzf|inprogress)$)");
  static const std::regex kRolled(R"(events_(\d{1,9})_(.+))");
  static const std::regex kTimed(R"((.+)-(\d{4}-\d\d-\d\d--\d\d-\d\d(-\d\d)?))");
  const std::size_t begin = path.rfind('/') + 1;
  const std::string directory = path.substr(0, begin);
  std::string name = path.substr(begin);
  for (std::smatch ending; std::regex_search(name, ending, kEnding);)
    name.resize(static_cast<std::size_t>(ending.position()));
  Part part{index, directory + name};
  std::smatch found;
  if (std::regex_match(name, found, kRolled)) {
    std::string application = found[2];
    part.compact = application.ends_with(".compact");
    if (part.compact) application.resize(application.rfind('.'));
    part.log = directory + "events_N_" + application;
    part.number = read_number<std::int64_t>(found[1].str());
  } else if (std::regex_match(name, found, kTimed)) {
    part.log = directory + found[1].str();
    part.time = found[2];
  }
  return part;
}

}  // namespace

Parts parts_of_logs(const std::vector<std::string>& paths) {
  std::vector<std::vector<Part>> logs;
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    Part part = part_of(paths[i], i);
    const auto [log, added] = known.try_emplace(part.log, logs.size());
    if (added) logs.emplace_back();
    logs[log->second].push_back(std::move(part));
  }
  Parts parts;
  for (std::vector<Part>& log : logs) {
    std::ranges::stable_sort(log, {}, &Part::key);
    const auto compact =
        std::find_if(log.rbegin(), log.rend(), [](const Part& part) { return part.compact; });
    if (compact != log.rend()) log.erase(log.begin(), std::prev(compact.base()));
    std::optional<std::int64_t> before;
    for (const Part& part : log) {
      parts.order.push_back(part.path);
      if (!part.number) continue;
      for (std::int64_t n = before.value_or(*part.number) + 1; n < *part.number; ++n) {
        if (parts.missing.size() == 100) break;
        std::string name = part.log;
        parts.missing.push_back(name.replace(name.rfind("events_N_") + 7, 1, std::to_string(n)));
      }
      before = part.number;
    }
  }
  return parts;
}

}  // namespace heddle::trace::spark
