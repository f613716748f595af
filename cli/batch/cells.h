#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/batch/batch_prepare.h"
#include "cli/batch/cell_scratch.h"
#include "cli/batch/cell_workers.h"
#include "cli/batch/plan/cell_record.h"
#include "cli/batch/plan/plan_file.h"
#include "cli/display/batch_screen.h"
#include "cli/run/run.h"
#include "common/fd.h"
#include "host/child.h"
#include "report/comparison/alone_times.h"

namespace heddle::cli {

/// How this process makes cells.
struct CellOptions {
  RunOptions run;          ///< the rights of cells, `cgroup` and `quiet`
  bool typed = false;      ///< see BatchScenarios
  std::size_t jobs = 0;    ///< simulations at the same time; 0: the number of CPUs
  int rerun_affected = 0;  ///< how often a real run that other programs affect is made again
};

/// Makes cells of one batch in other processes: the run, then its record. Simulations of which
/// nothing but the record is kept are made by copies of this process (CellWorkers). A run is made
/// in a scratch directory and renamed, so a directory VARIANT-REPEAT holds a whole run. Several
/// CellMakers, also on different hosts, may make the same cells at the same time. If the directory
/// is moved meanwhile, the results go to where it is then. If it is removed, no further cell is
/// made.
class CellMaker {
 public:
  /// `dir`: an existing directory. `signals`: a signalfd. `plan` and `options` must outlive the
  /// object.
  CellMaker(std::string dir, const BatchPlan& plan, const CellOptions& options, int signals);

  /// Finds out which of the cells are to be made. Removes unfinished runs that an earlier version
  /// has left in their directories. If a file of an external policy, its program or a module, has
  /// changed since a run was made, and nothing else has, removes the run and says so, because the
  /// run is to be made again.
  /// Errors: a directory has something else, or its run cannot be read.
  Result<void> look(const std::vector<std::size_t>& cells);
  /// Makes the cells that look() has found. If a cell fails, the others are made nevertheless,
  /// except if its results cannot be written. Returns the exit status: kExitInterrupted after a
  /// signal, else that of the first cell that could not be made.
  int make();
  bool interrupted() const { return interrupted_; }
  /// Returns where the directory is now, or the error if it was removed.
  Result<std::string> directory() const;
  /// Returns whether look() has found cells to make.
  bool has_work() const { return !open_.empty(); }

 private:
  /// A cell that is to be made. If there is a whole run already, only its record is missing.
  struct Open {
    std::size_t cell = 0;
    bool has_run = false;
    int reruns = 0;  ///< number of affected runs of the cell that this process has made
  };
  /// A run in progress.
  struct Active {
    std::size_t cell;
    CellScratch scratch;
    Scenario scenario;
    host::Child child;
    double began_s;
    bool shared;      ///< another real run was there at the begin
    int reruns;       ///< as in Open
    std::string dir;  ///< where the batch was at the begin
  };

  /// Takes in where the directory is. Returns false if it is gone.
  bool follow();
  /// Returns whether a cell that has failed is to be made again, because the directory was moved
  /// from `dir` meanwhile.
  bool missed(const std::string& dir) { return follow() && dir != dir_; }
  std::string path_of(std::size_t cell) const { return dir_ + "/" + name_of(cell); }
  std::string name_of(std::size_t cell) const { return cell_name(plan_, places_[cell]); }
  Result<std::optional<Open>> look_at(std::size_t cell);
  /// The program of a policy when a cell was made.
  struct Made {
    std::string sha256;  ///< of its file; "" if it is not known
    PolicyFiles files;   ///< with its modules
  };
  Made program_of(std::size_t cell) const;
  Result<std::optional<std::string>> changed_program(std::size_t cell,
                                                     const Scenario& scenario) const;
  Result<void> remove_old();
  Result<std::optional<CellRecord>> record_of_cell(std::size_t cell,
                                                   const std::string& scenario) const;
  std::size_t width() const;
  void make_runs();
  /// Makes the cells that workers can make, and leaves the others in open_.
  void make_records();
  /// Simulates a cell and returns its record. Returns "" if its policy is a program, which needs a
  /// run of its own.
  Result<std::string> simulated_record(std::size_t cell);
  void start(const Open& open);
  Result<Active> started(const Open& open);
  std::vector<std::string> words(std::size_t cell, const CellScratch& scratch) const;
  void wait();
  void interrupt();
  void end(const Active& active);
  /// Returns what is said about an affected run if it is to be made again.
  std::optional<std::string> reason_to_rerun(const Active& active) const;
  /// Returns whether the run of a complete cell is to be made again.
  bool to_rerun(const CellRecord& record) const;
  /// Keeps the run, if directories are kept, and writes its record.
  Result<void> take_in(const Active& active);
  Result<void> write_record_of(std::size_t cell, const wire::Json& summary,
                               const Scenario& scenario, double took_s, bool shared,
                               PolicyFiles files);
  /// Returns the record of a cell. Simulates its jobs alone for that, and the whole run if the plan
  /// predicts.
  std::string record_text(std::size_t cell, const wire::Json& summary, const Scenario& scenario,
                          double took_s, bool shared, PolicyFiles files = {});
  Result<void> put_record(std::size_t cell, const std::string& text) const;
  void fail_cell(std::size_t cell, int status, const std::string& reason);

  std::string dir_;
  Fd held_;  ///< the directory
  const BatchPlan& plan_;
  const CellOptions& options_;
  int signals_;
  std::vector<BatchPlace> places_;  ///< by number of the cell
  BatchScenarios scenarios_;
  bool has_endpoint_ = false;
  report::AloneTimes alone_;
  std::vector<Open> open_;
  std::vector<Open> again_;  ///< cells whose run was affected
  std::size_t found_ = 0;    ///< number of cells that were made already
  /// Cells of whose policy a file has changed since they were made, with its name.
  std::map<std::size_t, std::string> old_;
  std::vector<Active> active_;
  BatchScreen screen_;
  int status_ = 0;
  bool interrupted_ = false;
  bool can_write_ = true;                                 ///< the last results could be written
  bool gone_ = false;                                     ///< the directory was removed
  std::set<std::pair<std::size_t, std::string>> causes_;  ///< of failures, by variant
};

}  // namespace heddle::cli
