#pragma once

namespace heddle::cli {

/// Runs the main function of a program for people: sets up descriptors, signals and printable
/// output, runs `command`, and returns its exit status. The status is kExitAborted after an
/// exception, or if output could not be written. A closed pipe (`| head`) is no such failure.
int run_program(int argc, char** argv, int (*command)(int argc, char** argv));

}  // namespace heddle::cli
