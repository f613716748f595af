#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "serve/http_server.h"
#include "serve/large_runs.h"
#include "serve/live.h"
#include "serve/result_tree.h"
#include "serve/text_cache.h"

namespace heddle::serve {

// Memory that made texts take, and the number of texts that can wait to be made.
inline constexpr std::size_t kKeptBytes = 256 * 1024 * 1024;
inline constexpr std::size_t kMostWaiting = 64;
/// Number of runs on one page.
inline constexpr std::size_t kMostPicked = 50;

/// The pages and data of a server. handle() decides what a request gets. Data are made in two
/// threads, so that the list does not wait for the data of a large run.
class Site {
 public:
  /// `live` must outlive the site.
  Site(std::vector<std::string> dirs, Access access, const LiveBoard& live);

  /// Answers a request (Handler).
  void handle(const Request& request, const Respond& respond);

 private:
  void list(const Request& request, const Respond& respond);
  /// Returns how to make the data of the page of these runs, or nullopt if there is no such page.
  std::optional<Recipe> data_recipe(const Query& query);
  void data(const Request& request, const Query& query, const Respond& respond);
  /// Returns the shares of journals that are read while the indexes of large runs are made.
  Response progress(const Query& query) const;
  void gantt(const Request& request, const Query& query, const Respond& respond);
  void why(const Request& request, const Query& query, const Respond& respond);
  Response run_page(const Query& query);

  const Access access_;
  const LiveBoard& live_;
  ResultTree tree_;
  std::string script_;  ///< source of the page's scripts (CSP)
  std::shared_ptr<const std::string> list_page_;
  LargeRuns large_;  ///< the thread of runs_ uses it
  TextCache lists_, runs_;
};

/// Returns the sources that admit the scripts of the page's shell, and the evaluation of text by
/// which Vega computes charts: 'sha256-…' 'sha256-…' 'unsafe-eval'. Data, which are of the type
/// application/json, are no script.
std::string script_source(std::string_view shell);

}  // namespace heddle::serve
