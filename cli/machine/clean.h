#pragma once

namespace heddle::cli {

/// `heddle clean`: removes what dead runs have left, and prints what it removed. Live runs are
/// never touched. If a control group has Heddle's name but cannot be proved to belong to a dead run
/// of this user, the group is listed and kept. Returns 0, or 3 if something that belongs to this
/// user could not be removed.
int clean_command();

}  // namespace heddle::cli
