#pragma once

namespace heddle {

/// The owner of the memory limit that was exceeded. docs/explanation/architecture.md has the rules
/// ("Memory, and whose limit it was").
enum class OomCause { kNone, kContainer, kNode, kOther };

}  // namespace heddle
