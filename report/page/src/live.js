// Data from the server that serves the page.

const PAUSE_MS = 2000;
const PROGRESS_MS = 700;

const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
const clock = () => new Date().toLocaleTimeString("en-GB");

/** Returns the text that the server answers. The browser sends the ETag of its copy, so an unchanged
 *  answer is not transferred again. */
async function textFrom(source) {
  const reply = await fetch(source, { cache: "no-cache", credentials: "same-origin" });
  if (reply.ok) return reply.text();
  const error = new Error(`the server answers ${reply.status} ${reply.statusText}`.trim());
  // The server cannot make this page, and says why. The same question gets the same answer.
  if (reply.status === 500) error.final = (await reply.text()).trim();
  throw error;
}

/** Returns whether the data at `source` are of runs, so that the page will have charts. */
export const isOfRuns = (source) => source.startsWith("/api/data");

/** Says which share of a large run's journal the server has read, until the returned function is
 *  called. The server reads it when such a run is opened for the first time. */
function sayProgress(source, say) {
  if (!isOfRuns(source)) return () => {};
  const url = source.replace("/api/data", "/api/progress");
  let said = false;
  const timer = setInterval(async () => {
    const shares = await fetch(url, { credentials: "same-origin" })
      .then((reply) => (reply.ok ? reply.json() : []))
      .catch(() => []);
    if (shares.length === 0) return;
    said = true;
    say(`making the index of a large run: ${Math.round(shares[0] * 100)} % read`);
  }, PROGRESS_MS);
  return () => {
    clearInterval(timer);
    if (said) say("");
  };
}

/** Shows the data at `source` with `show(data)` and, as long as they are live, each newer state of
 *  them. `status` is the element that says so. */
export async function follow(source, show, status) {
  let last = null;
  let live = true;
  const say = (text, isBad = false) => {
    status.hidden = text === "";
    status.textContent = text;
    status.classList.toggle("bad", isBad);
  };
  while (live) {
    let text = null;
    const done = last === null ? sayProgress(source, say) : () => {};
    try {
      text = await textFrom(source);
    } catch (error) {
      console.info(error.message);
      if (error.final) {
        say(error.final, true);
        return;
      }
      say("the server does not answer; trying again", true);
    } finally {
      done();
    }
    if (text !== null) {
      const data = JSON.parse(text);
      live = data.live === true;
      if (text !== last) await show(data);
      last = text;
      const what = data.kind === "list" ? "" : "running, ";
      if (live) say(`${what}last update ${clock()}`);
      else if (!status.hidden) say(`ended, last update ${clock()}`);
    }
    if (live) await pause();
  }
}
