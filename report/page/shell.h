#pragma once

#include <string_view>

namespace heddle::report {

/// Returns the page without its data. It has the styles, the script and the notices of the bundled
/// libraries. report/page/build.mjs makes it.
std::string_view page_shell();

}  // namespace heddle::report
