#include "report/page/page.h"

#include <sys/stat.h>

#include <array>
#include <cassert>
#include <filesystem>
#include <fstream>
#include <future>

#include "common/file.h"
#include "common/result_files.h"
#include "report/page/data.h"
#include "report/page/series.h"
#include "report/page/shell.h"
#include "report/page/why.h"

namespace heddle::report {
namespace {

using wire::Json;

/// Place of the data in the shell. The second text is the beginning of every page of Heddle.
constexpr std::string_view kPlace = "\"heddle data\"";
constexpr std::string_view kMark = "<!doctype html><!-- heddle report -->";

/// Part of the shell's Content-Security-Policy, and what pages of a server have instead.
constexpr std::string_view kClosed = "default-src 'none';";
constexpr std::string_view kOpenToServer = "default-src 'none'; connect-src 'self';";

bool is_served(const Json& data) {
  if (!data.is_object()) return false;
  const auto kind = data.find("kind");
  return kind != data.end() && (*kind == "served" || *kind == "list");
}

/// Returns when a file was written, in seconds since 1970, or null.
Json written_at(const std::string& path) {
  struct stat about {};
  return ::stat(path.c_str(), &about) == 0 ? Json(about.st_mtime) : Json();
}

/// Returns the data as JSON in which a browser cannot find HTML, such as the end of the script
/// element.
std::string embeddable(const Json& data) {
  const std::string text = data.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size() + text.size() / 50);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<')
      safe += "\\u003c";
    else if (text.compare(i, 3, "\u2028") == 0 || text.compare(i, 3, "\u2029") == 0)
      safe += text[i + 2] == '\xa8' ? "\\u2028" : "\\u2029", i += 2;
    else
      safe += text[i];
  }
  return safe;
}

bool is_our_page(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::array<char, kMark.size()> beginning{};
  in.read(beginning.data(), beginning.size());
  return std::string_view(beginning.data(), static_cast<std::size_t>(in.gcount())) == kMark;
}

/// Returns the measured use of the cluster and of its nodes over time.
Result<Json> used_json(const std::string& dir, const RunHistory& history) {
  UsedSeries used(history);
  HEDDLE_TRY(each_sample(
      dir, history.scenario, [&](const UsageSample& sample) { used.take(sample); }, false));
  return used.json();
}

}  // namespace

std::string page_html(std::string_view shell, const Json& data) {
  const std::size_t place = shell.find(kPlace);
  assert(place != std::string_view::npos);
  std::string page(shell.substr(0, place));
  page += embeddable(data);
  page += shell.substr(place + kPlace.size());
  if (!is_served(data)) return page;
  const std::size_t policy = page.find(kClosed);
  assert(policy < place);
  return page.replace(policy, kClosed.size(), kOpenToServer);
}

Result<void> check_page_place(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return {};
  if (std::filesystem::is_directory(path, error))
    return usage_error(path + ": is a directory; expected a file");
  if (!std::filesystem::is_regular_file(path, error) || !is_our_page(path))
    return usage_error(
        path + ": exists already and is not a page of Heddle; expected another file with --out");
  return {};
}

Result<Json> run_page_data(const std::string& dir, const RunHistory& history,
                           const std::string& label) {
  // The samples can be most of a result, so they are read while everything else is computed.
  std::future<Result<Json>> used = std::async([&] { return used_json(dir, history); });
  Json data = page_data(history, label, dir, nullptr);
  HEDDLE_TRY(put(used.get(), data["used"]));
  if (data["date"].is_null()) data["date"] = written_at(scenario_path(dir));
  return data;
}

Result<Json> whole_run_data(const std::string& dir, const RunHistory& history,
                            const std::string& label) {
  Result<Json> data = run_page_data(dir, history, label);
  if (data) data->update(page_why(dir, history));
  return data;
}

Result<void> write_page(const std::string& path, const Json& data) {
  HEDDLE_TRY(check_page_place(path));
  return replace_file(path, page_html(page_shell(), data));
}

Result<void> write_run_page(const RunHistory& history, const std::string& dir,
                            const std::string& path) {
  Result<Json> run = whole_run_data(dir, history, run_labels({dir}, {history.summary}).front());
  if (!run) return std::move(run).error();
  return write_page(path, page_of_runs({*std::move(run)}));
}

Result<void> write_comparison_page(const std::string& path, const Json& comparison) {
  const std::string kind =
      comparison.is_object() && comparison.contains("kind") && comparison["kind"].is_string()
          ? comparison["kind"].get<std::string>()
          : "";
  if (kind != "compare" && kind != "sweep")
    return usage_error(
        "neither a comparison nor a sweep: its \"kind\" should be \"compare\" or "
        "\"sweep\", not \"" +
        kind + "\"");
  return write_page(path, comparison);
}

}  // namespace heddle::report
