#include "cli/batch/engine/kubernetes.h"

#include <algorithm>
#include <iostream>

#include "cli/batch/engine/engine_option.h"
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
const EngineWords kKubernetesWords = {
    "kubernetes",
    "image=heddle:latest",
    {"below", "claim", "image", "max", "path", "per_task", "retries"}};

Result<void> set_option(KubernetesOptions& options, const EngineOption& option) {
  constexpr std::size_t kMostCount = 100000;
  const std::string_view name = option.name;
  if (name == "max") return put(option.count(1, kMostCount), options.max);
  if (name == "per_task") return put(option.count(1, kMostCount), options.per_task);
  if (name == "retries") return put(option.count(0, kMostCount), options.retries);
  if (name == "image") {
    if (!option.made_of(kImageCharacters)) return option.wrong("the name of an image");
    options.image = option.value;
  }
  if (name == "claim") {
    if (!option.made_of(kClaimCharacters)) return option.wrong("the name of a claim");
    options.claim = option.value;
  }
  if (name == "path") {
    if (!option.made_of(kPathCharacters) || !option.value.starts_with('/'))
      return option.wrong("an absolute path");
    options.path = option.value;
  }
  if (name == "below") {
    if (!option.made_of(kPathCharacters) || option.value.starts_with('/'))
      return option.wrong("a relative path");
    options.below = option.value;
  }
  return {};
}

/// Returns the text in double quotes, which YAML reads as JSON does.
std::string yaml_text(const std::string& text) { return wire::Json(text).dump(); }

}  // namespace

Result<KubernetesOptions> parse_kubernetes(std::string_view text) {
  KubernetesOptions options;
  HEDDLE_TRY(each_option(text, kKubernetesWords,
                         [&](const EngineOption& option) { return set_option(options, option); }));
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
                       shell_quoted(dir) + " $first-$last --quiet";
  for (const std::string& word : rights) script += " " + shell_quoted(word);
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

Result<void> write_kubernetes_job(const std::string& dir, const std::string& words,
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
  return {};
}

}  // namespace heddle::cli
