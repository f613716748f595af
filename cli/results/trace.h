#pragma once

#include <string>

namespace heddle::cli {

struct TraceOptions {
  std::string dir;
  std::string out;         ///< empty: DIR/trace.jsonl
  std::string efficiency;  ///< empty: DIR/efficiency.json
  bool json = false;
};

/// `heddle trace DIR`: writes what every job and container of a run asked for and used over time,
/// and how much of what was held was used (docs/traces.md); prints quantiles of that.
int trace_command(const TraceOptions& options);

}  // namespace heddle::cli
