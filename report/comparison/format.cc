#include "report/comparison/format.h"

#include "report/comparison/csv.h"
#include "report/comparison/text.h"

namespace heddle::report {

BatchFormat format_of(const BatchFormatFlags& flags) {
  if (flags.json) return BatchFormat::kJson;
  if (flags.csv) return BatchFormat::kCsv;
  if (flags.values) return BatchFormat::kValues;
  if (flags.markdown) return BatchFormat::kMarkdown;
  return flags.latex ? BatchFormat::kLatex : BatchFormat::kText;
}

std::string format_batch(const wire::Json& batch, BatchFormat format, int width) {
  const bool sweep = batch.at("kind") == "sweep";
  switch (format) {
    case BatchFormat::kText:
      return sweep ? format_sweep(batch, width) : format_comparison(batch, width);
    case BatchFormat::kJson:
      return batch.dump(2) + "\n";
    case BatchFormat::kCsv:
      return sweep ? sweep_csv(batch) : comparison_csv(batch);
    case BatchFormat::kValues:
      return sweep ? sweep_values_csv(batch) : comparison_values_csv(batch);
    case BatchFormat::kMarkdown:
      return sweep ? markdown_sweep(batch) : markdown_comparison(batch);
    case BatchFormat::kLatex:
      return sweep ? latex_sweep(batch) : latex_comparison(batch);
  }
  return "";
}

}  // namespace heddle::report
