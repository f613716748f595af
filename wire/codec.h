#pragma once

#include <string>
#include <string_view>

#include "common/result.h"
#include "wire/messages.h"

namespace heddle::wire {

/// Size of the largest message that is accepted, in bytes.
inline constexpr std::size_t kMaxMessage = 16 << 20;
/// Size of the largest message that a master accepts, in bytes. A worker's message has a list of
/// its containers, with about 80 bytes for each, and at most kMostReports reports.
inline constexpr std::size_t kMaxToMaster = 2 << 20;

/// Encodes one message as JSON text: {"m": "<kind>", …}.
std::string encode(const Message& message);

/// Decodes the message in `text` and checks every size and range. Errors (kAborted) name the fault
/// and its place. Faults are an unknown kind, a missing field, a field of the wrong type, a number
/// out of range, or a text that is too long.
Result<Message> decode(std::string_view text);

}  // namespace heddle::wire
