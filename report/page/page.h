#pragma once

#include <string>
#include <string_view>

#include "report/history.h"

namespace heddle::report {

/// Returns the page without its data, as made by report/page/build.mjs: styles, script and the
/// notices of the bundled libraries.
std::string_view page_shell();

/// Returns the shell with the data, one HTML file that needs nothing else. No text in the data can
/// end the element that contains the data.
std::string page_html(std::string_view shell, const wire::Json& data);

/// Returns kUsage if the file at `path` exists and is not a Heddle page. Pages are replaced; other
/// files are never overwritten.
Result<void> check_page_place(const std::string& path);

/// Returns the data of one run's page, including its samples (report/page/data.h). Errors are those
/// of the samples.
Result<wire::Json> run_page_data(const std::string& dir, const RunHistory& history,
                                 const std::string& label);

/// Writes the page of one run in `dir` to `path`, replacing an existing page.
Result<void> write_run_page(const RunHistory& history, const std::string& dir,
                            const std::string& path);

/// Writes a page as a whole or not at all. `data` is the result of page_of_runs(), or compare.json
/// or sweep.json unchanged.
Result<void> write_page(const std::string& path, const wire::Json& data);

/// Writes the page of compare.json or sweep.json. Errors: kUsage if `comparison` is neither.
Result<void> write_comparison_page(const std::string& path, const wire::Json& comparison);

}  // namespace heddle::report
