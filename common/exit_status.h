#pragma once

#include "common/result.h"

namespace heddle {

// Exit statuses of all our programs, as `heddle --help` tells them.
inline constexpr int kExitDone = 0;
inline constexpr int kExitJobFailed = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitMachine = 3;
inline constexpr int kExitAborted = 4;
inline constexpr int kExitInterrupted = 130;

/// The status with which a program ends that could not go on for this reason.
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
