#pragma once

#include <string>
#include <string_view>

#include "report/history.h"

namespace heddle::report {

/// Returns the shell with the data in it. The result is one HTML file that needs no other file. No
/// text in the data can end the HTML element that contains the data. Only the page of a server
/// (`kind` "served" or "list") may load something, and only from that server.
std::string page_html(std::string_view shell, const wire::Json& data);

/// Returns kUsage if the file at `path` exists and is not a Heddle page. Heddle replaces pages, but
/// never overwrites other files.
Result<void> check_page_place(const std::string& path);

/// Returns the data of one run's page, including its samples (report/page/data.h). Errors come from
/// reading the samples.
Result<wire::Json> run_page_data(const std::string& dir, const RunHistory& history,
                                 const std::string& label);

/// Returns the content of a result directory for a page without a server: run_page_data() with the
/// answers to why jobs waited (page/why.h).
Result<wire::Json> whole_run_data(const std::string& dir, const RunHistory& history,
                                  const std::string& label);

/// Writes the page of one run in `dir` to `path`, replacing an existing page.
Result<void> write_run_page(const RunHistory& history, const std::string& dir,
                            const std::string& path);

/// Writes a page as a whole or not at all. `data` is the result of page_of_runs(), or compare.json
/// or sweep.json unchanged.
Result<void> write_page(const std::string& path, const wire::Json& data);

/// Writes the page of compare.json or sweep.json. A comparison can have `runs` in addition: the
/// data of runs, labeled with their policies. Error (kUsage): `comparison` is not one of these.
Result<void> write_comparison_page(const std::string& path, const wire::Json& comparison);

}  // namespace heddle::report
