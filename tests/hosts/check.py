"""Checks the results of a run over hosts: all jobs done, clocks as they were set, events in their order."""
import json
import sys

out = sys.argv[1]
journal = [json.loads(line) for line in open(f"{out}/journal.jsonl")]
summary = json.load(open(f"{out}/summary.json"))
wrong = []


def check(what, holds):
    print(("ok      " if holds else "WRONG   ") + what)
    if not holds:
        wrong.append(what)


check(f"status {summary['status']}", summary["status"] == "done")
check("all jobs completed", all(job["state"] == "completed" for job in summary["jobs"]))
check(f"{summary['lost']} containers lost and done again", summary["lost"] > 0)

ahead = {"h1": 1000.0, "h2": 86400.0, "h3": 0.0}
for row in summary["hosts"]:
    offset, doubt = row["clock_offset_s"], row["clock_uncertainty_s"]
    error = abs(offset - ahead[row["host"]])
    check(f"{row['node']} on {row['host']}: clock {offset:.6f} s ahead, +- {doubt * 1e6:.0f} us, "
          f"truly {error * 1e6:.0f} us off", error <= doubt + 1e-9 and doubt < 0.01)
check("the node for h3 was there", ("third", "h3") in {(r["node"], r["host"]) for r in summary["hosts"]})

launched, started, ended, latencies = {}, {}, {}, []
for line in journal:
    if line["type"] == "launch":
        launched[line["container"]] = line["t"]
    if line["type"] == "container_started":
        started[line["container"]] = line["t"]
        latencies.append(line["launch_ms"])
    if line["type"] == "container_ended":
        ended[line["container"]] = line["t"]
check("no container started before its launch", all(t >= launched[c] for c, t in started.items()))
check("none ended before its start", all(t >= started.get(c, 0) for c, t in ended.items()))
latencies.sort()
check(f"launch in {latencies[len(latencies) // 2]:.1f} ms in the median, {latencies[-1]:.1f} at most",
      latencies[len(latencies) // 2] < 1000)
remote = sum(line.get("read_remote", 0) for line in journal if line["type"] == "container_ended")
check(f"{remote / 2**20:.0f} emulated MiB read over the network", remote > 0)
sys.exit(bool(wrong))
