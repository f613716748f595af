#include "serve/site.h"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "common/number.h"
#include "report/page/page.h"
#include "report/page/shell.h"
#include "serve/metrics.h"
#include "serve/run_data.h"

namespace heddle::serve {
namespace {

using wire::Json;

constexpr const char* kJson = "application/json";
constexpr const char* kHtml = "text/html; charset=utf-8";
constexpr const char* kMetrics = "/metrics";

constexpr const char* sentence_for(int status) {
  switch (status) {
    case 403:
      return "open the URL that heddle serve printed; its end is the token";
    case 405:
      return "this server only answers GET and HEAD";
    case 503:
      return "too many requests wait; try again later";
  }
  return "there is no such page";
}

Response failure(int status) { return plain_response(status, sentence_for(status)); }

/// Returns the response with this text. If the client already has it, the response is empty.
Response response_of(const ResponseText& made, const Request& request) {
  Response response;
  response.status = made.status;
  response.type = made.status == 200 ? kJson : "text/plain; charset=utf-8";
  response.etag = made.status == 200 ? made.etag : "";
  response.body = made.text;
  if (!response.etag.empty() && request.if_none_match == response.etag) {
    response.status = 304;
    response.body = nullptr;
  }
  return response;
}

/// Returns the part of a chart that a query asks for: first_node, nodes, from and until, in
/// emulated seconds. Returns nullopt if a value is missing or no number. Negative values count as
/// 0.
std::optional<report::ChartWindow> window_of(const Query& query) {
  std::array<double, 4> values{};
  constexpr std::array kKeys = {"first_node", "nodes", "from", "until"};
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    const std::vector<std::string> given = values_of(query, kKeys[i]);
    if (given.size() != 1) return std::nullopt;
    const auto value = read_number<double>(given.front());
    if (!value || !(std::abs(*value) <= 1e9)) return std::nullopt;
    values[i] = std::max(0.0, *value);
  }
  return report::ChartWindow{static_cast<std::size_t>(values[0]),
                             static_cast<std::size_t>(values[1]), emu_seconds(values[2]),
                             emu_seconds(values[3])};
}

Response metrics_response(const std::vector<LiveRun>& runs) {
  Response response;
  response.type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = std::make_shared<const std::string>(metrics_text(runs));
  return response;
}

/// Returns the source that admits a script: 'sha256-…'.
std::string hash_source(std::string_view script) {
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash{};
  crypto_hash_sha256(hash.data(), reinterpret_cast<const unsigned char*>(script.data()),
                     script.size());
  std::array<char,
             sodium_base64_ENCODED_LEN(crypto_hash_sha256_BYTES, sodium_base64_VARIANT_ORIGINAL)>
      text{};
  sodium_bin2base64(text.data(), text.size(), hash.data(), hash.size(),
                    sodium_base64_VARIANT_ORIGINAL);
  return std::string("'sha256-") + text.data() + "'";
}

}  // namespace

std::string script_source(std::string_view shell) {
  constexpr std::string_view kBegin = "<script", kEnd = "</script>";
  std::string sources;
  std::size_t end = 0;
  for (std::size_t at = shell.find(kBegin); at != std::string_view::npos;
       at = shell.find(kBegin, end)) {
    const std::size_t begin = shell.find('>', at) + 1;
    end = shell.find(kEnd, begin);
    assert(end != std::string_view::npos);
    if (shell.substr(at, begin - at).find("application/json") == std::string_view::npos)
      sources += hash_source(shell.substr(begin, end - begin)) + " ";
  }
  return sources + "'unsafe-eval'";
}

Site::Site(std::vector<std::string> dirs, Access access, const LiveBoard& live, PageMakers lists,
           PageMakers pages)
    : access_(std::move(access)),
      live_(live),
      tree_(std::move(dirs)),
      script_(script_source(report::page_shell())),
      list_page_(std::make_shared<const std::string>(report::page_html(
          report::page_shell(), {{"schema", 1}, {"kind", "served"}, {"source", "/api/list"}}))),
      list_makers_(std::move(lists)),
      page_makers_(std::move(pages)),
      lists_(kKeptBytes / 8, kMostWaiting, list_makers_.count),
      runs_(kKeptBytes, kMostWaiting, page_makers_.count) {}

void Site::handle(const Request& request, const Respond& respond) {
  Admission admission = admit(request, access_);
  if (admission.status != 200) return respond(failure(admission.status));
  Respond answer = respond;
  if (admission.set_cookie)
    answer = [respond, cookie = cookie_name(access_) + "=" + access_.token +
                                "; Path=/; HttpOnly; SameSite=Strict"](Response response) {
      response.cookie = cookie;
      respond(std::move(response));
    };
  const std::string& path = admission.path;
  if (path == "/") {
    Response page;
    page.type = kHtml;
    page.script = script_;
    page.body = list_page_;
    return answer(std::move(page));
  }
  if (path == "/run") return answer(run_page(admission.query));
  if (path == "/api/list") return list(request, answer);
  if (path == "/api/data") return data(request, admission.query, answer);
  if (path == "/api/progress") return answer(progress(admission.query));
  if (path == "/api/gantt") return gantt(request, admission.query, answer);
  if (path == "/api/why") return why(request, admission.query, answer);
  if (path == kMetrics) return answer(metrics_response(*live_.runs()));
  answer(failure(404));
}

Response Site::metrics(const Request& request) const {
  if (request.method != "GET" && request.method != "HEAD") return failure(405);
  const std::optional<Target> target = parse_target(request.target);
  if (!target || target->path != kMetrics) return failure(404);
  return metrics_response(*live_.runs());
}

Response Site::run_page(const Query& query) {
  std::optional<Recipe> recipe = data_recipe(query);
  if (!recipe) return failure(404);
  // The data of a large run is made while the browser reads the page.
  runs_.ask(*std::move(recipe), [](const ResponseText&) {});
  std::string source = "/api/data";
  for (const std::string& id : values_of(query, "run"))
    source += (source.ends_with("data") ? "?run=" : "&run=") + escaped(id);
  Response page;
  page.type = kHtml;
  page.script = script_;
  page.body = std::make_shared<const std::string>(report::page_html(
      report::page_shell(), {{"schema", 1}, {"kind", "served"}, {"source", source}}));
  return page;
}

void Site::list(const Request& request, const Respond& respond) {
  // The directories are searched again each time that pause_after() admits it.
  const auto changes = [] {
    return std::to_string(std::chrono::steady_clock::now().time_since_epoch().count());
  };
  Recipe recipe{"list", changes, [this] { return list_makers_.make({}); }};
  const bool asked = lists_.ask(std::move(recipe), [this, request,
                                                    respond](const ResponseText& made) {
    if (made.status != 200) return respond(response_of(made, request));
    Json running = Json::array();
    const LiveBoard::Runs live = live_.runs();  // keeps the runs while others take their place
    for (const LiveRun& run : *live) running.push_back(live_json(run, tree_.id_of(run)));
    const std::string text = "{\"schema\":1,\"kind\":\"list\",\"live\":true,\"running\":" +
                             running.dump(-1, ' ', false, Json::error_handler_t::replace) + "," +
                             made.text->substr(1);
    respond(response_of({200, std::make_shared<const std::string>(text), etag_of(text)}, request));
  });
  if (!asked) respond(failure(503));
}

std::optional<Recipe> Site::data_recipe(const Query& query) {
  const std::vector<std::string> ids = values_of(query, "run");
  if (ids.empty() || ids.size() > kMostPicked) return std::nullopt;
  Places places;
  const LiveBoard::Runs live = live_.runs();
  PageRequest asked{.kind = PageRequest::Kind::kData};
  std::string key;
  for (const std::string& id : ids) {
    Result<ResultPlace> place = tree_.find(id);
    if (!place) return std::nullopt;
    places.push_back(std::make_shared<const ResultPlace>(*std::move(place)));
    const LiveRun* going_on = live_run_in(*places.back(), *live);
    if (going_on) asked.live.push_back(*going_on);
    const PageRequest one = request_for(asked.kind, id);
    asked.ids.push_back(id);
    asked.elsewhere.insert(one.elsewhere.begin(), one.elsewhere.end());
    // The end of a run changes the key, so that its page is made at once.
    key += (going_on ? "live " : "ended ") + id + "\n";
  }
  return Recipe{key,
                [places] {
                  std::string stamp;
                  for (const auto& place : places) stamp += place->stamp();
                  return stamp;
                },
                [this, asked] { return page_makers_.make(asked); }};
}

PageRequest Site::request_for(PageRequest::Kind kind, const std::string& id) const {
  PageRequest request{.kind = kind, .ids = {id}};
  const std::string root = id.substr(0, id.find('/'));
  if (const std::optional<std::string> path = tree_.elsewhere(root))
    request.elsewhere.emplace(root, *path);
  return request;
}

void Site::data(const Request& request, const Query& query, const Respond& respond) {
  std::optional<Recipe> recipe = data_recipe(query);
  if (!recipe) return respond(failure(404));
  const bool asked = runs_.ask(*std::move(recipe), [request, respond](const ResponseText& made) {
    respond(response_of(made, request));
  });
  if (!asked) respond(failure(503));
}

Response Site::progress(const Query& query) const {
  Json shares = Json::array();
  for (const std::string& id : values_of(query, "run"))
    if (const std::optional<double> share = page_makers_.share_read(id)) shares.push_back(*share);
  Response response;
  response.type = kJson;
  response.body = std::make_shared<const std::string>(shares.dump());
  return response;
}

void Site::gantt(const Request& request, const Query& query, const Respond& respond) {
  const std::vector<std::string> ids = values_of(query, "run");
  const std::optional<report::ChartWindow> window = window_of(query);
  if (ids.size() != 1 || !window) return respond(failure(404));
  Result<ResultPlace> found = tree_.find(ids.front());
  if (!found) return respond(failure(404));
  const auto place = std::make_shared<const ResultPlace>(*std::move(found));
  PageRequest asked_for = request_for(PageRequest::Kind::kGantt, ids.front());
  asked_for.window = *window;
  Recipe recipe{"gantt " + request.target, [place] { return place->stamp(); },
                [this, asked_for] { return page_makers_.make(asked_for); }};
  const bool asked = runs_.ask(std::move(recipe), [request, respond](const ResponseText& made) {
    respond(response_of(made, request));
  });
  if (!asked) respond(failure(503));
}

void Site::why(const Request& request, const Query& query, const Respond& respond) {
  const std::vector<std::string> ids = values_of(query, "run"), jobs = values_of(query, "job");
  if (ids.size() != 1 || jobs.size() != 1) return respond(failure(404));
  Result<ResultPlace> found = tree_.find(ids.front());
  if (!found) return respond(failure(404));
  const auto place = std::make_shared<const ResultPlace>(*std::move(found));
  PageRequest asked_for = request_for(PageRequest::Kind::kWhy, ids.front());
  asked_for.job = jobs.front();
  Recipe recipe{"why " + ids.front() + "\n" + jobs.front(), [place] { return place->stamp(); },
                [this, asked_for] { return page_makers_.make(asked_for); }};
  const bool asked = runs_.ask(std::move(recipe), [request, respond](const ResponseText& made) {
    respond(response_of(made, request));
  });
  if (!asked) respond(failure(503));
}

}  // namespace heddle::serve
