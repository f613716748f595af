#pragma once

namespace heddle::cli {

/// The main function of a program for people: sets up descriptors, signals and printable output,
/// runs `command`, and returns its exit status. An exception becomes kExitAborted; so does output
/// that could not be written, unless it was a pipe whose reader went away (`| head`).
int run_program(int argc, char** argv, int (*command)(int argc, char** argv));

}  // namespace heddle::cli
