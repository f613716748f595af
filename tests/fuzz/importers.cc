#include "tests/fuzz/targets.h"
#include "trace/import/replay_text.h"
#include "workloads/scenario_file.h"

namespace heddle::fuzz {
namespace {

/// Imports a trace of this format. A line "=== FILE" divides the input into files.
bool import(const char* name, std::string_view input) {
  constexpr std::string_view kDivider = "\n=== FILE\n";
  std::vector<trace::Input> files;
  for (std::size_t begin = 0; files.size() < 4;) {
    const std::size_t end = input.find(kDivider, begin);
    files.emplace_back("trace", std::string(input.substr(begin, end - begin)));
    if (end == std::string_view::npos) break;
    begin = end + kDivider.size();
  }
  const trace::ImportFormat& format = **trace::find_import_format(name);
  (void)format.recognises(files[0].head());
  trace::ImportOptions options;
  options.flops = 1e9;
  options.jobs = 100;
  options.max_tasks = 100;
  // Scenarios of the traces' own clusters, of up to 1000 nodes, take most of the time.
  if (input.size() % 64 != 0) options.nodes = 20;
  if (input.size() % 2 == 1) options.work = trace::ImportOptions::Work::kCpu;
  options.as_it_ran = input.size() % 4 >= 2;
  trace::ImportReport report;
  Result<trace::Imported> imported = trace::import_trace(format, files, options, report);
  (void)report.text();
  (void)report.json().dump(0, ' ', false, wire::Json::error_handler_t::replace);
  if (!imported) {
    require(imported.error().kind == Error::Kind::kUsage, "an error tells of the trace");
    return false;
  }
  const std::string text = trace::replay_text(*imported, "as-made");
  const auto read = workloads::read_scenario_text(text, "made.yaml");
  require(read || report.tasks > 100'000 || imported->scenario.cluster.nodes.size() > 1000,
          "a small trace becomes a valid scenario");
  return true;
}

}  // namespace

#define HEDDLE_TARGET(code, name, ...) \
  bool import_##code(std::string_view input) { return import(name, input); }
HEDDLE_IMPORT_FORMATS(HEDDLE_TARGET)
#undef HEDDLE_TARGET

}  // namespace heddle::fuzz
