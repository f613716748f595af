#pragma once

#include <string>
#include <string_view>

#include "report/history.h"

namespace heddle::report {

/// The page without its data, as report/page/build.mjs made it: styles, script and the notices of
/// the libraries in it.
std::string_view page_shell();

/// The shell with the data in it, one HTML file that needs nothing else. No text of the data can
/// end the element it stands in.
std::string page_html(std::string_view shell, const wire::Json& data);

/// kUsage if there is something at `path` that is not a page of ours: pages are made anew, other
/// files are never overwritten.
Result<void> check_page_place(const std::string& path);

/// The data of one run's page, with what its samples tell (page_data.h). Errors are those of the
/// samples.
Result<wire::Json> run_page_data(const std::string& dir, const RunHistory& history,
                                 const std::string& label);

/// The page of one run in its directory, in place of what is at `path`.
Result<void> write_run_page(const RunHistory& history, const std::string& dir,
                            const std::string& path);

/// Writes a page, whole or not at all: `data` as page_of_runs() makes it, or compare.json or
/// sweep.json as they are.
Result<void> write_page(const std::string& path, const wire::Json& data);

/// The same of compare.json or sweep.json. Errors: kUsage if it is neither.
Result<void> write_comparison_page(const std::string& path, const wire::Json& comparison);

}  // namespace heddle::report
