#pragma once

#include <functional>
#include <ostream>
#include <string>

#include "common/fd.h"
#include "common/result.h"

namespace heddle::report {

/// Writes a whole file or nothing. `write` writes a new file with a random name next to `path`.
/// After `write` has returned without an error, the new file is synced, so that a full disk is
/// reported. Then the new file is moved to `path`, and the directory is synced. Readers see either
/// the old file or the new file, also after a power failure.
/// After an error, the new file is removed. Errors name `path`, but errors of `write` are returned
/// unchanged.
Result<void> write_whole(const std::string& path,
                         const std::function<Result<void>(const Fd&)>& write);
Result<void> write_whole(const std::string& path,
                         const std::function<Result<void>(std::ostream&)>& write);

}  // namespace heddle::report
