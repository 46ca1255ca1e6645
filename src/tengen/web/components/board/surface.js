// The materials: wood grain, felt, and the lines in shell stones. Everything is a path computed once from a fixed seed,
// so that a redraw costs no filter and no image.
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

// A number for a point that stays the same, for variations between stones.
export const variation = (c, r) => (Math.imul(c + 1, 73856093) ^ Math.imul(r + 1, 19349663)) >>> 0;

const grown = new Map();

// Straight grain: nearly parallel lines of different strength, as three paths from dark to light.
export function woodGrain(width, height) {
  const name = `${width} ${height}`;
  if (grown.has(name)) return grown.get(name);
  const random = randomNumbers(7);
  const paths = ["", "", ""];
  const round = (value) => value.toFixed(1);
  let x = -4;
  let lean = 0;
  while (x < width + 8) {
    x += 2.2 + 9 * random() ** 2;
    lean += (random() - 0.5) * 1.4;
    lean *= 0.93; // neighbours follow each other, as year rings do
    const kind = random() < 0.3 ? 0 : random() < 0.6 ? 1 : 2;
    const third = height / 3;
    let path = `M${round(x)} -2`;
    let at = x;
    for (let part = 0; part < 3; part++) {
      const to = at + lean * 1.6 + (random() - 0.5) * 3;
      path += `C${round(at + lean)} ${round(part * third + third * 0.35)} ${round(to - lean)} ${round(part * third + third * 0.65)} ${round(to)} ${round((part + 1) * third + 2)}`;
      at = to;
    }
    paths[kind] += path;
  }
  grown.set(name, paths);
  return paths;
}

// Short fibres on a square that is repeated over the felt.
export const FELT = 48;
export const felt = (() => {
  const random = randomNumbers(11);
  const paths = ["", ""];
  for (let count = 0; count < 260; count++) {
    const [x, y, dx, dy] = [random() * FELT, random() * FELT, (random() - 0.5) * 3.4, (random() - 0.5) * 3.4];
    paths[count % 2] += `M${x.toFixed(1)} ${y.toFixed(1)}l${dx.toFixed(1)} ${dy.toFixed(1)}`;
  }
  return paths;
})();

// Growth lines of shell stones with a radius, around (0, 0): four patterns, each drawn at several angles.
const shells = new Map();
export function shellLines(radius) {
  if (shells.has(radius)) return shells.get(radius);
  const random = randomNumbers(23);
  const patterns = [];
  for (let pattern = 0; pattern < 4; pattern++) {
    let path = "";
    const bend = 2 + 4 * random();
    for (let y = -radius + 2.5 + 2 * random(); y < radius - 1.5; y += 2.1 + 1.9 * random()) {
      const half = Math.sqrt(Math.max(0, (radius - 0.8) ** 2 - y * y));
      const end = Math.sqrt(Math.max(0, (radius - 0.8) ** 2 - (y - bend / 2) ** 2));
      const reach = Math.min(half, end) * (0.86 + 0.12 * random());
      if (reach > 4) path += `M${(-reach).toFixed(1)} ${y.toFixed(1)}Q0 ${(y + bend).toFixed(1)} ${reach.toFixed(1)} ${y.toFixed(1)}`;
    }
    patterns.push(path);
  }
  shells.set(radius, patterns);
  return patterns;
}
