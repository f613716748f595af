#include "cli/batch/engine/kubernetes.h"

#include <algorithm>
#include <charconv>
#include <iostream>
#include <optional>

#include "cli/base/exit_status.h"
#include "cli/batch/engine/engine.h"
#include "cli/batch/engine/slurm_plan.h"
#include "common/file.h"
#include "common/random_id.h"
#include "common/text.h"
#include "wire/fields.h"

namespace heddle::cli {
namespace {

constexpr std::string_view kImageCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/:@";
constexpr std::string_view kPathCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/+=";
constexpr std::string_view kClaimCharacters = "abcdefghijklmnopqrstuvwxyz0123456789.-";
const std::vector<std::string> kKubernetesNames = {"below", "claim",    "image",  "max",
                                                   "path",  "per_task", "retries"};

bool made_of(std::string_view value, std::string_view characters) {
  return !value.empty() && value.find_first_not_of(characters) == std::string_view::npos;
}

Error wrong(std::string_view name, std::string_view value, const std::string& expected) {
  return usage_error("--on kubernetes: " + std::string(name) + "=" + std::string(value) +
                     ": expected " + expected);
}

Result<void> set_count(KubernetesOptions& options, std::string_view name, std::string_view value) {
  constexpr int kMostCount = 100000;
  int number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  const int least = name == "retries" ? 0 : 1;
  if (error != std::errc() || end != value.data() + value.size() || number < least ||
      number > kMostCount)
    return wrong(name, value, "a whole number from " + std::to_string(least));
  if (name == "retries")
    options.retries = number;
  else
    (name == "max" ? options.max : options.per_task) = static_cast<std::size_t>(number);
  return {};
}

Result<void> set_word(KubernetesOptions& options, std::string_view name, std::string_view value) {
  if (name == "max" || name == "per_task" || name == "retries")
    return set_count(options, name, value);
  if (name == "image") {
    if (!made_of(value, kImageCharacters)) return wrong(name, value, "the name of an image");
    options.image = value;
    return {};
  }
  if (name == "claim") {
    if (!made_of(value, kClaimCharacters)) return wrong(name, value, "the name of a claim");
    options.claim = value;
    return {};
  }
  if (name == "path" || name == "below") {
    const bool absolute = value.starts_with('/');
    if (!made_of(value, kPathCharacters) || absolute != (name == "path"))
      return wrong(name, value, name == "path" ? "an absolute path" : "a relative path");
    (name == "path" ? options.path : options.below) = value;
    return {};
  }
  return usage_error(with_nearest("--on kubernetes: " + std::string(name) + ": unknown option",
                                  name, kKubernetesNames) +
                     " (known: " + join(kKubernetesNames) + ")");
}

/// Returns the text in double quotes, which YAML reads as JSON does.
std::string yaml_text(const std::string& text) { return wire::Json(text).dump(); }

}  // namespace

Result<KubernetesOptions> parse_kubernetes(std::string_view text) {
  KubernetesOptions options;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, comma);
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos)
      return usage_error("--on kubernetes: " + std::string(part) +
                         ": expected OPTION=VALUE, such as image=heddle:latest");
    HEDDLE_TRY(set_word(options, part.substr(0, equals), part.substr(equals + 1)));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  for (const auto& [name, value] :
       {std::pair("image", &options.image), std::pair("claim", &options.claim)})
    if (value->empty())
      return usage_error(std::string("--on kubernetes: ") + name +
                         " is missing; expected kubernetes:image=IMAGE,claim=CLAIM");
  return options;
}

std::string kubernetes_job(const KubernetesOptions& options, const std::string& name,
                           std::size_t cells, const std::vector<std::string>& rights) {
  const std::size_t indexes = (cells + options.per_task - 1) / options.per_task;
  const std::string dir = options.path + (options.below.empty() ? "" : "/" + options.below);
  const std::string each = std::to_string(options.per_task);
  std::string script = "first=$((JOB_COMPLETION_INDEX * " + each + ")); last=$((first + " + each +
                       " - 1)); [ $last -lt " + std::to_string(cells) +
                       " ] || last=" + std::to_string(cells - 1) + "; exec heddle cell " +
                       shell_word(dir) + " $first-$last --quiet";
  for (const std::string& word : rights) script += " " + shell_word(word);
  return "apiVersion: batch/v1\n"
         "kind: Job\n"
         "metadata:\n"
         "  name: " +
         name +
         "\n"
         "spec:\n"
         "  completionMode: Indexed\n"
         "  completions: " +
         std::to_string(indexes) +
         "\n"
         "  parallelism: " +
         std::to_string(options.max > 0 ? std::min(options.max, indexes) : indexes) +
         "\n"
         "  backoffLimitPerIndex: " +
         std::to_string(options.retries) +
         "\n"
         "  template:\n"
         "    spec:\n"
         "      restartPolicy: Never\n"
         "      containers:\n"
         "        - name: cell\n"
         "          image: " +
         yaml_text(options.image) +
         "\n"
         "          command: [sh, -c, " +
         yaml_text(script) +
         "]\n"
         "          volumeMounts:\n"
         "            - {name: plan, mountPath: " +
         yaml_text(options.path) +
         "}\n"
         "      volumes:\n"
         "        - {name: plan, persistentVolumeClaim: {claimName: " +
         yaml_text(options.claim) + "}}\n";
}

Result<int> write_kubernetes_job(const std::string& dir, const std::string& words,
                                 std::size_t cells, const EngineOptions& options) {
  Result<KubernetesOptions> parsed = parse_kubernetes(words);
  if (!parsed) return std::move(parsed).error();
  const std::string path = dir + "/job.yaml";
  HEDDLE_TRY(replace_file(
      path, kubernetes_job(*parsed, "heddle-" + random_id(), cells, rights_of(options))));
  std::cout << cells << " cells are planned in " << dir << "; copy this directory to the volume "
            << parsed->claim << (parsed->below.empty() ? "" : ", directory " + parsed->below)
            << ", start the job with kubectl apply -f " << path
            << ", and run heddle gather on the directory when it has ended\n";
  return kExitDone;
}

}  // namespace heddle::cli
