#pragma once

namespace heddle {

/// `heddle clean`: removes what dead runs left and says so; never touches a live one. 0, or 3 if
/// something could not be removed.
int clean_command();

}  // namespace heddle
