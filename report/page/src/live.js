// Data from the server that serves the page.

const PAUSE_MS = 2000;

const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
const clock = () => new Date().toLocaleTimeString("en-GB");

/** Returns the text that the server answers. The browser sends the ETag of its copy, so an unchanged
 *  answer is not transferred again. */
async function textFrom(source) {
  const reply = await fetch(source, { cache: "no-cache", credentials: "same-origin" });
  if (!reply.ok) throw new Error(`the server answers ${reply.status} ${reply.statusText}`.trim());
  return reply.text();
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
    try {
      text = await textFrom(source);
    } catch (error) {
      console.info(error.message);
      say("the server does not answer; trying again", true);
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
