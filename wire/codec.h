#pragma once

#include <string>
#include <string_view>

#include "common/result.h"
#include "wire/messages.h"

namespace heddle::wire {

/// Largest message accepted, in bytes.
inline constexpr std::size_t kMaxMessage = 16 << 20;
/// Largest message that a master accepts. A worker's message consists of its list of containers,
/// some 80 bytes each, and at most kMostReports reports.
inline constexpr std::size_t kMaxToMaster = 2 << 20;

/// Encodes one message as JSON text: {"m": "<kind>", …}.
std::string encode(const Message& message);

/// Decodes the message in `text` and checks every size and range. Errors (kAborted) say what was
/// wrong and where: unknown kind, missing or mistyped field, number out of range, text too long.
Result<Message> decode(std::string_view text);

}  // namespace heddle::wire
