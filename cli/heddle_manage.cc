// The program heddle-manage: the commands of heddle that list, print, export and remove results.

#include "cli/base/program.h"
#include "cli/manage/commands.h"
#include "cli/manage/manage.h"
#include "cli/options/heddle_options.h"

namespace heddle::cli {
namespace {

int command(int argc, char** argv) {
  static const CommandFunctions functions = {
      {"ls", [](const HeddleOptions& o) { return ls_command(o.ls); }},
      {"show", [](const HeddleOptions& o) { return show_command(o.show); }},
      {"rm", [](const HeddleOptions& o) { return rm_command(o.rm); }},
      {"report", [](const HeddleOptions& o) { return report_command(o.report); }},
      {"plot", [](const HeddleOptions& o) { return plot_command(o.plot, o.run.command_line); }},
      {"diff", [](const HeddleOptions& o) { return diff_command(o.diff); }},
      {"cite", [](const HeddleOptions& o) { return cite_command(o.cited); }},
      {"replay", [](const HeddleOptions& o) { return replay_command(o.name); }},
      {"export", [](const HeddleOptions& o) { return export_command(o.exported); }},
  };
  return run_command_line("heddle-manage", functions, argc, argv);
}

}  // namespace
}  // namespace heddle::cli

int main(int argc, char** argv) {
  return heddle::cli::run_program(argc, argv, heddle::cli::command);
}
