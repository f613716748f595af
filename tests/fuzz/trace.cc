#include <sstream>

#include "tests/fuzz/targets.h"
#include "trace/import/importer.h"
#include "trace/import/replay_text.h"
#include "workloads/scenario_file.h"

namespace heddle::fuzz {

bool trace(std::string_view input) {
  bool understood = false;
  for (const trace::ImportFormat& format : trace::import_formats()) {
    std::istringstream in{std::string(input)};
    Result<trace::Imported> imported = format.read(in, "trace", {});
    if (!imported) {
      require(imported.error().kind == Error::Kind::kUsage, "an error tells of the trace");
      continue;
    }
    understood = true;
    // What can't be a scenario (a request that fits nowhere) is told by the reader.
    (void)workloads::read_scenario_text(trace::replay_text(*imported, "as-made"), "made.yaml");
  }
  return understood;
}

}  // namespace heddle::fuzz
