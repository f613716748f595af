#include "cli/base/program.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <string>

#include "cli/base/exit_status.h"
#include "cli/base/printable_stream.h"
#include "common/fd.h"
#include "common/signals.h"

namespace heddle::cli {
namespace {

int with_output_written(int status) {
  std::cout.flush();
  struct stat out {};
  if ((std::fflush(stdout) == 0 && std::ferror(stdout) == 0) ||
      (::fstat(STDOUT_FILENO, &out) == 0 && (S_ISFIFO(out.st_mode) || S_ISSOCK(out.st_mode))))
    return status;
  say("could not write to standard output");
  return came_to_its_end(status) ? kExitAborted : status;
}

}  // namespace

int run_program(int argc, char** argv, int (*command)(int argc, char** argv)) {
  open_standard_descriptors();
  set_up_signals();
  const PrintableStream output(std::cout, stdout);
  try {
    return with_output_written(command(argc, argv));
  } catch (const std::exception& error) {
    say(std::string("internal error: ") + error.what());
    return kExitAborted;
  }
}

}  // namespace heddle::cli
