#pragma once

#include <initializer_list>

#include "common/fd.h"

namespace heddle {

/// Sets the signals that each of our programs needs otherwise than it may have inherited them; to
/// be called first in main. Writing to a pipe that nobody reads and beyond the limit of a file's
/// size then fails (EPIPE, EFBIG) instead of ending the process, and ended children wait to be
/// reaped.
void set_up_signals();

/// Blocks those of the signals that are not ignored. A signal that was ignored when the program
/// started (`nohup`, a job in a shell's background) stays ignored: the kernel keeps a blocked one
/// for later even if it is ignored (kernel/signal.c, sig_ignored). To be called before any thread
/// is made.
void block_signals(std::initializer_list<int> signals);

/// Blocks the signals likewise; returns a descriptor (signalfd) from which they are read.
Fd signals_to_read(std::initializer_list<int> signals);
/// Reads one signal from the descriptor; returns its number, or 0 if none waits.
int next_signal(int signals);

}  // namespace heddle
