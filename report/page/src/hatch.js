// Patterns that charts put over bars. Vega passes them to the canvas as they are. In an SVG, which
// has no place for them, a pattern becomes its fallback color.
const SIZE = 8;
const made = new Map();

function line(context, from, to) {
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(...to);
  context.stroke();
}

/** Draws diagonals that continue in the neighboring tiles. `down`: from the upper left. */
function diagonals(context, down) {
  for (const shift of [-SIZE, 0, SIZE]) {
    const ends = [shift - 1, shift + SIZE + 1];
    line(context, [ends[0], down ? -1 : SIZE + 1], [ends[1], down ? SIZE + 1 : -1]);
  }
}

function make(kind, background, foreground) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = SIZE;
  const context = tile.getContext("2d");
  if (kind === "waits") {
    context.strokeStyle = background;
    context.lineWidth = 3.4;
    diagonals(context, false);
  } else {
    context.globalAlpha = 0.68;
    context.fillStyle = background;
    context.fillRect(0, 0, SIZE, SIZE);
    context.globalAlpha = 0.8;
    context.strokeStyle = foreground;
    context.lineWidth = 0.9;
    diagonals(context, true);
  }
  const pattern = context.createPattern(tile, "repeat");
  pattern.toString = () => `url(#none) ${background}b0`;
  return pattern;
}

/** Returns the pattern of a kind: "waits" or "suspended". Function of Vega's expressions. */
export function hatch(kind, background, foreground) {
  const name = [kind, background, foreground].join();
  if (!made.has(name)) made.set(name, make(kind, background, foreground));
  return made.get(name);
}

/** Returns a fill of a mark with a pattern. */
export const hatched = (kind, colours) => ({
  expr: `hatch('${kind}', '${colours.background}', '${colours.text}')`,
});
