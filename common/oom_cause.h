#pragma once

namespace heddle {

/// The owner of the memory limit that was hit (rules: docs/explanation/architecture.md, "Memory,
/// and whose limit it was").
enum class OomCause { kNone, kContainer, kNode, kOther };

}  // namespace heddle
