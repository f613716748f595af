#pragma once

#include "common/result.h"
#include "wire/fields.h"

namespace heddle::wire {

/// Version of the journal's format, in its run record. It increases when older programs would
/// misunderstand a journal. Records without it are of earlier versions, which have format 1.
inline constexpr int kJournalFormat = 1;
/// The format of journals in which a line stands for several containers (wire/record.h, count).
inline constexpr int kCountedFormat = 2;

/// Checks that this program can read the journal with this run record. Error (kUsage): the format
/// is newer. The error names the version that wrote the journal.
Result<void> check_journal_format(const Json& run_record);

/// Returns a sentence if another version of Heddle has written the journal with this run record, so
/// that its decisions can differ from those of this version. Returns "" if not.
std::string other_version(const Json& run_record);

}  // namespace heddle::wire
