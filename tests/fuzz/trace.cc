#include <sstream>

#include "core/scenario/reader.h"
#include "import/importer.h"
#include "import/replay_text.h"
#include "tests/fuzz/targets.h"

namespace heddle::fuzz {

bool trace(std::string_view input) {
  bool understood = false;
  for (const ImportFormat& format : import_formats()) {
    std::istringstream in{std::string(input)};
    Result<Imported> imported = format.read(in, "trace", {});
    if (!imported) {
      require(imported.error().kind == Error::Kind::kUsage, "an error tells of the trace");
      continue;
    }
    understood = true;
    // What can't be a scenario (a request that fits nowhere) is told by the reader.
    (void)read_scenario_text(replay_text(*imported, "as-made"), "made.yaml");
  }
  return understood;
}

}  // namespace heddle::fuzz
