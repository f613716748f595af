// Colors of page and charts, light and dark. The palettes are by Okabe and Ito and can be
// distinguished by color-blind people. Everything that a color shows is also shown by a shape, a
// dash or a word.

const PALETTE = [
  "#0072b2",
  "#e69f00",
  "#009e73",
  "#cc79a7",
  "#56b4e9",
  "#d55e00",
  "#8a7a00",
  "#6b7280",
];
const PALETTE_DARK = [
  "#4c9fe0",
  "#e69f00",
  "#20b58a",
  "#d78fb8",
  "#8ccbf0",
  "#ec7a2a",
  "#e6dc5a",
  "#9aa3af",
];

const LIGHT = {
  name: "light",
  background: "#ffffff",
  text: "#1b1f24",
  muted: "#57606a",
  grid: "#dfe3e8",
  palette: PALETTE,
  bad: "#d55e00",
};
const DARK = {
  name: "dark",
  background: "#15181d",
  text: "#e6e9ee",
  muted: "#a3adb9",
  grid: "#343b45",
  palette: PALETTE_DARK,
  bad: "#ec7a2a",
};

export const look = (theme) => (theme === "dark" ? DARK : LIGHT);

/** Returns domain and range of a color scale for names; the palette repeats if there are many.
 *  Vega evaluates objects such as {signal: …}, so names from results must become texts. */
export function nominal(names, colours) {
  return {
    domain: names.map(String),
    range: names.map((_, i) => colours.palette[i % colours.palette.length]),
  };
}

const CHARACTER_PX = 6.2; // of a label, on average

/** Returns an axis of names that are shortened in the middle to about this width, so that names that
 *  differ only at their ends stay distinguishable. */
export const namesAxis = (width) => ({
  labelExpr: `truncate(datum.label, ${Math.floor(width / CHARACTER_PX)}, 'center')`,
  labelLimit: 1.4 * width,
  ticks: false,
});

/** Returns Vega's configuration with these colors. */
export function config(colours) {
  const text = { labelColor: colours.text, titleColor: colours.text };
  return {
    background: colours.background,
    font: "system-ui, sans-serif",
    view: { stroke: colours.grid },
    axis: {
      ...text,
      domainColor: colours.muted,
      gridColor: colours.grid,
      tickColor: colours.muted,
      labelFlush: false,
      labelOverlap: "parity",
      labelSeparation: 6,
      labelFontSize: 11,
      titleFontSize: 12,
      titleFontWeight: "normal",
    },
    legend: {
      ...text,
      orient: "top",
      symbolOpacity: 1,
      titleFontWeight: "normal",
      labelLimit: 260,
      columns: 6,
    },
    header: { ...text },
    title: { color: colours.text },
    text: { color: colours.text },
    rule: { color: colours.muted },
    bar: { color: colours.palette[0] },
    line: { color: colours.palette[0] },
    point: { color: colours.palette[0] },
  };
}
