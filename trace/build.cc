// Reads the files of a run line by line, merged by time.

#include <algorithm>
#include <limits>
#include <utility>

#include "trace/trace.h"

namespace heddle::trace {
namespace {

/// Reads one line of a file ahead. The time of the next line is therefore known before the line is
/// used.
class LineAhead {
 public:
  explicit LineAhead(report::JournalReader& reader) : reader_(reader) {}

  /// Reads the next line. A line without a time has the time of the line before.
  Result<void> look() {
    Result<std::optional<wire::Json>> next = reader_.next();
    if (!next) return std::move(next).error();
    line_ = *std::move(next);
    if (!line_) return {};
    auto time = line_->find("t");
    if (time != line_->end() && time->is_number()) t_ = std::max(t_, time->get<double>());
    return {};
  }
  bool done() const { return !line_; }
  const wire::Json& line() const { return *line_; }
  double t() const { return t_; }
  std::string where() const { return reader_.where(); }

 private:
  report::JournalReader& reader_;
  std::optional<wire::Json> line_;
  double t_ = 0;
};

}  // namespace

Result<void> build_trace(report::JournalReader& journal, report::JournalReader* samples,
                         TraceBuilder& builder) {
  LineAhead records(journal);
  std::optional<LineAhead> measured;
  if (samples) measured.emplace(*samples);
  auto add_samples = [&](double until) -> Result<void> {
    while (measured && !measured->done() && measured->t() <= until) {
      if (Result<void> added = builder.add_sample(measured->line()); !added)
        return std::move(added).error().in(measured->where());
      HEDDLE_TRY(measured->look());
    }
    return {};
  };
  if (measured) HEDDLE_TRY(measured->look());
  HEDDLE_TRY(records.look());
  while (!records.done()) {
    HEDDLE_TRY(add_samples(records.t()));
    if (Result<void> added = builder.add_record(records.line()); !added)
      return std::move(added).error().in(records.where());
    HEDDLE_TRY(records.look());
  }
  HEDDLE_TRY(add_samples(std::numeric_limits<double>::infinity()));
  builder.finish();
  return {};
}

}  // namespace heddle::trace
