#pragma once

#include <string>
#include <vector>

namespace heddle::trace::spark {

/// The order in which the files of event logs are read.
struct Parts {
  std::vector<std::size_t> order;    ///< indices of the paths
  std::vector<std::string> missing;  ///< such as "logs/events_2_app-1"
};

/// Orders the parts of each log. Logs stay in the order of their first parts. Parts of a log are
/// - events_N_APP of the same directory, by N (Spark's rolling logs). A part that ends in .compact
///   replaces those up to its N. If a number between two others is not there, a part is missing;
/// - NAME-YYYY-MM-DD--HH-MM, by time, and then NAME, which is the newest.
/// Endings of compressed files and ".inprogress" do not count.
Parts parts_of_logs(const std::vector<std::string>& paths);

}  // namespace heddle::trace::spark
