#pragma once

#include <functional>
#include <ostream>
#include <string>

#include "common/fd.h"
#include "common/result.h"

namespace heddle::report {

/// Makes a file of what `write` writes, whole or not at all: beside its place, under a random name,
/// and put there once `write` has returned without an error and it is synced, so that a full disk
/// is reported. Readers see the old file or the new one. What was written is removed otherwise.
/// Errors name `path`; those of `write` stay as they are.
Result<void> write_whole(const std::string& path,
                         const std::function<Result<void>(const Fd&)>& write);
Result<void> write_whole(const std::string& path,
                         const std::function<Result<void>(std::ostream&)>& write);

}  // namespace heddle::report
