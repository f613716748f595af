#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/page/pieces.h"
#include "serve/large_runs.h"
#include "serve/live.h"
#include "serve/result_tree.h"
#include "serve/text_cache.h"

namespace heddle::serve {

/// Which data are to be made. A server sends this to a process that makes them.
struct PageRequest {
  enum class Kind { kList, kData, kGantt, kWhy };
  Kind kind = Kind::kList;
  std::vector<std::string> ids = {};  ///< of results; one with kGantt and kWhy, none with kList
  std::map<std::string, std::string> elsewhere = {};  ///< the paths of roots in `ids` (ResultTree)
  std::vector<LiveRun> live = {};  ///< running runs; of each only its directory and its events
  report::ChartWindow window{};    ///< with kGantt
  std::string job = {};            ///< with kWhy
};
std::string to_text(const PageRequest& request);
/// Returns nullopt if the text is not what to_text() returns.
std::optional<PageRequest> parse_page_request(std::string_view text);

/// Makes data of pages. One thread uses this object, but any thread can call share_read().
class PageMaker {
 public:
  /// `dirs`: the directories that the server shows (ResultTree).
  explicit PageMaker(std::vector<std::string> dirs) : tree_(std::move(dirs)) {}

  /// Returns the data as JSON: the results and problems of the list without the running runs, the
  /// data of a page (page_data_of), a piece of a chart, or the explanation of a job's waiting.
  ResponseText make(const PageRequest& request);
  /// Returns the share of a large run's journal that is read, as LargeRuns does.
  std::optional<double> share_read(const std::string& id) const { return large_.share_read(id); }

 private:
  ResponseText list() const;

  ResultTree tree_;
  LargeRuns large_;
};

/// How a site gets data made. `make` can be called by `count` threads at the same time.
struct PageMakers {
  std::function<ResponseText(const PageRequest&)> make;
  std::function<std::optional<double>(const std::string& id)> share_read;
  std::size_t count = 1;
};

}  // namespace heddle::serve
