#pragma once

#include <string>

#include "wire/fields.h"

namespace heddle::report {

/// The forms in which a comparison or a sweep is printed: a table for terminals, the JSON of its
/// file, all metrics as CSV, the value of each repeat as CSV, and tables for documents.
enum class BatchFormat { kText, kJson, kCsv, kValues, kMarkdown, kLatex };

/// The options that ask for another form than a table for terminals. At most one is set.
struct BatchFormatFlags {
  bool json = false, csv = false, values = false, markdown = false, latex = false;
};
BatchFormat format_of(const BatchFormatFlags& flags);

/// Returns compare.json or sweep.json in this form. `width`: that of the terminal; 0: no limit.
/// Throws Json::exception if `batch` is neither.
std::string format_batch(const wire::Json& batch, BatchFormat format, int width = 0);

}  // namespace heddle::report
