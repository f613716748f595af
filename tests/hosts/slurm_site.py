"""A site with accounts, partitions and QOS, for against_slurm: its jobs, its rules as lines for Slurm
and as a scenario, and what a run of its jobs in Slurm or Heddle says about them."""

import json
import math
import os
import random
import re
import subprocess
import time

# Nodes have one core, because Slurm's backfilling plans with whole nodes, and Heddle with cores.
JOBS, NODES = 60, 8
# A time limit has a minute for each second of the run time, or more. Slurm's backfilling does not
# distinguish ends of running jobs that are less than 30 s apart.
LIMITS = [1, 1.5, 2, 3]
# With an interval of -1, only the backfilling starts jobs. The main loop does not know its plan: where
# partitions overlap, it starts jobs before others of a higher priority.
PARAMETERS = "bf_window_linear=1,preempt_youngest_first,sched_interval=-1"
# Shares of accounts, and of their users. All users exist on every Debian, so that none is added.
ACCOUNTS = {
    "science": (60, {"games": 5, "man": 3, "lp": 1}),
    "teaching": (30, {"mail": 2, "news": 1}),
    "guests": (10, {"uucp": 1, "proxy": 1, "backup": 2}),
}
USERS = [user for _, users in ACCOUNTS.values() for user in users]
# First node, last node, longest limit in minutes, priority.
PARTITIONS = {"main": (1, 8, None, 10), "short": (1, 4, 45, 40), "wide": (3, 8, None, 20)}
# Priority, QOS that it preempts, what becomes of its preempted jobs, seconds before they can be
# preempted, factor of usage. Slurm's preempt_youngest_first does not look at the priority of a QOS, so
# that the preempted ones have the same.
QOS = {
    "normal": (50, [], None, 0, 1),
    "urgent": (100, ["low", "spot"], None, 0, 1),
    "low": (10, [], "requeue", 10, 0.5),
    "spot": (10, [], "cancel", 0, 1),
}
# Simulates the delay from Slurm's decision to the start of a job.
FITTED = ["--set", "simulation.ideal=false", "--set", "simulation.launch_delay=500ms"]
FITTED += ["--set", "simulation.message_delay=0s"]
REQUEUE = 6  # seconds until a requeued job can start again: cred_expire of slurm_cluster, and 1
WEIGHTS = {"age": 1000, "fairshare": 10000, "size": 1000, "partition": 2000, "qos": 30000}
MAX_AGE, HALF_LIFE, CALC_PERIOD = 600, 180, 60  # seconds


def workload(seed):
    """Returns the jobs by submission. `after`: number of a job and whether it must have completed."""
    draw = random.Random(seed)
    jobs, at = [], 0.0
    for i in range(JOBS):
        account = draw.choice(list(ACCOUNTS))
        run = round(math.exp(draw.uniform(math.log(8), math.log(50))), 1)
        limit = math.ceil(run * draw.choice(LIMITS))
        cores = draw.choice([1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6])
        fitting = [
            name
            for name, (first, last, most, _) in PARTITIONS.items()
            if cores <= last - first + 1 and limit <= (most or limit)
        ]
        job = {
            "at": round(at, 1),
            "run": run,
            "limit": limit,
            "cores": cores,
            "account": account,
            "user": draw.choice(list(ACCOUNTS[account][1])),
            "partition": draw.choice(fitting),
            "qos": draw.choice(["normal"] * 3 + ["urgent"] * 2 + ["low"] * 3 + ["spot"] * 2),
            "after": None,
        }
        if i >= 8 and draw.random() < 0.2:
            other = i - draw.randrange(1, 9)
            # A preempted job of spot has not completed.
            job["after"] = (other, jobs[other]["qos"] != "spot" and draw.random() < 0.6)
        jobs.append(job)
        at += draw.uniform(0.5, 4.5)
    return jobs


def slurm_files(directory):
    """Writes what slurm_cluster reads."""
    lines = [
        "PriorityType=priority/multifactor",
        f"PriorityDecayHalfLife={clock(HALF_LIFE)}",
        f"PriorityCalcPeriod={CALC_PERIOD // 60}",
        f"PriorityMaxAge={clock(MAX_AGE)}",
        "PriorityWeightAge={age}\nPriorityWeightFairshare={fairshare}\nPriorityWeightJobSize={size}\n"
        "PriorityWeightPartition={partition}\nPriorityWeightQOS={qos}".format(**WEIGHTS),
        "PreemptType=preempt/qos\nPreemptMode=REQUEUE",
        "AccountingStorageEnforce=associations,limits,qos",
        "DependencyParameters=kill_invalid_depend",
        "DebugFlags=Priority,Backfill",
    ]
    for name, (first, last, most, priority) in PARTITIONS.items():
        lines.append(
            f"PartitionName={name} Nodes=c[{first}-{last}] PriorityJobFactor={priority}"
            f" MaxTime={most or 'INFINITE'} Default={'YES' if name == 'main' else 'NO'}"
        )
    write(directory + "/slurm.conf", lines)
    lines = []
    for name, (priority, _, mode, exempt, factor) in QOS.items():
        verb = "modify qos normal set" if name == "normal" else f"add qos {name}"
        line = f"{verb} priority={priority} usagefactor={factor}"
        if mode:
            line += f" preemptmode={mode}"
        if exempt:
            line += f" preemptexempttime={clock(exempt)}"
        lines.append(line)
    lines += [f"modify qos {n} set preempt={','.join(q[1])}" for n, q in QOS.items() if q[1]]
    every = ",".join(QOS)
    for account, (shares, users) in ACCOUNTS.items():
        lines.append(f"add account {account} fairshare={shares}")
        for user, own in users.items():
            lines.append(
                f"add user {user} account={account} fairshare={own} qos={every} defaultqos=normal"
            )
    write(directory + "/sacctmgr", lines)


def policy():
    """Returns Slurm's scheduler as a policy of Heddle."""
    terms = [f"priority_{name}={weight}" for name, weight in WEIGHTS.items()]
    terms += [f"priority_max_age={MAX_AGE}", f"priority_half_life={HALF_LIFE}"]
    terms += [f"priority_calc_period={CALC_PERIOD}", "backfill_resolution=1"]
    return "+".join(["slurm"] + terms)


def scenario(jobs, seed):
    """Returns the site and its jobs as a scenario."""
    lines = ["heddle: 1", f"name: site-{seed}", f"seed: {seed}", "emulation: {time_scale: 1}"]
    lines += ["cluster:", "  dispatch: immediate", "  nodes:"]
    lines.append(f"    - {{name: c, count: {NODES}, cores: 1, memory: 1GiB}}")
    lines += ["simulation: {ideal: true}", "partitions:"]
    for name, (first, last, most, priority) in PARTITIONS.items():
        nodes = ", ".join(f"c{i}" for i in range(first, last + 1))
        limit = f", max_time: {most}min" if most else ""
        default = ", default: true" if name == "main" else ""
        lines.append(
            f"  - {{name: {name}, nodes: [{nodes}], priority: {priority}{limit}{default}}}"
        )
    lines.append("qos:")
    for name, (priority, preempts, mode, exempt, factor) in QOS.items():
        line = f"  - {{name: {name}, priority: {priority}, usage_factor: {factor}"
        line += f", preempt: [{', '.join(preempts)}]" if preempts else ""
        line += f", preempt_mode: {mode}, exempt_time: {exempt}s" if mode else ""
        line += f", requeue_delay: {REQUEUE}s" if mode == "requeue" else ""
        lines.append(line + "}")
    lines.append("accounts:")
    for account, (shares, users) in ACCOUNTS.items():
        each = ", ".join(f"{user}: {own}" for user, own in users.items())
        lines.append(f"  - {{name: {account}, shares: {shares}, users: {{{each}}}}}")
    lines.append("jobs:")
    for i, job in enumerate(jobs):
        lines += [f"  - name: job-{i}", f"    submit: {job['at']}s"]
        lines += [f"    {key}: {job[key]}" for key in ("user", "account", "partition", "qos")]
        lines.append(f"    walltime: {job['limit']}min")
        if job["after"]:
            when = "ok" if job["after"][1] else "any"
            lines.append(f"    after: [{{job: job-{job['after'][0]}, when: {when}}}]")
        lines.append(
            f"    phases: [{{name: p, tasks: {job['cores']}, request: {{cores: 1, memory: 1GiB}},"
            f" gang: true, sleep: {job['run']}s}}]"
        )
    return "\n".join(lines) + "\n"


def run_in_slurm(jobs, out, late):
    """Runs the jobs in the cluster of SLURM_CONF. Writes accounting, configuration and the
    controller's log to a directory. `late`: seconds from a recalculation of priorities to the first
    submission, so that repeats meet the cycles of Slurm's threads at different times."""
    cluster = os.path.dirname(os.environ["SLURM_CONF"])
    # In Heddle, a recalculation is at time 0.
    seen = recalculations(cluster)
    while recalculations(cluster) == seen:
        time.sleep(0.1)
    begin = time.monotonic() + late
    ids = []
    for i, job in enumerate(jobs):
        time.sleep(max(0, begin + job["at"] - time.monotonic()))
        command = ["sbatch", "--parsable", f"--job-name={i}", f"--ntasks={job['cores']}"]
        command += [f"--time={job['limit']}", "--output=/dev/null", "--chdir=/"]
        command += [f"--account={job['account']}", f"--uid={job['user']}"]
        command += [f"--partition={job['partition']}", f"--qos={job['qos']}"]
        if job["after"]:
            other, ok = job["after"]
            command.append(f"--dependency=after{'ok' if ok else 'any'}:{ids[other]}")
        command.append(f"--wrap=exec sleep {job['run']}")
        made = subprocess.run(command, check=True, capture_output=True, text=True)
        ids.append(made.stdout.strip())
    while subprocess.run(["squeue", "-h"], check=True, capture_output=True).stdout:
        time.sleep(1)
    time.sleep(3)  # slurmdbd gets the last records
    fields = "JobID,JobName,User,Account,Partition,QOS,Submit,Eligible,Start,End,Elapsed,Timelimit"
    fields += ",State,ReqCPUS,AllocCPUS,NNodes,ReqMem,ReqTRES,AllocTRES,NodeList,Priority,SubmitLine"
    save(out + "/sacct.txt", ["sacct", "-P", "-a", "-D", "-X", "-S", "now-1hour", "-o", fields])
    save(out + "/qos.txt", ["sacctmgr", "show", "qos", "-P"])
    save(out + "/assoc.txt", ["sacctmgr", "show", "assoc", "-P"])
    save(out + "/slurm.conf", ["cat", cluster + "/slurm.conf"])
    save(out + "/slurmctld.log", ["cat", cluster + "/slurmctld.log"])


def recalculations(cluster):
    """Returns how often slurmctld has recalculated priorities."""
    with open(cluster + "/slurmctld.log") as log:
        return sum("_ft_debug:     root (root)" in line for line in log)


def read_sacct(path):
    """Returns the start, the end and the number of runs of each job by its number, in seconds since
    the first submission. A job that was requeued has its last start."""
    runs = {}
    with open(path) as file:
        names = file.readline().rstrip("\n").split("|")
        for line in file:
            # SubmitLine, the last field, can contain the separator.
            row = dict(zip(names, line.rstrip("\n").split("|", len(names) - 1)))
            runs.setdefault(int(row["JobName"]), []).append(row)
    zero = min(int(rows[0]["Submit"]) for rows in runs.values())
    found = {}
    for job, rows in runs.items():
        last = rows[-1]
        if last["State"] not in ("COMPLETED", "PREEMPTED"):
            raise SystemExit(f"against_slurm: job {job} in {path}: {last['State']}")
        found[job] = (int(last["Start"]) - zero, int(last["End"]) - zero, len(rows))
    return found


def names_of_sacct(path):
    """Returns the numbers of jobs by their ids in Slurm."""
    with open(path) as file:
        names = file.readline().rstrip("\n").split("|")
        rows = [dict(zip(names, line.split("|"))) for line in file]
    return {int(row["JobID"]): int(row["JobName"]) for row in rows}


def read_heddle(results, numbers=None):
    """Returns the same of a result directory. Names of jobs end with their numbers, or with ids of
    which `numbers` has the numbers."""
    runs, ends = {}, {}
    with open(results + "/summary.json") as file:
        names = [job["name"] for job in json.load(file)["jobs"]]
    with open(results + "/journal.jsonl") as file:
        for line in file:
            event = json.loads(line)
            if event["type"] == "launch":
                starts = runs.setdefault(event["job"], [])
                # A gang is launched at one time.
                if not starts or event["t"] > starts[-1]:
                    starts.append(event["t"])
            elif event["type"] == "job_finished":
                ends[event["job"]] = event["t"]
    found = {}
    for job, starts in runs.items():
        number = int(re.search(r"\d+$", names[job])[0])
        found[numbers[number] if numbers else number] = (starts[-1], ends[job], len(starts))
    return found


def figures(jobs, times):
    """Returns the makespan, the mean wait and the mean wait of each user, in seconds. A job waits
    from its submission, or from the end of the job before it, to its last start."""
    waits = {}
    for i, job in enumerate(jobs):
        since = max(job["at"], times[job["after"][0]][1] if job["after"] else 0)
        waits.setdefault(job["user"], []).append(times[i][0] - since)
    every = [wait for some in waits.values() for wait in some]
    row = {"makespan": max(end for _, end, _ in times.values()), "wait": sum(every) / len(every)}
    return row | {user: sum(waits[user]) / len(waits[user]) for user in USERS if user in waits}


def same_order(one, other):
    """Returns the share of pairs of jobs that start in the same order. Starts that differ by at most
    a second have any order."""
    same = pairs = 0
    for i in range(len(one)):
        for j in range(i):
            here, there = one[i][0] - one[j][0], other[i][0] - other[j][0]
            same += here * there > 0 or min(abs(here), abs(there)) <= 1
            pairs += 1
    return same / pairs


def same_starts(one, other):
    """Returns the number of jobs whose starts differ by at most two seconds."""
    return sum(abs(one[i][0] - other[i][0]) <= 2 for i in one)


def clock(seconds):
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def write(path, lines):
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")


def save(path, command):
    env = {**os.environ, "SLURM_TIME_FORMAT": "%s"}
    with open(path, "w") as file:
        subprocess.run(command, check=True, stdout=file, env=env)
