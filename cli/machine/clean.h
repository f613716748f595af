#pragma once

namespace heddle::cli {

/// `heddle clean`: removes what dead runs left and prints it; live runs are never touched. Control
/// groups that have Heddle's name but are not provably of this user's dead runs are listed and
/// kept. Returns 0, or 3 if something that belongs to this user could not be removed.
int clean_command();

}  // namespace heddle::cli
