#pragma once

namespace heddle::report {

/// Version of the schema. It increases when a table or column is removed or changes its meaning,
/// not when one is added.
inline constexpr int kSqliteSchema = 1;

// The tables of run.sqlite, with a comment for every column. SQLite keeps these comments, and
// `.schema` in its shell shows them. docs/reference/results.md describes the tables in more detail.
// A test checks that both have the same tables and columns.
//
// Times are emulated seconds since emulated 0 (*_s) or real milliseconds (*_ms). Memory and data
// are in emulated bytes. Cores are a number. NULL means that a value is unknown, does not apply, or
// does not exist yet.
inline constexpr const char* kSqliteTables = R"sql(
CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value                        -- number or text
);

CREATE TABLE summary (
  key   TEXT PRIMARY KEY,      -- path in summary.json: utilisation.cpu
  value                        -- number, text or NULL; lists as JSON
);

CREATE TABLE nodes (
  id                 INTEGER PRIMARY KEY,   -- from 0, in the scenario's order
  name               TEXT NOT NULL UNIQUE,
  rack               TEXT NOT NULL,
  cores              REAL NOT NULL,         -- capacity
  memory             INTEGER NOT NULL,      -- capacity, bytes
  allowance_cores    REAL NOT NULL,         -- cores that can be allocated to tasks
  allowance_memory   INTEGER NOT NULL,
  system_cores       REAL NOT NULL,         -- used by its operating system
  system_memory      INTEGER NOT NULL,
  speed              REAL NOT NULL,         -- core-seconds of work per second and core
  disk_bytes_per_s   REAL NOT NULL,
  network_bits_per_s REAL NOT NULL
);

CREATE TABLE node_events (
  id     INTEGER PRIMARY KEY,
  t_s    REAL NOT NULL,
  node   TEXT NOT NULL REFERENCES nodes(name),
  event  TEXT NOT NULL,        -- registered, lost, drained, restored, load
  cores  REAL,                 -- load: used outside of containers from now on
  memory INTEGER,              -- load: bytes
  reason TEXT                  -- lost, drained: why
);

CREATE TABLE faults (
  id      INTEGER PRIMARY KEY,
  number  INTEGER NOT NULL,    -- in the scenario's list, from 0
  fault   TEXT NOT NULL,       -- its kind: freeze-worker
  node    TEXT REFERENCES nodes(name),   -- NULL: the master
  from_s  REAL NOT NULL,
  until_s REAL                 -- equal to from_s if the fault happens at one instant; NULL: to the end of the journal
);

CREATE TABLE resumptions (
  id          INTEGER PRIMARY KEY,
  t_s         REAL NOT NULL,   -- when a master resumed the run
  downtime_ms REAL NOT NULL    -- real time without a master
);

CREATE TABLE jobs (
  id           INTEGER PRIMARY KEY,   -- from 0, in the scenario's order
  name         TEXT NOT NULL UNIQUE,
  queue        TEXT NOT NULL,
  user         TEXT NOT NULL,
  class        TEXT,                  -- small, large …, if the policy has classes
  submit_s     REAL NOT NULL,
  start_s      REAL,                  -- of its first task
  finish_s     REAL,                  -- of its last task, or when the job was given up
  waiting_s    REAL,                  -- from submission (or eligible_s) to start
  completion_s REAL,                  -- from there to finish, of completed jobs
  state        TEXT NOT NULL,         -- pending, running, completed, failed, killed, cancelled
  reason       TEXT,                  -- why it did not complete
  tasks        INTEGER NOT NULL,
  attempts     INTEGER NOT NULL,      -- containers of its tasks
  am_attempts  INTEGER NOT NULL,      -- containers of its application master
  oom_kills    INTEGER NOT NULL,
  priority     INTEGER NOT NULL,
  weight       REAL NOT NULL,
  framework    TEXT NOT NULL,         -- mapreduce, spark
  walltime_s   REAL,                  -- longest time that it may take
  promised_s   REAL,                  -- start that conservative promised it first
  eligible_s   REAL,                  -- when its conditions on other jobs held, if it has any
  workflow     TEXT,                  -- its workflow, if it has one
  account      TEXT,                  -- NULL: that of its user, or none
  partition    TEXT,                  -- NULL: none
  qos          TEXT                   -- NULL: none
);

CREATE TABLE phases (
  job_id   INTEGER NOT NULL REFERENCES jobs(id),
  name     TEXT NOT NULL,
  position INTEGER NOT NULL,   -- in its job, from 0
  kind     TEXT NOT NULL,      -- map, reduce, am, command, executor
  tasks    INTEGER NOT NULL,
  cores    REAL NOT NULL,      -- request of a task
  memory   INTEGER NOT NULL,   -- request of a task, bytes
  gang     INTEGER NOT NULL,   -- 1: all of its tasks at once, or none
  PRIMARY KEY (job_id, name)
);

CREATE TABLE attempts (
  id                INTEGER PRIMARY KEY,   -- of the container
  job_id            INTEGER NOT NULL REFERENCES jobs(id),
  phase             TEXT NOT NULL,
  task              INTEGER NOT NULL,      -- from 0
  attempt           INTEGER NOT NULL,      -- from 1
  node              TEXT NOT NULL REFERENCES nodes(name),
  kind              TEXT NOT NULL,         -- kind of its phase
  state             TEXT NOT NULL,         -- completed, failed, oom_killed, killed, lost, not_started; allocated, running, suspended
  allocated_s       REAL NOT NULL,         -- when it was decided
  start_s           REAL,                  -- when its process started
  begun_s           REAL,                  -- when it had read its inputs
  finish_s          REAL,
  released_s        REAL,                  -- when what it held became free: at its end, or at its job's
  cores             REAL NOT NULL,         -- held
  memory            INTEGER NOT NULL,      -- held, bytes
  cpu_s             REAL,                  -- core-seconds used
  peak_memory       INTEGER,               -- bytes
  peak_method       TEXT,                  -- how the peak was found: kernel, samples, limit
  memory_byte_s     REAL,                  -- memory over time, byte-seconds
  ideal_s           REAL,                  -- ideal duration; NULL: not known
  contended         INTEGER,               -- 1: it had to share cores at some time
  host_lost_s       REAL,                  -- lost because the host was overloaded
  read_local        INTEGER,               -- bytes read from its own node
  read_remote       INTEGER,               -- bytes read from other nodes
  written           INTEGER,               -- bytes
  suspensions       INTEGER NOT NULL,
  suspended_s       REAL NOT NULL,         -- up to the end of the journal
  locality          TEXT,                  -- local, rack, remote; NULL: no preference
  launch_ms         REAL,                  -- real, from decision to exec
  reason            TEXT,                  -- of the decision
  oom               TEXT,                  -- of oom_killed: whose limit was exceeded: container, node, other
  exit_code         INTEGER,               -- 128 + n: killed by signal n
  end_reason        TEXT,
  FOREIGN KEY (job_id, phase) REFERENCES phases(job_id, name)
);

CREATE TABLE attempt_devices (
  attempt_id INTEGER NOT NULL REFERENCES attempts(id),
  resource   TEXT NOT NULL,
  device     INTEGER NOT NULL, -- number on its node, from 0
  share      REAL NOT NULL,    -- held of the device; 1: all of it
  PRIMARY KEY (attempt_id, resource, device)
);

CREATE TABLE suspensions (
  id         INTEGER PRIMARY KEY,
  attempt_id INTEGER NOT NULL REFERENCES attempts(id),
  from_s     REAL NOT NULL,
  until_s    REAL,             -- NULL: to the end of the journal
  stop_ms    REAL              -- real, from decision to stopped
);

CREATE TABLE reservations (
  id      INTEGER PRIMARY KEY,
  job_id  INTEGER NOT NULL REFERENCES jobs(id),
  phase   TEXT NOT NULL,
  node    TEXT NOT NULL REFERENCES nodes(name),
  from_s  REAL NOT NULL,
  until_s REAL,                -- NULL: to the end of the journal
  moved   INTEGER NOT NULL,    -- 1: from another node
  FOREIGN KEY (job_id, phase) REFERENCES phases(job_id, name)
);

CREATE TABLE decisions (
  id         INTEGER PRIMARY KEY,
  t_s        REAL NOT NULL,
  step       INTEGER NOT NULL,  -- of the engine
  type       TEXT NOT NULL,     -- launch, reserve, unreserve, suspend, resume, kill, action_refused, job_finished
  job_id     INTEGER REFERENCES jobs(id),
  phase      TEXT,
  attempt_id INTEGER REFERENCES attempts(id),
  node       TEXT REFERENCES nodes(name),
  detail     TEXT,              -- action_refused: the action; job_finished: the job's state
  reason     TEXT
);

CREATE TABLE states (
  id    INTEGER PRIMARY KEY,
  t_s   REAL NOT NULL,
  about TEXT NOT NULL,         -- kind of record: dress.ratio
  state TEXT NOT NULL          -- its fields as JSON
);

CREATE TABLE samples (
  id     INTEGER PRIMARY KEY,
  t_s    REAL NOT NULL,
  node   TEXT NOT NULL REFERENCES nodes(name),
  cores  REAL NOT NULL,        -- used by its containers, on average since the sample before
  memory INTEGER NOT NULL      -- of its containers, bytes
);

CREATE TABLE container_samples (
  id            INTEGER PRIMARY KEY,
  t_s           REAL NOT NULL,
  attempt_id    INTEGER NOT NULL REFERENCES attempts(id),
  cpu_s         REAL NOT NULL,      -- core-seconds used since its start
  memory        INTEGER NOT NULL,   -- now, bytes
  progress      REAL NOT NULL,      -- 0 to 1
  disk_bytes    INTEGER NOT NULL,   -- through its node's disk since its start
  network_bytes INTEGER NOT NULL    -- between it and other nodes since its start
);
)sql";

// Indexes are created after the rows are inserted, which is faster than updating them with every
// row.
inline constexpr const char* kSqliteIndexes = R"sql(
CREATE INDEX faults_by_node ON faults(node, from_s);
CREATE INDEX attempts_by_task ON attempts(job_id, phase, task, attempt);
CREATE INDEX attempts_by_node ON attempts(node, start_s);
CREATE INDEX suspensions_by_attempt ON suspensions(attempt_id);
CREATE INDEX reservations_by_job ON reservations(job_id);
CREATE INDEX reservations_by_node ON reservations(node, from_s);
CREATE INDEX decisions_by_job ON decisions(job_id, t_s);
CREATE INDEX decisions_by_attempt ON decisions(attempt_id);
CREATE INDEX states_by_about ON states(about, t_s);
CREATE INDEX samples_by_node ON samples(node, t_s);
CREATE INDEX container_samples_by_attempt ON container_samples(attempt_id, t_s);
)sql";

}  // namespace heddle::report
