// Changes of the position, shown as movement: stones placed, captured, slid and flipped. Nothing moves for users who
// asked their system for reduced motion.
import { COLOURS, key, same } from "./geometry.js";
import { playSound } from "./sound.js";

const STEP_MS = 55; // between a disc and the next one further away
const LONGEST_WAIT_MS = 400;
const LENGTH_MS = 420; // of the longest single animation

const still = () => !window.matchMedia || matchMedia("(prefers-reduced-motion: reduce)").matches;

// What differs between two positions, given as letters row by row. `moved` are the points of the move between them.
export function changes(before, after, columns, moved) {
  const found = { placed: [], removed: [], turned: [], slide: null };
  if (before.length !== after.length) return found;
  const symbol = (stones, point) => stones[point[1] * columns + point[0]];
  const [from, to] = moved.length === 2 ? moved : [];
  if (from)
    for (const [start, end] of [[from, to], [to, from]])
      if (symbol(before, start) !== "." && symbol(after, start) === "." && symbol(after, end) === symbol(before, start))
        found.slide = { from: start, to: end };
  for (let index = 0; index < after.length; index++) {
    if (before[index] === after[index]) continue;
    const point = [index % columns, Math.floor(index / columns)];
    if (found.slide && same(point, found.slide.from)) continue;
    if (before[index] === ".") found.placed.push(point);
    else if (after[index] === "." || (found.slide && same(point, found.slide.to))) found.removed.push(point);
    else found.turned.push(point);
  }
  return found;
}

export const effects = {
  data() { return { effects: {}, leaving: [], sounded: "" }; },
  unmounted() { clearTimeout(this.settling); },
  methods: {
    // Show how the board became what it is; `moved` are the points of the move, `isHeard` whether it is a new move.
    animate(before, after, moved, isHeard) {
      const found = changes(before, after, this.columns, moved);
      if (isHeard) this.soundOf(found);
      this.settle();
      if (still() || document.hidden || found.placed.length > 3) return;
      const origin = moved[moved.length - 1] || found.placed[0];
      const wait = (point) =>
        origin ? Math.min(LONGEST_WAIT_MS, (Math.max(Math.abs(point[0] - origin[0]), Math.abs(point[1] - origin[1])) - 1) * STEP_MS + 60) : 0;
      const shown = {};
      for (const point of found.placed) shown[key(point)] = { kind: "placed", wait: 0 };
      for (const point of found.turned) shown[key(point)] = { kind: "turned", wait: wait(point) };
      if (found.slide) {
        const from = this.at(found.slide.from), to = this.at(found.slide.to);
        const arrives = after[found.slide.to[1] * this.columns + found.slide.to[0]];
        if (arrives !== ".") shown[key(found.slide.to)] = { kind: "slid", wait: 0, dx: from.x - to.x, dy: from.y - to.y };
      }
      this.effects = shown;
      this.leaving = found.removed.map((point) => ({
        ...this.stoneAt(point, COLOURS.indexOf(before[point[1] * this.columns + point[0]])),
        wait: found.slide ? 60 : wait(point),
      }));
      const longest = Math.max(0, ...Object.values(shown).map((one) => one.wait), ...this.leaving.map((one) => one.wait));
      this.settling = setTimeout(this.settle, longest + LENGTH_MS);
    },
    settle() {
      clearTimeout(this.settling);
      if (Object.keys(this.effects).length) this.effects = {};
      if (this.leaving.length) this.leaving = [];
    },
    soundOf(found) {
      if (found.slide) this.sound("clobber");
      else if (found.turned.length) this.sound("flip", found.turned.length);
      else if (found.removed.length) this.sound("capture", found.removed.length);
      else if (found.placed.length) this.sound("stone");
    },
    // Also called by the server, for the end of a game.
    sound(name, count = 1) {
      this.sounded = name;
      playSound(name, count);
    },
  },
};
