#include "core/model/labels.h"

#include <algorithm>

namespace heddle {

bool meets(const Where& where, const Labels& labels) {
  return std::ranges::all_of(where, [&](const LabelRule& rule) {
    const auto label = labels.find(rule.label);
    const bool has =
        label != labels.end() && std::ranges::find(rule.values, label->second) != rule.values.end();
    return has != rule.forbids;
  });
}

}  // namespace heddle
