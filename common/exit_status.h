#pragma once

#include "common/result.h"

namespace heddle {

// Exit statuses of all Heddle programs; `heddle --help` lists them.
inline constexpr int kExitDone = 0;
inline constexpr int kExitJobFailed = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitMachine = 3;
inline constexpr int kExitAborted = 4;
/// Status of commands that found cells of a batch without a record.
inline constexpr int kExitIncomplete = kExitAborted;
inline constexpr int kExitInterrupted = 130;

/// Returns the exit status of a program that could not continue because of this error.
inline int exit_status(const Error& error) {
  switch (error.kind) {
    case Error::Kind::kUsage:
      return kExitUsage;
    case Error::Kind::kMachine:
      return kExitMachine;
    case Error::Kind::kAborted:
      return kExitAborted;
  }
  return kExitAborted;
}

}  // namespace heddle
