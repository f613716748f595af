#pragma once

namespace heddle::cli {

/// `heddle clean`: removes what dead runs left and says so; never touches a live one. Names control
/// groups that bear Heddle's name and are not provably of this user's dead runs, which stay. 0, or
/// 3 if something that is ours could not be removed.
int clean_command();

}  // namespace heddle::cli
