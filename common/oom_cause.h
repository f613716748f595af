#pragma once

namespace heddle {

/// Whose memory limit it was (machine's rule in docs/architecture.md).
enum class OomCause { kNone, kContainer, kNode, kOther };

}  // namespace heddle
