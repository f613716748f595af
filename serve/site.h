#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "serve/http_server.h"
#include "serve/live.h"
#include "serve/page_maker.h"
#include "serve/result_tree.h"
#include "serve/text_cache.h"

namespace heddle::serve {

// Memory that made texts take, and the number of texts that can wait to be made.
inline constexpr std::size_t kKeptBytes = 256 * 1024 * 1024;
inline constexpr std::size_t kMostWaiting = 64;
/// Number of runs on one page.
inline constexpr std::size_t kMostPicked = 50;

/// The pages and data of a server. handle() decides what a request gets. Lists have
/// makers of their own, so that they wait for no page.
class Site {
 public:
  /// `lists` makes lists, and `pages` everything else. `live` must outlive the site.
  Site(std::vector<std::string> dirs, Access access, const LiveBoard& live, PageMakers lists,
       PageMakers pages);

  /// Answers a request (Handler).
  void handle(const Request& request, const Respond& respond);
  /// Answers a request for the metrics that came through a socket which only the allowed users can
  /// open, so it needs no token. There is nothing else.
  Response metrics(const Request& request) const;

 private:
  void list(const Request& request, const Respond& respond);
  /// Returns how to make the data of the page of these runs, or nullopt if there is no such page.
  std::optional<Recipe> data_recipe(const Query& query);
  /// Returns a request for data of this result alone.
  PageRequest request_for(PageRequest::Kind kind, const std::string& id) const;
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
  const PageMakers list_makers_, page_makers_;
  TextCache lists_, runs_;
};

/// Returns the sources that admit the scripts of the page's shell, and the evaluation of text by
/// which Vega computes charts: 'sha256-…' 'sha256-…' 'unsafe-eval'. Data, which are of the type
/// application/json, are no script.
std::string script_source(std::string_view shell);

}  // namespace heddle::serve
