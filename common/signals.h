#pragma once

#include <initializer_list>

#include "common/fd.h"

namespace heddle {

/// Sets the signal dispositions that each Heddle program needs. A program can inherit other ones.
/// Call this first in main. Afterwards, a write to a pipe without readers or beyond the file size
/// limit fails with EPIPE or EFBIG and does not end the process. A child that has ended stays until
/// the program waits for it.
void set_up_signals();

/// Blocks the given signals, except signals that are ignored. A signal can be ignored from the
/// start of the program (`nohup`, a background job of a shell), and then stays ignored. If it were
/// blocked, the kernel would keep it as pending (kernel/signal.c, sig_ignored). Call this before
/// any thread is made.
void block_signals(std::initializer_list<int> signals);

/// Blocks the signals as block_signals() does. Returns a descriptor (signalfd) from which the
/// signals can be read.
Fd signals_to_read(std::initializer_list<int> signals);
/// Reads one signal from the descriptor. Returns the number of the signal, or 0 if no signal is
/// pending.
int next_signal(int signals);

}  // namespace heddle
