#pragma once

#include <initializer_list>

#include "common/fd.h"

namespace heddle {

/// Sets the signal dispositions that each Heddle program needs, whatever it inherited. Call this
/// first in main. Afterwards, writing to a pipe without readers or beyond the file size limit fails
/// (EPIPE, EFBIG) instead of ending the process, and ended children wait to be reaped.
void set_up_signals();

/// Blocks the given signals, except those that are ignored. A signal that was ignored when the
/// program started (`nohup`, a background job of a shell) stays ignored: the kernel would keep a
/// blocked signal for later even if it is ignored (kernel/signal.c, sig_ignored). Call this before
/// any thread is made.
void block_signals(std::initializer_list<int> signals);

/// Blocks the signals like block_signals(), and returns a descriptor (signalfd) to read them from.
Fd signals_to_read(std::initializer_list<int> signals);
/// Reads one signal from the descriptor. Returns its number, or 0 if none is pending.
int next_signal(int signals);

}  // namespace heddle
