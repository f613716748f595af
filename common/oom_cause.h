#pragma once

namespace heddle {

/// The owner of the memory limit that was exceeded. NodeTree::oom_cause (cgroup/tree.h) says how it
/// is determined.
enum class OomCause { kNone, kContainer, kNode, kOther };

}  // namespace heddle
