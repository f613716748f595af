#include "cli/results.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <utility>

#include "common/directory.h"
#include "common/fd.h"
#include "common/file.h"
#include "core/policy/table.h"
#include "core/scenario/reader.h"
#include "core/scenario/writer.h"
#include "report/summary.h"
#include "report/table.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

Result<void> make_directory(const std::string& path) {
  Result<Directory> made = Directory::make(path);
  if (made) return {};
  return machine_error("make directory " + path + ": " + made.error().text +
                       "; give another place with --out");
}

Result<void> write_line(int fd, const std::string& path, const std::string& line) {
  ssize_t n = ::write(fd, line.data(), line.size());
  if (n < 0) return system_error("write " + path, errno);
  if (static_cast<std::size_t>(n) < line.size()) return system_error("write " + path, ENOSPC);
  return {};
}

}  // namespace

std::string local_time() {
  std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::localtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &parts);
  return text;
}

std::string default_out(const Scenario& scenario, const std::string& time) {
  return "results/" + scenario.name + "-" + policy_text(scenario.policy) + "-" + time;
}

Result<void> check_out(const std::string& out) {
  std::error_code error;
  if (!fs::exists(out, error)) return {};
  if (!fs::is_directory(out, error)) return usage_error("--out " + out + ": not a directory");
  if (!fs::is_empty(out, error) && !error)
    return usage_error("--out " + out +
                       ": the directory is not empty; results are never overwritten");
  return {};
}

Result<void> make_out(const std::string& out, const Scenario& scenario) {
  HEDDLE_TRY(make_directory(out));
  HEDDLE_TRY(make_directory(out + "/logs"));
  return replace_file(out + "/scenario.yaml", write_scenario(scenario));
}

Result<void> append_record(const std::string& journal, const wire::Json& record) {
  Result<Fd> fd = open_file(journal, O_RDWR | O_APPEND);
  if (!fd) return std::move(fd).error();
  off_t size = ::lseek(fd->get(), 0, SEEK_END);
  char last = '\n';
  if (size > 0 && ::pread(fd->get(), &last, 1, size - 1) != 1)
    return system_error("read " + journal, errno);
  return write_line(fd->get(), journal, (last == '\n' ? "" : "\n") + record.dump() + "\n");
}

Result<wire::Json> write_summary(const std::string& out, const Scenario& scenario,
                                 std::span<const wire::Json> more) {
  Result<wire::Json> summary = summarise(scenario, out + "/journal.jsonl", more);
  if (!summary) return summary;
  HEDDLE_TRY(replace_file(out + "/summary.json", summary->dump(2) + "\n"));
  return summary;
}

void print_summary(const wire::Json& summary, const std::string& out, bool json) {
  if (json)
    std::printf("%s\n", summary.dump(2).c_str());
  else
    std::printf("%s\nresults: %s\n", format_summary(summary).c_str(), out.c_str());
  std::fflush(stdout);
}

Result<Scenario> scenario_of(const std::string& dir) {
  for (const char* file : {"/scenario.yaml", "/journal.jsonl"}) {
    std::error_code error;
    if (!fs::is_regular_file(dir + file, error))
      return usage_error(dir + ": not a result directory (there is no " + (file + 1) + " in it)");
  }
  Result<CheckedScenario> checked = read_scenario(dir + "/scenario.yaml");
  if (!checked) return std::move(checked).error();
  return std::move(checked->scenario);
}

}  // namespace heddle
