#pragma once

#include <string>

namespace heddle::cli {

/// Sets up descriptors, signals and printable output for a program that people use. Then runs
/// `command`, the main function of the program, and returns its exit status. Returns kExitAborted
/// after an exception, or if output could not be written. If the reader of a pipe has closed it, as
/// `head` does, the output does not count as failed.
int run_program(int argc, char** argv, int (*command)(int argc, char** argv));

}  // namespace heddle::cli
