#include "report/fault_rows.h"

#include <algorithm>

#include "core/scenario/faults.h"
#include "wire/values.h"

namespace heddle::report {

using wire::BadField;
using wire::Fields;

Result<void> FaultRows::add(const wire::Json& record) {
  try {
    const Fields fields(record, "record");
    const std::string type = fields.text("type");
    if (type == "fault") add_fault(fields);
    if (type == "resumed")
      resumptions_.push_back(
          {wire::time_field(fields, "t"), fields.number("downtime_s", 0, wire::kMaxSeconds)});
  } catch (const BadField& bad) {
    return aborted_error(bad.text);
  }
  return {};
}

void FaultRows::add_fault(const Fields& record) {
  FaultRow row;
  row.number = static_cast<int>(record.integer("fault", 0, std::ssize(scenario_.faults) - 1));
  if (record.has("node"))
    row.node = NodeId{record.integer("node", 0, std::ssize(scenario_.cluster.nodes) - 1)};
  const EmuTime at = wire::time_field(record, "t");
  if (record.has("ends") && record.flag("ends")) {
    const auto begun = std::find_if(faults_.rbegin(), faults_.rend(), [&](const FaultRow& of) {
      return of.number == row.number && of.node == row.node && !of.span.until;
    });
    if (begun != faults_.rend()) begun->span.until = at;
    return;
  }
  const FaultSpec& fault = scenario_.faults[row.number];
  row.kind = fault.kind;
  row.span.from = at;
  // The end of what strikes a worker or the master is in no record: it is as it was asked for.
  if (!changes_conditions(fault.kind)) row.span.until = at + fault.lasts.value_or(EmuTime(0));
  faults_.push_back(row);
}

std::vector<FaultRow> FaultRows::faults(EmuTime end) const {
  std::vector<FaultRow> rows = faults_;
  for (FaultRow& row : rows)
    if (row.span.until > end) row.span.until.reset();
  return rows;
}

}  // namespace heddle::report
