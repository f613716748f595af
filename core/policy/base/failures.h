#pragma once

#include "core/policy/base/option.h"
#include "core/policy/base/part.h"

namespace heddle {

inline constexpr FlagOption kNodeKillsCount(
    {.name = "node_kills_count",
     .by_default = "true",
     .help = "whether a kill because the node was out of memory counts toward max_attempts"});
/// Describes how attempts that end early count. Every policy has this part.
inline constexpr PartText kFailures{
    .name = "failed attempts",
    .summary = "a job fails if a task has had max_attempts attempts that failed",
    .source =
        "Hadoop, mapreduce.map.maxattempts; Ray and Spark do not count attempts that end "
        "because of others on their node",
    .options = {&kNodeKillsCount}};

}  // namespace heddle
