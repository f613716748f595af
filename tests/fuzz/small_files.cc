#include "cli/batch/experiment_file.h"
#include "core/policy/reduces/model_file.h"
#include "host/run_directory.h"
#include "tests/fuzz/runs.h"
#include "tests/fuzz/targets.h"
#include "yaml/set_value.h"
#include "yaml/tree.h"

namespace heddle::fuzz {
namespace {

bool model(std::string_view input) {
  const Result<FuzzyModel> read = read_fuzzy_model(input);
  if (!read) return false;
  const std::string text = write_fuzzy_model(*read, "{}");
  const Result<FuzzyModel> again = read_fuzzy_model(text);
  require(again && write_fuzzy_model(*again, "{}") == text, "a model is the same after writing");
  require(bool(read_fuzzy_model(one_line(input))), "a model in one line is a model");
  return true;
}

bool run_record(std::string_view input) {
  const Result<host::RunRecord> read = host::record_from(input);
  if (!read) return false;
  const Result<host::RunRecord> again = host::record_from(host::to_text(*read));
  require(again && *again == *read, "run.json is the same after writing");
  return true;
}

bool assignment(std::string_view input) {
  static const Result<YamlNode> tree = parse_yaml(run_text(), "run.yaml");
  YamlNode changed = *tree;
  return bool(set_value(changed, std::string(input)));
}

}  // namespace

bool small_files(std::string_view input) {
  const bool any[] = {model(input), run_record(input), bool(cli::read_experiment(input, "e.yaml")),
                      assignment(input)};
  return any[0] || any[1] || any[2] || any[3];
}

}  // namespace heddle::fuzz
