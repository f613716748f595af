#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "cli/base/exit_status.h"
#include "cli/machine/distribution.h"
#include "cli/manage/commands.h"
#include "cli/results/results.h"
#include "common/installed.h"
#include "common/result_files.h"
#include "wire/fields.h"

namespace heddle::cli {
namespace {

using wire::Json;

/// Executes the command with the modules of Heddle alone: Python would also look for modules in the
/// current directory, which can be anybody's.
constexpr const char* kStart =
    "import sys; sys.path[0] = sys.argv[1]; from heddle.plot.command import main; main()";

/// Returns the error if an option is given that the kind does not take.
Result<void> check_options(const PlotOptions& options) {
  const bool of_time = options.kind == "gantt" || options.kind == "usage";
  const std::pair<const char*, bool> wrong[] = {
      {"--figure", options.figure && of_time},
      {"--series", options.series && options.kind == "usage"},
      {"--label", options.labels && options.kind == "usage"},
      {"--node", options.nodes && options.kind != "gantt"}};
  for (const auto& [option, is_wrong] : wrong)
    if (is_wrong)
      return usage_error(std::string(option) + " and --kind " + options.kind +
                         " cannot be used together");
  return {};
}

/// Says which files of the results are not as Heddle wrote them.
void say_doubts_of_results(const PlotOptions& options) {
  for (const std::string& dir : options.results)
    for (const char* file : {kComparisonFile, kSweepFile, kSummaryFile})
      if (std::error_code error; std::filesystem::exists(dir + "/" + file, error))
        (void)say_doubts(dir, {file});
}

std::string remedy() {
  return command_on(this_distribution(),
                    install("python3-matplotlib", "python3-matplotlib", "python-matplotlib"));
}

template <class Value>
void add_given(Json& json, const char* key, const std::optional<Value>& value) {
  if (value) json[key] = *value;
}

/// Returns the options as python/heddle/plot/command.py reads them.
Json options_json(const PlotOptions& options, const std::vector<std::string>& command_line) {
  Json json = {{"kind", options.kind},
               {"results", options.results},
               {"out", options.out},
               {"command", command_line},
               {"remedy", remedy()}};
  add_given(json, "figure", options.figure);
  add_given(json, "series", options.series);
  add_given(json, "labels", options.labels);
  add_given(json, "nodes", options.nodes);
  add_given(json, "width", options.width_in);
  add_given(json, "height", options.height_in);
  return json;
}

}  // namespace

Result<int> plot_command(const PlotOptions& options, std::vector<std::string> command_line) {
  HEDDLE_TRY(check_options(options));
  const std::string modules = data_path("python");
  if (modules.empty()) return machine_error(missing_data("python"));
  say_doubts_of_results(options);
  command_line.front() = "heddle";
  // The module reads results through this program.
  ::setenv("HEDDLE", program_path("heddle").c_str(), 1);
  std::string words[] = {
      "python3", "-c", kStart, modules,
      options_json(options, command_line).dump(-1, ' ', true, Json::error_handler_t::replace)};
  char* argv[] = {words[0].data(), words[1].data(), words[2].data(),
                  words[3].data(), words[4].data(), nullptr};
  ::execvp(argv[0], argv);
  const Error error = system_error("start python3, which draws figures", errno);
  return machine_error(error.text + "; to install it: " + remedy());
}

}  // namespace heddle::cli
