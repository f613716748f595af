#include "host/living_runs.h"

#include <algorithm>

#include "host/run_directory.h"

namespace heddle::host {
namespace {

constexpr const char* kMaster = "heddle-master";

bool master_lives(const RunRecord& record) {
  return std::ranges::any_of(record.processes, [](const ProcessMark& mark) {
    return mark.name == kMaster && mark_of(mark.pid, mark.name) == mark;
  });
}

}  // namespace

std::vector<LivingRun> living_runs(const std::vector<std::string>& bases) {
  std::vector<LivingRun> living;
  for (const std::string& base : bases)
    for (const std::string& run : RunDirectory::runs(base)) {
      const std::string path = base + "/" + run;
      const std::optional<RunRecord> record = run_record(path);
      if (record && master_lives(*record)) living.push_back({run, path, record->out});
    }
  std::ranges::sort(living, {}, &LivingRun::run);
  return living;
}

}  // namespace heddle::host
