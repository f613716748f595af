#include "cli/archive/readme.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/text.h"

namespace heddle::cli {
namespace {

using report::ArchivedPart;
using report::ArchivedResult;
using report::ArchiveManifest;

bool has(const ArchiveManifest& manifest, bool simulated) {
  return std::ranges::any_of(manifest.results, [&](const ArchivedResult& result) {
    return std::ranges::any_of(
        result.parts, [&](const ArchivedPart& part) { return part.simulated == simulated; });
  });
}

/// Returns the command by which the archive is reproduced.
std::string command_of(const ArchiveManifest& manifest) {
  return std::string(has(manifest, false) ? "sudo " : "") + "heddle reproduce FILE.tar.zst" +
         (manifest.programs.empty() ? "" : " --allow-exec --task-user nobody");
}

std::string how_to(const ArchiveManifest& manifest) {
  std::string text = "## Reproduce\n\n```sh\n" + command_of(manifest) + "\n```\n\n";
  text +=
      "FILE.tar.zst is this archive. The command checks the SHA-256 of every file, makes all "
      "results again in a new directory, "
      "and prints a verdict on each.\n";
  if (has(manifest, true)) text += "\n- A simulation must give equal figures.\n";
  if (has(manifest, false))
    text += std::string(has(manifest, true) ? "" : "\n") +
            "- A real run must be within the range of the archived runs, or of the simulations "
            "with other delays, plus 10 %. Other programs on the machine disturb it. "
            "`--simulate-only` simulates real runs instead, and needs no root.\n";
  if (!manifest.programs.empty())
    text +=
        "- The policies of some results are programs in this archive. They start only with "
        "`--allow-exec`. Read them first.\n";
  return text;
}

std::string result_text(const ArchivedResult& result,
                        const std::map<std::string, std::string>& tables) {
  std::string text = "\n### " + result.name + "\n\n";
  const auto line = [&](const std::string& title, const std::string& value) {
    if (!value.empty()) text += "- " + title + ": " + printable_line(value) + "\n";
  };
  line("kind", std::string(name_of(result.kind)) + (result.mode.empty() ? "" : ", " + result.mode));
  line("scenario", result.scenario);
  line("policies", join(result.policies));
  line("version", result.version.empty() ? "" : "Heddle " + result.version);
  std::vector<std::string> words;
  for (const std::string& word : result.command) words.push_back(shell_word(word));
  if (!words.empty()) line("command", "`" + join(words, " ") + "`");
  if (result.real_s && result.mode != "simulated")
    line("real time of the runs", fmt::format("{:.0f} s", *result.real_s));
  for (const std::string& doubt : result.doubts) line("unverified", doubt);
  for (const ArchivedPart& part : result.parts) {
    const auto table = tables.find(part.directory);
    text += "\n`" + part.directory + "` (" + (part.simulated ? "simulated" : "real") + "):\n\n" +
            (table == tables.end() ? "" : table->second);
  }
  return text;
}

}  // namespace

std::string readme_of(const ArchiveManifest& manifest,
                      const std::map<std::string, std::string>& tables) {
  std::string text =
      "# Results of Heddle\n\nThis archive was made by Heddle " + manifest.version +
      ". It has scenarios, plans, programs and figures of " +
      std::to_string(manifest.results.size()) +
      (manifest.results.size() == 1 ? " result" : " results") + ".\n\n" + how_to(manifest) +
      "\n## Files\n\n| file | content |\n|---|---|\n"
      "| `manifest.json` | the results, and the size and the SHA-256 of each file |\n"
      "| `results/*/scenario.yaml` | the scenario of a run, with its seed and policy |\n"
      "| `results/*/plan.json`, `plan.yaml` | the variants, seeds and options of a batch, and its "
      "scenario |\n"
      "| `results/*/summary.json`, `compare.json`, `sweep.json` | the figures |\n"
      "| `results/*/cells.jsonl` | a line for each run of a batch |\n"
      "| `results/*/csv/` | the data of figures and tables as CSV |\n"
      "| `results/*/result.json` | version and command line |\n"
      "| `programs/` | programs of policies |\n\n## Results\n";
  for (const ArchivedResult& result : manifest.results) text += result_text(result, tables);
  return text;
}

}  // namespace heddle::cli
