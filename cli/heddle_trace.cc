// The program heddle-trace: the commands of heddle that write and read traces.

#include <iostream>
#include <string_view>

#include "cli/base/exit_status.h"
#include "cli/base/program.h"
#include "cli/options/heddle_options.h"
#include "cli/run/prepare.h"
#include "cli/trace/commands.h"
#include "cli/trace/whatif.h"
#include "trace/import/formats.h"

namespace heddle::cli {
namespace {

/// Prints the format of the trace in a file. Prints nothing if the file is no trace.
int print_format(const std::string& path) {
  Result<trace::Input> file = trace::Input::open(path);
  if (!file) return kExitDone;
  const Result<const trace::ImportFormat*> format = trace::recognised_format(*file);
  if (format) std::cout << (*format)->name;
  return kExitDone;
}

int command(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == kFormatOf) return print_format(argv[2]);
  static const CommandFunctions functions = {
      {"trace", [](const HeddleOptions& o) { return trace_command(o.trace); }},
      {"import", [](const HeddleOptions& o) { return import_command(o.imported); }},
      {"whatif", [](const HeddleOptions& o) { return whatif_command(o.whatif); }},
      {"train", [](const HeddleOptions& o) { return train_command(o.train); }},
  };
  return run_command_line("heddle-trace", functions, argc, argv);
}

}  // namespace
}  // namespace heddle::cli

int main(int argc, char** argv) {
  return heddle::cli::run_program(argc, argv, heddle::cli::command);
}
