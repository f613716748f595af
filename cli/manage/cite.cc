#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>

#include "cli/base/exit_status.h"
#include "cli/manage/commands.h"
#include "cli/manage/papers.h"
#include "cli/results/results.h"
#include "common/command_line/version.h"
#include "common/file.h"
#include "common/installed.h"
#include "common/result_files.h"
#include "common/text.h"
#include "yaml/tree.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using wire::Json;

constexpr const char* kCitationFile = "CITATION.cff";
/// Deepest directory below an experiment that has a run.
constexpr int kDeepest = 2;

std::string text_of(const YamlNode& map, std::string_view key) {
  const YamlNode* value = map.find(key);
  return value ? value->text : "";
}

/// Returns an author of a citation file: a person, or the name of a group.
std::string author_text(const YamlNode& author) {
  const std::string name = text_of(author, "name");
  if (!name.empty()) return "{" + name + "}";
  return text_of(author, "family-names") + ", " + text_of(author, "given-names");
}

/// Returns the BibTeX entry of Heddle, from its citation file.
Result<std::string> entry_of_heddle() {
  const std::string path = data_path(kCitationFile);
  if (path.empty()) return machine_error(missing_data(kCitationFile));
  const Result<std::string> text = read_file(path);
  if (!text) return text.error();
  const Result<YamlNode> citation = parse_yaml(*text, path);
  if (!citation) return citation.error();
  std::vector<std::string> authors;
  if (const YamlNode* list = citation->find("authors"))
    for (const YamlNode& author : list->items) authors.push_back(author_text(author));
  return "@misc{heddle,\n  author = {" + join(authors, " and ") + "},\n  title = {" +
         text_of(*citation, "title") + "},\n  year = {" + commit_date().substr(0, 4) +
         "},\n  note = {Version " HEDDLE_VERSION ", " + commit_text() + "}\n}\n";
}

/// Returns the paths of the summaries in a directory of results and below, in order.
std::vector<std::string> summaries_in(const std::string& dir) {
  std::set<std::string> paths;
  std::error_code error;
  for (fs::recursive_directory_iterator at(dir, error), end; !error && at != end;
       at.increment(error)) {
    if (at.depth() >= kDeepest) at.disable_recursion_pending();
    if (at->path().filename() == kSummaryFile) paths.insert(at->path().string());
  }
  return {paths.begin(), paths.end()};
}

/// Adds the papers that the policies of a result use.
Result<void> add_papers(const std::string& dir, std::set<const Paper*>& used) {
  std::error_code error;
  if (!fs::is_directory(dir, error))
    return usage_error(dir + ": no such directory; expected a directory of results");
  const std::vector<std::string> summaries = summaries_in(dir);
  if (summaries.empty())
    return usage_error(dir + ": there is no " + kSummaryFile +
                       " in it or below; expected results that have ended, of a batch with --keep "
                       "first or all");
  for (const std::string& path : summaries) {
    const Result<std::string> text = read_found_file(path, kMostResultBytes);
    if (!text) return text.error();
    const Json summary = wire::parse_json(*text);
    if (!summary.is_object() || !summary.contains("policy") || !summary["policy"].is_object() ||
        !summary["policy"].contains("preset") || !summary["policy"]["preset"].is_string())
      return aborted_error(path + ": the file is damaged; expected the summary of a run");
    for (const Paper* paper : papers_of(summary["policy"])) used.insert(paper);
  }
  if (fs::exists(summary_path(dir), error)) (void)say_doubts(dir, {kSummaryFile});
  return {};
}

}  // namespace

Result<int> cite_command(const std::vector<std::string>& results) {
  Result<std::string> heddle = entry_of_heddle();
  if (!heddle) return std::move(heddle).error();
  std::set<const Paper*> used;
  for (const std::string& dir : results) HEDDLE_TRY(add_papers(dir, used));
  std::cout << *heddle;
  for (const Paper& paper : papers()) {
    if (!used.contains(&paper)) continue;
    std::cout << "\n" << paper.bibtex << "\n";
    if (!paper.complete)
      say("the entry " + std::string(paper.key) +
          " has no authors, title and venue, because they are not known here: add them");
  }
  return kExitDone;
}

}  // namespace heddle::cli
