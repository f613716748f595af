#include "serve/page_maker.h"

#include <array>
#include <memory>

#include "report/catalog.h"
#include "serve/run_data.h"
#include "wire/fields.h"

namespace heddle::serve {
namespace {

using wire::Fields;
using wire::Json;

constexpr std::array<std::string_view, 4> kKinds = {"list", "data", "gantt", "why"};
constexpr std::size_t kMostIds = 1000;

Json json_of(const LiveRun& run) {
  Json events = Json::array();
  for (const LiveEvent& event : run.events) events.push_back({event.t, event.text});
  return {{"device", run.device}, {"inode", run.inode}, {"events", std::move(events)}};
}

LiveRun live_run_from(const Json& json) {
  const Fields fields(json, "live");
  LiveRun run;
  run.device = fields.unsigned_integer("device");
  run.inode = fields.unsigned_integer("inode");
  for (const Json& event : fields.array("events", kMostEvents))
    run.events.push_back({event.at(0).get<double>(), event.at(1).get<std::string>()});
  return run;
}

}  // namespace

std::string to_text(const PageRequest& request) {
  Json live = Json::array();
  for (const LiveRun& run : request.live) live.push_back(json_of(run));
  const report::ChartWindow& window = request.window;
  const Json json = {
      {"kind", kKinds[static_cast<std::size_t>(request.kind)]},
      {"ids", request.ids},
      {"elsewhere", request.elsewhere},
      {"live", std::move(live)},
      {"window", {window.first_node, window.nodes, window.from.count(), window.until.count()}},
      {"job", request.job}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<PageRequest> parse_page_request(std::string_view text) {
  try {
    const Json json = wire::parse_json(text);
    const Fields fields(json, "request");
    PageRequest request;
    request.kind = static_cast<PageRequest::Kind>(fields.word("kind", kKinds));
    for (const Json& id : fields.array("ids", kMostIds))
      request.ids.push_back(id.get<std::string>());
    request.elsewhere = json.at("elsewhere").get<std::map<std::string, std::string>>();
    for (const Json& run : fields.array("live", kMostIds))
      request.live.push_back(live_run_from(run));
    const std::vector<Json>& window = fields.array("window", 4);
    request.window = {window.at(0).get<std::size_t>(), window.at(1).get<std::size_t>(),
                      EmuTime(window.at(2).get<std::int64_t>()),
                      EmuTime(window.at(3).get<std::int64_t>())};
    request.job = json.at("job").get<std::string>();
    return request;
  } catch (const wire::BadField&) {
    return std::nullopt;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

ResponseText PageMaker::list() const {
  const report::ResultList found = report::list_results(tree_.dirs());
  Json results = Json::array();
  for (const report::ResultEntry& entry : found.entries)
    results.push_back(list_entry(entry, tree_.id_of(entry.path), entry.path));
  return response_text(Json{{"results", std::move(results)}, {"problems", found.problems}});
}

ResponseText PageMaker::make(const PageRequest& request) {
  using enum PageRequest::Kind;
  if (request.kind == kList) return list();
  for (const auto& [root, path] : request.elsewhere) tree_.put_elsewhere(root, path);
  Places places;
  for (const std::string& id : request.ids) {
    Result<ResultPlace> place = tree_.find(id);
    if (!place) return failed(place.error());
    places.push_back(std::make_shared<const ResultPlace>(*std::move(place)));
  }
  if (request.kind == kData) return page_data_of(places, request.live, large_);
  if (places.size() != 1) return failed(usage_error("expected one result"));
  if (request.kind == kGantt) return large_.piece(*places.front(), request.window);
  return why_of(*places.front(), request.job);
}

}  // namespace heddle::serve
