#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/batch/plan/cell_record.h"
#include "wire/fields.h"

namespace heddle::cli {

/// A cell in the file of a batch.
struct RunLine {
  std::string dir;  ///< path relative to the batch's directory
  std::uint64_t seed = 0;
  std::string status;  ///< "": the cell has no record
  bool disturbed = false;
};
/// By variant, then by repeat.
using RunLines = std::vector<std::vector<RunLine>>;

/// Collects the figures of a batch, repeat by repeat. Keeps a number for each metric of each cell.
class Collector {
 public:
  Collector() = default;
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;
  virtual ~Collector() = default;

  /// Adds the next repeat. `records` are by variant; nullopt: the cell has none.
  virtual void add(const std::vector<std::optional<CellRecord>>& records) = 0;
  /// Returns the members of the batch's file that only its kind has (docs/reference/results.md).
  virtual wire::Json json(const RunLines& runs) const = 0;
};

/// Returns a collector for the kind of the plan, which must outlive it.
std::unique_ptr<Collector> make_collector(const BatchPlan& plan);

}  // namespace heddle::cli
