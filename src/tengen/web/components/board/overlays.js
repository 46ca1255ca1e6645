// What is drawn on top of a position: heat, labels, candidates, arrows, strings, marks, translucent stones.
import { key, same } from "./geometry.js";

export const overlays = {
  computed: {
    byString() {
      const found = new Map();
      for (const string of this.over.strings || []) for (const point of string.points) found.set(key(point), string);
      return found;
    },
    pointed() { return this.hover && !this.ahead && !this.trying && !this.dragging ? this.byString.get(key(this.hover)) || null : null; },
    noted() { return this.pointed ? this.pointed.text : ""; },
    // The line to preview: the server's, or that of the string under the pointer.
    played() { return this.ahead || (this.pointed && this.pointed.stones ? this.pointed : null); },
    stringRings() {
      if (this.ahead) return [];
      const strings = this.played ? [this.pointed] : this.over.strings || [];
      return strings.flatMap((string) => string.points.map((point) => ({ key: key(point), ...this.at(point), kind: "tg-string-" + string.kind })));
    },
    heatOnStones() { return (this.over.heat || []).filter((spot) => this.colourAt(spot) !== null); },
    numbered() { return this.config.numbers || (this.played && this.played.numbers); },
    winning() { return this.played || this.pending ? [] : this.pic.winning || []; },
    texts() {
      const found = [];
      const taken = new Set();
      const add = (c, r, text, more) => {
        if (taken.has(`${c},${r}`)) return;
        taken.add(`${c},${r}`);
        const short = String(text);
        const size = more.size || (short.length > 4 ? 10 : short.length > 2 ? 12.5 : 16);
        found.push({ key: `${c},${r}`, point: [c, r], ...this.at([c, r]), text: short, on: this.onClass([c, r]), ...more, size });
      };
      if (this.played) {
        for (const [c, r, number] of this.played.numbers || []) add(c, r, number, {});
        return found;
      }
      for (const string of this.over.strings || []) for (const [c, r] of string.points) add(c, r, string.sign, { size: 14 });
      for (const one of this.over.candidates || [])
        add(one[0], one[1], one[2], { ring: `tg-rank tg-rank-${Math.min(4, one[3])}`, on: "tg-on-rank", size: String(one[2]).length > 4 ? 9.5 : 11.5 });
      const labels = this.over.labels || [];
      for (const [c, r, text, side] of labels) {
        if (side === undefined) { add(c, r, text, {}); continue; }
        // A label is drawn on a disc of its side's colour; labels of both sides are drawn side by side.
        const shift = labels.some((one) => one[3] === 1 - side && same(one, [c, r])) ? (side ? 9.5 : -9.5) : 0;
        const { x, y } = this.at([c, r]);
        const text_ = String(text);
        found.push({ key: `${c},${r},${side}`, point: [c, r], x: x + shift, y, text: text_, ring: `tg-side tg-side-${side}`, on: side ? "tg-on-second" : "tg-on-first",
          radius: shift ? 9.5 : 12, size: text_.length > 1 ? (shift ? 9.5 : 11.5) : shift ? 11.5 : 14 });
      }
      if (this.config.numbers) for (const [c, r, number] of this.pic.numbers || []) add(c, r, number, {});
      return found;
    },
    arrows() {
      return (this.over.arrows || []).map(([c, r, c2, r2, rank]) => {
        const from = this.at([c, r]);
        const to = this.at([c2, r2]);
        const bend = (rank || 0) * 5 - 5; // separates arrows between the same points
        return { x1: from.x, y1: from.y + bend, x2: to.x - (to.x - from.x) * 0.12, y2: to.y + bend, rank: rank || 0 };
      });
    },
    // Translucent stones: the move that is tried or pointed at, and the expected line.
    ghosts() {
      const found = [];
      const add = (point, colour, label) => found.push({ ...this.stoneAt(point, colour), label });
      if (this.played || this.pending) return found;
      if (this.trying) add(this.trying.point, this.pic.toMove, "");
      else if (this.hover && this.isLive && !this.config.marking) {
        const legal = this.chosen ? this.goals.some((goal) => same(goal, this.hover)) : this.byPoint.has(key(this.hover));
        if (legal) add(this.hover, this.pic.toMove, "");
      }
      if (!this.trying)
        for (const [c, r, colour, label] of this.over.ghosts || []) if (!same([c, r], this.hover)) add([c, r], colour, label);
      return found;
    },
    cross() {
      const { x, y } = this.at(this.trying.point);
      return `M${x} ${this.frame[1]}V${this.frame[1] + this.frame[3]}M${this.frame[0]} ${y}H${this.frame[0] + this.frame[2]}`;
    },
  },
  methods: {
    colourAt(point) {
      const symbol = this.shown[point[1] * this.columns + point[0]];
      return symbol === "X" ? 0 : symbol === "O" ? 1 : null;
    },
    onClass(point) {
      const colour = this.colourAt(point);
      return colour === 0 ? "tg-on-first" : colour === 1 ? "tg-on-second" : "tg-on-board";
    },
    shape(mark) {
      const { x, y } = this.at([mark.c, mark.r]);
      if (mark.shape === "triangle") return `M${x} ${y - 9}L${x + 8} ${y + 5}H${x - 8}Z`;
      if (mark.shape === "square") return `M${x - 7} ${y - 7}h14v14h-14Z`;
      if (mark.shape === "circle") return `M${x - 8} ${y}a8 8 0 1 0 16 0a8 8 0 1 0 -16 0`;
      return `M${x - 7} ${y - 7}l14 14M${x + 7} ${y - 7}l-14 14`;
    },
    // Squares for the first player, diamonds for the second; distinguishable without colours. Size shows the amount.
    spotShape(spot, scale) {
      const { x, y } = this.at(spot);
      const half = (6 + 12.5 * Math.sqrt(Math.abs(spot[2]))) * scale;
      if (spot[2] < 0) return `M${x} ${y - half * 1.2}L${x + half * 1.2} ${y}L${x} ${y + half * 1.2}L${x - half * 1.2} ${y}Z`;
      return `M${x - half} ${y - half}h${2 * half}v${2 * half}h${-2 * half}Z`;
    },
    heatColour(value) { return value < 0 ? "#e69f00" : "#0072b2"; },
    heatStrength(value) { return Math.min(0.8, 0.08 + 0.72 * Math.abs(value)); },
  },
};
