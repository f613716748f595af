#pragma once

#include <string>
#include <string_view>

#include "common/result.h"
#include "wire/messages.h"

namespace heddle::wire {

/// Largest message accepted, in bytes.
inline constexpr std::size_t kMaxMessage = 16 << 20;
/// Largest message that a master takes. A worker's are its list of containers, some 80 bytes each,
/// and reports, of which it sends kMostReports at a time.
inline constexpr std::size_t kMaxToMaster = 2 << 20;

/// One message as JSON text: {"m": "<kind>", …}.
std::string encode(const Message& message);

/// The message in `text`, every size and range checked. Errors (kAborted) say what was wrong and
/// where: unknown kind, missing or mistyped field, number out of range, text too long.
Result<Message> decode(std::string_view text);

}  // namespace heddle::wire
