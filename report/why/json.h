#pragma once

#include "report/why/text.h"

namespace heddle::report {

/// Returns the answer as JSON, with every interval and its facts.
wire::Json why_json(const WhyAnswer& answer);
/// Returns the part of why_json() that people read: stretches, causes and note.
wire::Json short_why_json(const WhyAnswer& answer);

}  // namespace heddle::report
