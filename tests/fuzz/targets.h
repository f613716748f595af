#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trace/import/formats.h"

/// Fuzz targets. Each target passes arbitrary input to a part of Heddle that reads data from
/// outside (docs/development/fuzzing.md).
namespace heddle::fuzz {

// A target returns whether the input was valid. If the target finds an error, a sanitizer, an
// assertion or require() ends the process.
bool wire(std::string_view input);          ///< a control or progress message
bool data_message(std::string_view input);  ///< a message between data services
bool master(std::string_view input);        ///< messages of workers to a master, line by line
bool worker(std::string_view input);        ///< messages of a master to a worker, line by line
bool welcome(std::string_view input);       ///< the node that a stand-alone worker sets up
bool serving(std::string_view input);       ///< requests of other services to a data service
bool fetching(std::string_view input);      ///< answers to a data service that reads
bool storing(std::string_view input);       ///< answers to a data service that writes
bool keys(std::string_view input);          ///< key files and allow-lists
bool zap(std::string_view input);           ///< libzmq's requests for admission
bool scenario(std::string_view input);      ///< a scenario file
bool journal(std::string_view input);       ///< journal and samples of a run, for the summary
bool derived(std::string_view input);  ///< the same files, for page, timeline, tables and trace
bool replay(std::string_view input);   ///< the same files, replayed through the engine
bool control_files(std::string_view input);  ///< files of the kernel in /proc and control groups
bool trace(std::string_view input);          ///< a trace to import
#define HEDDLE_TARGET(code, ...) bool import_##code(std::string_view input);
HEDDLE_IMPORT_FORMATS(HEDDLE_TARGET)  ///< traces of one format each
#undef HEDDLE_TARGET
bool index(std::string_view input);        ///< a journal, or the index of a run's containers
bool web(std::string_view input);          ///< a request of a browser, line by line
bool small_files(std::string_view input);  ///< models, experiments, run.json, --set
bool archive(std::string_view input);      ///< a tar archive of results, or a file in one

/// Ends the process with the message `what` if the condition does not hold.
void require(bool holds, const char* what);

/// Splits a text into lines, without their ends.
std::vector<std::string_view> lines_of(std::string_view text);
/// Removes the first line if it is `names WORD…`, and returns its words. A word "-" becomes an
/// empty word. Returns no words if the first line is different.
std::vector<std::string> take_names(std::vector<std::string_view>& lines);

}  // namespace heddle::fuzz
