#include <sstream>

#include "tests/fuzz/targets.h"
#include "trace/import/batsim.h"
#include "trace/import/heddle_trace.h"
#include "trace/import/replay_text.h"
#include "workloads/scenario_file.h"

namespace heddle::fuzz {

bool trace(std::string_view input) {
  std::istringstream in{std::string(input)};
  trace::ImportOptions options;
  options.flops = 1e9;
  // Only workloads of Batsim have profiles.
  const auto import = input.find("\"profiles\"") == std::string_view::npos
                          ? &trace::import_heddle_trace
                          : &trace::import_batsim;
  Result<trace::Imported> imported = import(in, "trace", options);
  if (!imported) {
    require(imported.error().kind == Error::Kind::kUsage, "an error tells of the trace");
    return false;
  }
  // The reader reports traces that can't become a scenario, such as a request that fits nowhere.
  (void)workloads::read_scenario_text(trace::replay_text(*imported, "as-made"), "made.yaml");
  return true;
}

}  // namespace heddle::fuzz
