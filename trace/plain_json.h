#pragma once

#include "wire/fields.h"
#include "yaml/keys.h"

namespace heddle::trace {

// Parts of a scenario as JSON: each described key with its plain value, such as "heartbeat_s": 1.
// Values that are not set are null. Keys that depend on more than their value are left out.
// `counted`: the resources that the cluster counts.

wire::Json plain_json(const Keys& keys, const void* structure, const CountNames& counted = {});

/// Sets the members whose fields are there and not null. `json` is the object of `fields`. Throws
/// wire::BadField about a wrong field.
void read_plain(const Keys& keys, const wire::Json& json, const wire::Fields& fields,
                void* structure, const CountNames& counted = {});

}  // namespace heddle::trace
