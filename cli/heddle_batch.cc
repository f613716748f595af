// The program heddle-batch: the commands of heddle that make many runs, and archives of
// their results.

#include "cli/archive/commands.h"
#include "cli/base/program.h"
#include "cli/options/batch_words.h"
#include "cli/options/heddle_options.h"

namespace heddle::cli {
namespace {

int command(int argc, char** argv) {
  static const CommandFunctions functions = {
      {"demo", [](const HeddleOptions& o) { return demo_command(o.batch.demo); }},
      {"compare", [](const HeddleOptions& o) { return compare_command(o.batch.compare); }},
      {"sweep", [](const HeddleOptions& o) { return sweep_command(o.batch.sweep); }},
      {"experiment", [](const HeddleOptions& o) { return experiment_command(o.batch.experiment); }},
      {"cell", [](const HeddleOptions& o) { return cell_command(o.batch.cell); }},
      {"gather", [](const HeddleOptions& o) { return gather_command(o.batch.gather); }},
      {"status", [](const HeddleOptions& o) { return status_command(o.batch.status); }},
      {"archive", [](const HeddleOptions& o) { return archive_command(o.archive); }},
      {"reproduce", [](const HeddleOptions& o) { return reproduce_command(o.reproduce); }},
      {"league", [](const HeddleOptions& o) { return league_command(o.batch.league); }},
  };
  return run_command_line("heddle-batch", functions, argc, argv);
}

}  // namespace
}  // namespace heddle::cli

int main(int argc, char** argv) {
  return heddle::cli::run_program(argc, argv, heddle::cli::command);
}
