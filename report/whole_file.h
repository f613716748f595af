#pragma once

#include <functional>
#include <ostream>
#include <string>

#include "common/fd.h"
#include "common/result.h"

namespace heddle::report {

/// Writes a file as a whole or not at all. `write` writes a file with a random name next to `path`.
/// When `write` has returned without an error and the file is synced, it is moved to its place, so
/// a full disk is reported. Readers see the old file or the new one. After an error the new file is
/// removed. Errors name `path`; those of `write` are unchanged.
Result<void> write_whole(const std::string& path,
                         const std::function<Result<void>(const Fd&)>& write);
Result<void> write_whole(const std::string& path,
                         const std::function<Result<void>(std::ostream&)>& write);

}  // namespace heddle::report
