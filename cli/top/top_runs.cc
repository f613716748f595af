#include "cli/top/top_runs.h"

#include <filesystem>

#include "common/text.h"
#include "host/living_runs.h"
#include "report/table.h"

namespace heddle::cli {
namespace {

std::string list_of(const std::vector<RunToWatch>& runs) {
  std::vector<std::vector<std::string>> rows;
  for (const RunToWatch& run : runs) rows.push_back({run.run, run.out});
  std::string table = report::format_table({{"RUN"}, {"results"}}, rows);
  if (table.ends_with('\n')) table.pop_back();
  return table;
}

}  // namespace

std::string plain_path(const std::string& path) {
  std::error_code error;
  std::string plain = std::filesystem::absolute(path, error).lexically_normal();
  while (plain.size() > 1 && plain.ends_with('/')) plain.pop_back();
  return error ? path : plain;
}

std::vector<RunToWatch> living_runs(const std::vector<std::string>& bases) {
  std::vector<RunToWatch> runs;
  for (const host::LivingRun& run : host::living_runs(bases))
    runs.push_back({run.run, plain_path(run.out), "ipc://" + run.path + "/progress.sock"});
  return runs;
}

Result<RunToWatch> choose_run(const std::vector<RunToWatch>& runs, const std::string& address,
                              const std::string& path) {
  if (address.starts_with("ipc://") || address.starts_with("tcp://"))
    return RunToWatch{"", "", address};
  if (address.find("://") != std::string::npos)
    return usage_error(address + ": expected ipc://PATH or tcp://HOST:PORT");
  if (runs.empty())
    return usage_error((address.empty() ? "" : address + ": ") +
                       "none of your runs is in progress; start one with heddle run SCENARIO");
  if (address.empty()) {
    if (runs.size() == 1) return runs.front();
    return usage_error(std::to_string(runs.size()) +
                       " runs are in progress; choose one with heddle top RUN\n" + list_of(runs));
  }
  std::vector<std::string> ids;
  for (const RunToWatch& run : runs) {
    if (run.run == address || (!path.empty() && run.out == path)) return run;
    ids.push_back(run.run);
  }
  return usage_error(with_nearest(address + ": not a run in progress, nor the results of one; "
                                            "expected a run, the directory of its results, or "
                                            "ipc://…",
                                  address, ids) +
                     "\n" + list_of(runs));
}

}  // namespace heddle::cli
