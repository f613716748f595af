#include "tests/fuzz/targets.h"
#include "trace/import/formats.h"
#include "trace/import/replay_text.h"
#include "workloads/scenario_file.h"

namespace heddle::fuzz {

bool trace(std::string_view input) {
  std::vector<trace::Input> files;
  files.emplace_back("trace", std::string(input));
  const Result<const trace::ImportFormat*> format = trace::recognised_format(files[0]);
  if (!format) return false;
  trace::ImportOptions options;
  options.flops = 1e9;
  trace::ImportReport report;
  Result<trace::Imported> imported = trace::import_trace(**format, files, options, report);
  if (!imported) {
    require(imported.error().kind == Error::Kind::kUsage, "an error tells of the trace");
    return false;
  }
  // The reader reports traces that can't become a scenario, such as a request that fits nowhere.
  (void)workloads::read_scenario_text(trace::replay_text(*imported, "as-made"), "made.yaml");
  return true;
}

}  // namespace heddle::fuzz
