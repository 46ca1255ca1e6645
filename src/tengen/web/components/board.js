// The board of every game, as SVG. It draws positions and reports where the user wants to move; it knows no rules.
//
// `board` is a position (see web/board_data.py): stones, labels, the legal moves with their points. Frequent changes
// come by methods: `show` a position, `setOverlays`, `preview` a line, `showAim` for the effect of a move.
const U = 40; // one point, in units of the drawing
let boards = 0;
let audio = null;

function tock(hollow) {
  try {
    audio = audio || new (window.AudioContext || window.webkitAudioContext)();
    const time = audio.currentTime;
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    tone.type = "triangle";
    tone.frequency.setValueAtTime(hollow ? 520 : 900, time);
    tone.frequency.exponentialRampToValueAtTime(hollow ? 180 : 240, time + 0.05);
    volume.gain.setValueAtTime(0.35, time);
    volume.gain.exponentialRampToValueAtTime(0.001, time + 0.09);
    tone.connect(volume).connect(audio.destination);
    tone.start(time);
    tone.stop(time + 0.1);
  } catch (error) {
    // no sound available
  }
}

const key = (point) => `${point[0]},${point[1]}`;
const same = (one, two) => one && two && one[0] === two[0] && one[1] === two[1];

export default {
  template: `
  <div class="tg-board" :class="['tg-' + pic.kind, 'tg-game-' + pic.game, {'tg-strip': isStrip, 'tg-live': isLive}]" ref="frame">
    <svg ref="svg" :viewBox="viewBox" role="application" tabindex="0" :aria-label="summary"
         :style="{touchAction: isLive && confirms('touch') ? 'none' : 'manipulation'}"
         @pointerdown="down" @pointermove="move" @pointerup="up" @pointerleave="leave" @pointercancel="leave"
         @keydown="press" @blur="keyboard = false; hover = null" @contextmenu.prevent>
      <defs>
        <radialGradient :id="id + 'first'" cx="35%" cy="30%" r="75%">
          <stop offset="0%" class="tg-first-light" /><stop offset="100%" class="tg-first-dark" />
        </radialGradient>
        <radialGradient :id="id + 'second'" cx="35%" cy="30%" r="80%">
          <stop offset="0%" class="tg-second-light" /><stop offset="100%" class="tg-second-dark" />
        </radialGradient>
        <marker :id="id + 'head'" viewBox="0 0 10 10" refX="7" refY="5" markerWidth="2.3" markerHeight="2.3" orient="auto">
          <path d="M0 0L10 5L0 10z" class="tg-arrow-head" />
        </marker>
        <filter :id="id + 'blur'"><feGaussianBlur stdDeviation="1.4" /></filter>
      </defs>
      <g v-if="hasBar" class="tg-bar">
        <title>{{ over.barText || '' }}</title>
        <rect class="tg-bar-second" :x="-barWide" y="0" :width="barWide * 0.6" :height="frame[3]" rx="3" />
        <rect class="tg-bar-first" :x="-barWide" :y="frame[3] * (0.5 - 0.5 * over.bar)" :width="barWide * 0.6" :height="frame[3] * (0.5 + 0.5 * over.bar)" rx="3" />
      </g>
      <rect class="tg-ground" :x="frame[0]" :y="frame[1]" :width="frame[2]" :height="frame[3]" rx="5" />
      <template v-if="pic.kind === 'cells'">
        <rect v-for="cell in cells" :key="'c' + cell.key" v-memo="[cell]" class="tg-cell" :class="{'tg-odd': cell.odd, 'tg-hole': cell.hole}"
              :x="cell.x - 20" :y="cell.y - 20" width="40" height="40" />
      </template>
      <path v-else class="tg-lines" :d="lines" />
      <circle v-for="star in pic.stars" :key="'s' + star" class="tg-star" :cx="at(star).x" :cy="at(star).y"
              :r="pic.kind === 'cells' ? 2.6 : 3.4" />
      <g v-if="config.coordinates !== false" class="tg-labels" aria-hidden="true">
        <text v-for="label in labels" :key="label.key" v-memo="[label]" :x="label.x" :y="label.y" :font-size="label.size">{{ label.text }}</text>
      </g>
      <g v-if="over.heat" class="tg-heat">
        <path v-for="spot in over.heat" :key="'h' + spot[0] + ',' + spot[1]" :d="spotShape(spot, 1)"
              :fill="heatColour(spot[2])" :opacity="heatStrength(spot[2])"><title>{{ spot[3] }}</title></path>
      </g>
      <rect v-if="pic.kind === 'cells'" v-for="last in pic.last" :key="'l' + last" class="tg-last-cell"
            :x="at(last).x - 19" :y="at(last).y - 19" width="38" height="38" />
      <g v-if="isLive && showsDots">
        <circle v-for="dot in dots" :key="'d' + dot" class="tg-dot" :cx="at(dot).x" :cy="at(dot).y" r="5" />
      </g>
      <transition-group tag="g" name="tg-stone">
        <g v-for="stone in stones" :key="stone.key" class="tg-stone" :class="{'tg-dead': stone.dead, 'tg-lost': stone.lost}"
           :data-point="stone.name" :data-colour="stone.colour">
          <circle v-if="!stone.dead" class="tg-shade" :cx="stone.x + 1.4" :cy="stone.y + 2" :r="radius" />
          <circle :cx="stone.x" :cy="stone.y" :r="radius" :fill="'url(#' + id + (stone.colour ? 'second' : 'first') + ')'"
                  class="tg-disc" :class="stone.colour ? 'tg-second' : 'tg-first'" />
          <text v-if="config.letters" class="tg-letter" :class="stone.colour ? 'tg-on-second' : 'tg-on-first'"
                :x="stone.x" :y="stone.y">{{ stone.colour ? 'O' : 'X' }}</text>
        </g>
      </transition-group>
      <g class="tg-over">
        <path v-for="spot in heatOnStones" :key="'hs' + spot[0] + ',' + spot[1]" class="tg-spot" :d="spotShape(spot, 0.42)" :fill="heatColour(spot[2])" />
        <circle v-for="ring in stringRings" :key="'sr' + ring.key" class="tg-string" :class="ring.kind" :cx="ring.x" :cy="ring.y" :r="radius - 2.5" />
        <template v-for="text in texts" :key="'t' + text.key">
          <circle v-if="text.ring" class="tg-ring" :class="text.ring" :cx="text.x" :cy="text.y" :r="text.radius || (pic.kind === 'cells' ? 16.5 : radius - 2)" />
          <text :x="text.x" :y="text.y" :font-size="text.size" :class="text.on" :data-label="name(text.point)">{{ text.text }}</text>
        </template>
        <circle v-if="pic.kind === 'points' && !numbered" v-for="last in pic.last" :key="'m' + last" class="tg-last-point"
                :class="colourAt(last) === 1 ? 'tg-on-second' : 'tg-on-first'" :cx="at(last).x" :cy="at(last).y" r="6.5" />
      </g>
      <g v-for="mark in pic.marks" :key="'k' + mark.c + ',' + mark.r + mark.shape" class="tg-mark" :class="onClass([mark.c, mark.r])">
        <text v-if="mark.text" :x="at([mark.c, mark.r]).x" :y="at([mark.c, mark.r]).y" font-size="17">{{ mark.text }}</text>
        <path v-else :d="shape(mark)" />
      </g>
      <g class="tg-arrows">
        <line v-for="(arrow, index) in arrows" :key="'a' + index" :class="'tg-arrow-' + Math.min(3, arrow.rank)"
              :x1="arrow.x1" :y1="arrow.y1" :x2="arrow.x2" :y2="arrow.y2" :marker-end="'url(#' + id + 'head)'" />
      </g>
      <g v-for="ghost in ghosts" :key="'g' + ghost.key" class="tg-ghost" :class="{'tg-sure': ghost.sure}">
        <circle :cx="ghost.x" :cy="ghost.y" :r="radius" :fill="'url(#' + id + (ghost.colour ? 'second' : 'first') + ')'"
                class="tg-disc" :class="ghost.colour ? 'tg-second' : 'tg-first'" />
        <text v-if="ghost.label" :x="ghost.x" :y="ghost.y" font-size="16" :class="ghost.colour ? 'tg-on-second' : 'tg-on-first'">{{ ghost.label }}</text>
      </g>
      <g v-if="chosen">
        <circle class="tg-chosen" :cx="at(chosen).x" :cy="at(chosen).y" :r="radius + 1.5" />
        <circle v-for="goal in goals" :key="'o' + goal" class="tg-goal" :cx="at(goal).x" :cy="at(goal).y" :r="radius + 1.5" />
      </g>
      <path v-if="dragging && trying" class="tg-cross" :d="cross" />
      <rect v-if="keyboard && cursor" class="tg-cursor" :x="at(cursor).x - 19" :y="at(cursor).y - 19" width="38" height="38" rx="6" />
    </svg>
    <div v-if="aimText || trying || noted" class="tg-aim" :class="{'tg-problem': aim && aim.problem, 'tg-aim-top': noted && hover[1] * 2 >= rows}">
      <span class="tg-aim-text">{{ aimText || noted }}</span>
      <template v-if="trying && !dragging">
        <button type="button" class="tg-yes" @click="confirm">Play {{ trying.text }}</button>
        <button type="button" class="tg-no" @click="cancel" aria-label="Cancel">✕</button>
      </template>
    </div>
    <div class="tg-sr" aria-live="polite">{{ said }}</div>
  </div>`,
  props: { board: Object, config: Object, overlays: Object },
  data() {
    return {
      id: `tg${++boards}-`,
      pic: this.board,
      over: this.overlays || {},
      cursor: null,
      keyboard: false,
      hover: null,
      chosen: null,
      trying: null,
      pending: null,
      dragging: false,
      aim: null,
      aimText: "",
      ahead: null,
      said: "",
      wide: 600,
    };
  },
  mounted() {
    this.watcher = new ResizeObserver((entries) => (this.wide = entries[0].contentRect.width || 600));
    this.watcher.observe(this.$refs.frame);
  },
  unmounted() {
    this.watcher.disconnect();
    clearTimeout(this.asking);
    clearTimeout(this.speaking);
  },
  computed: {
    columns() { return this.pic.columns.length; },
    rows() { return this.pic.rows.length; },
    isStrip() { return this.rows === 1 && this.columns > 8; },
    perRow() {
      // A long strip is drawn in several rows rather than too small to hit.
      if (!this.isStrip) return this.columns;
      const fits = Math.max(5, Math.floor((this.wide - 8) / 44));
      if (this.columns <= fits) return this.columns;
      return Math.ceil(this.columns / Math.ceil(this.columns / fits));
    },
    stripRows() { return this.isStrip ? Math.ceil(this.columns / this.perRow) : 1; },
    margin() { return this.config.coordinates === false ? 6 : this.isStrip ? 4 : this.pic.kind === "cells" ? 22 : 24; },
    top() { return this.config.coordinates === false ? 6 : this.isStrip ? 20 : this.margin; },
    frame() {
      if (this.isStrip) return [0, 0, this.perRow * U + 8, this.stripRows * 64 + 2];
      const end = this.pic.kind === "cells" ? 6 : this.margin;
      return [0, 0, this.columns * U + this.margin + end, this.rows * U + this.top + end];
    },
    hasBar() { return this.over.bar !== undefined && this.over.bar !== null && !this.isStrip; },
    barWide() { return this.frame[3] / 26; },
    viewBox() { return this.hasBar ? `${-this.barWide} 0 ${this.frame[2] + this.barWide} ${this.frame[3]}` : this.frame.join(" "); },
    radius() { return this.pic.kind === "cells" ? 15.5 : 18.6; },
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
    shown() { return this.played ? this.played.stones : this.pic.stones; },
    isLive() { return !this.ahead && (this.pic.moves.length > 0 || !!this.config.marking); },
    byPoint() {
      const found = new Map();
      for (const [text, ...points] of this.pic.moves) if (points.length === 1) found.set(key(points[0]), text);
      return found;
    },
    froms() {
      const found = new Map();
      for (const [text, ...points] of this.pic.moves) {
        if (points.length < 2) continue;
        const origin = key(points[0]);
        if (!found.has(origin)) found.set(origin, []);
        found.get(origin).push({ to: points[points.length - 1], text });
      }
      return found;
    },
    goals() { return this.chosen ? (this.froms.get(key(this.chosen)) || []).map((way) => way.to) : []; },
    showsDots() { return this.config.dots === true || (this.config.dots !== false && this.pic.game === "othello"); },
    dots() { return this.froms.size ? [] : [...this.byPoint.keys()].map((text) => text.split(",").map(Number)); },
    numbered() { return this.config.numbers || (this.played && this.played.numbers); },
    cells() {
      const found = [];
      for (let r = 0; r < this.rows; r++)
        for (let c = 0; c < this.columns; c++) {
          const { x, y } = this.at([c, r]);
          found.push({ key: `${c},${r}`, x, y, odd: (c + r) % 2 === 1, hole: this.pic.game === "clobber" && this.shown[r * this.columns + c] === "." });
        }
      return found;
    },
    lines() {
      const start = this.at([0, 0]);
      const end = this.at([this.columns - 1, this.rows - 1]);
      let path = "";
      for (let c = 0; c < this.columns; c++) path += `M${this.at([c, 0]).x} ${start.y}V${end.y}`;
      for (let r = 0; r < this.rows; r++) path += `M${start.x} ${this.at([0, r]).y}H${end.x}`;
      return path;
    },
    labels() {
      const found = [];
      const widest = Math.max(...this.pic.columns.map((label) => label.length), 1);
      const size = widest > 2 ? 9.5 : 11.5;
      for (let c = 0; c < this.columns; c++) {
        const { x, y } = this.at([c, 0]);
        const above = this.isStrip ? y - 28 : this.top / 2 - (this.pic.kind === "cells" ? 0 : 1);
        found.push({ key: `c${c}`, x, y: above, text: this.pic.columns[c], size });
        if (this.pic.kind === "points" && !this.isStrip)
          found.push({ key: `d${c}`, x, y: this.frame[3] - 11, text: this.pic.columns[c], size });
      }
      if (!this.isStrip)
        for (let r = 0; r < this.rows; r++) {
          const { y } = this.at([0, r]);
          found.push({ key: `r${r}`, x: this.margin / 2, y, text: this.pic.rows[r], size });
          if (this.pic.kind === "points") found.push({ key: `e${r}`, x: this.frame[2] - this.margin / 2, y, text: this.pic.rows[r], size });
        }
      return found;
    },
    // As text, so that an unchanged value does not redraw the stones.
    deadText() { return (this.over.dead || []).map(key).join(" "); },
    lostText() { return ((this.aim && this.aim.lost) || []).map(key).join(" "); },
    leftText() { return this.pending && this.pending.from ? `${key(this.pending.from)} ${key(this.pending.point)}` : ""; },
    stones() {
      const found = [];
      const dead = new Set(this.deadText.split(" "));
      const lost = new Set(this.lostText.split(" "));
      const left = new Set(this.leftText.split(" "));
      for (let r = 0; r < this.rows; r++)
        for (let c = 0; c < this.columns; c++) {
          const symbol = this.shown[r * this.columns + c];
          const here = `${c},${r}`;
          if (symbol === "." || left.has(here)) continue;
          const colour = symbol === "X" ? 0 : 1;
          found.push({ key: here + symbol, name: this.name([c, r]), ...this.at([c, r]), colour, dead: dead.has(here), lost: lost.has(here) });
        }
      return found;
    },
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
    ghosts() {
      const found = [];
      const add = (point, colour, label, sure) => found.push({ key: key(point), ...this.at(point), colour, label, sure });
      if (this.played) return found;
      if (this.pending) add(this.pending.point, this.pic.toMove, "", true);
      else if (this.trying) add(this.trying.point, this.pic.toMove, "", false);
      else if (this.hover && this.isLive && !this.config.marking) {
        const legal = this.chosen ? this.goals.some((goal) => same(goal, this.hover)) : this.byPoint.has(key(this.hover));
        if (legal) add(this.hover, this.pic.toMove, "", false);
      }
      if (!this.pending && !this.trying)
        for (const [c, r, colour, label] of this.over.ghosts || []) if (!same([c, r], this.hover)) add([c, r], colour, label, false);
      return found;
    },
    cross() {
      const { x, y } = this.at(this.trying.point);
      return `M${x} ${this.frame[1]}V${this.frame[1] + this.frame[3]}M${this.frame[0]} ${y}H${this.frame[0] + this.frame[2]}`;
    },
    summary() {
      const stones = [...this.pic.stones];
      const first = stones.filter((stone) => stone === "X").length;
      const second = stones.filter((stone) => stone === "O").length;
      const size = this.rows === 1 ? `a strip of ${this.columns}` : `${this.columns} by ${this.rows}`;
      return `${this.pic.title}, ${size}: ${first} ${this.pic.players[0]}, ${second} ${this.pic.players[1]}. Arrow keys move, Enter plays.`;
    },
  },
  methods: {
    // ---- called by the server
    show(board) {
      const before = this.pic;
      this.pic = board;
      this.ahead = null;
      // Keep a move that is being tried if the position is unchanged: the update may be an offer or a clock.
      const unchanged = board.ply === before.ply && board.stones === before.stones && board.moves.length === before.moves.length;
      if (!unchanged || this.pending) {
        this.pending = this.trying = this.chosen = null;
        this.dragging = false;
        this.setAim(null);
      }
      if (board.ply === before.ply + 1 && board.lastText) {
        const hollow = board.stones.replace(/\./g, "").length <= before.stones.replace(/\./g, "").length;
        // After drawing the stone, because the first sound of a page is slow.
        if (this.config.sound) requestAnimationFrame(() => setTimeout(() => tock(hollow)));
        this.say(`${board.players[1 - board.toMove] || ""} ${board.lastText}`);
      }
    },
    setOverlays(over) { this.over = over; },
    preview(ahead) { this.ahead = ahead; },
    showAim(aim) { if (!this.asked || same(this.asked, aim.point)) this.setAim(aim); },
    reject(text) {
      this.pending = this.trying = null;
      this.setAim({ text, problem: true });
    },
    setAim(aim) {
      this.aim = aim;
      this.aimText = aim ? aim.text : "";
      if (aim) this.say(aim.text);
    },
    say(text) { this.said = text; },
    // ---- geometry
    at(point) {
      if (this.isStrip) {
        const row = Math.floor(point[0] / this.perRow);
        return { x: 4 + U / 2 + (point[0] % this.perRow) * U, y: 20 + U / 2 + row * 64 };
      }
      return { x: this.margin + U / 2 + point[0] * U, y: this.top + U / 2 + point[1] * U };
    },
    name(point) {
      return this.rows === 1 ? this.pic.columns[point[0]] : this.pic.columns[point[0]] + this.pic.rows[point[1]];
    },
    point(event) {
      const matrix = this.$refs.svg.getScreenCTM();
      if (!matrix) return null;
      const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
      let c, r;
      if (this.isStrip) {
        const row = Math.floor((place.y - 8) / 64);
        c = Math.floor((place.x - 4) / U) + row * this.perRow;
        r = 0;
        if (row < 0 || (place.x - 4) / U >= this.perRow) return null;
      } else {
        c = Math.floor((place.x - this.margin) / U);
        r = Math.floor((place.y - this.top) / U);
      }
      return c >= 0 && r >= 0 && c < this.columns && r < this.rows ? [c, r] : null;
    },
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
    // ---- user input
    confirms(kind) { return this.config.confirm === "always" || (this.config.confirm === "touch" && kind !== "mouse"); },
    down(event) {
      if (event.button > 0) return;
      const point = this.point(event);
      if (!point) return;
      this.cursor = point;
      this.keyboard = false;
      this.pressed = point;
      if (event.pointerType !== "mouse") this.hover = null;
      if (this.isLive && !this.config.marking && this.confirms(event.pointerType) && !this.froms.size) {
        if (this.trying && same(this.trying.point, point)) return; // the end of a second tap confirms
        this.dragging = true;
        this.$refs.svg.setPointerCapture(event.pointerId);
        this.tryAt(point);
      } else if (this.froms.has(key(point))) {
        this.wasChosen = same(this.chosen, point);
        if (!this.chosen || !this.goals.some((goal) => same(goal, point))) this.choose(point);
      }
    },
    move(event) {
      const point = this.point(event);
      if (this.dragging) {
        if (point && !(this.trying && same(this.trying.point, point))) this.tryAt(point);
        return;
      }
      if (event.pointerType === "mouse" && !same(point, this.hover)) {
        this.hover = point;
        if (this.aim && !this.trying) this.setAim(null);
      }
    },
    up(event) {
      const point = this.point(event);
      if (this.dragging) {
        this.dragging = false;
        if (this.trying && !this.trying.text) this.trying = null;
        return;
      }
      const pressed = this.pressed;
      this.pressed = null;
      if (!point || !pressed) return;
      if (same(point, pressed)) this.tap(point, event.pointerType);
      else if (this.chosen && same(pressed, this.chosen)) this.tap(point, event.pointerType); // dragged onto the target
    },
    leave() {
      this.hover = null;
      if (this.dragging) this.cancel();
    },
    tap(point, kind) {
      if (this.config.marking) return this.$emit("mark", { point });
      if (this.byString.has(key(point))) return (this.hover = point); // on touch screens a tap replaces hovering
      if (!this.isLive) return this.$emit("tap", { point });
      if (this.trying && same(this.trying.point, point) && this.trying.text) return this.confirm();
      if (this.froms.size) {
        const way = this.chosen && this.froms.get(key(this.chosen)).find((one) => same(one.to, point));
        if (way) return this.attempt(way.text, point, kind);
        if (this.froms.has(key(point))) {
          if (this.wasChosen) this.chosen = null;
          this.wasChosen = false;
          return;
        }
        return this.askAim(point);
      }
      const text = this.byPoint.get(key(point));
      return text ? this.attempt(text, point, kind) : this.askAim(point);
    },
    choose(point) {
      this.chosen = point;
      this.trying = null;
      const ways = this.froms.get(key(point));
      if (this.keyboard) this.say(`${this.name(point)} can go to ${ways.map((way) => this.name(way.to)).join(" or ")}`);
    },
    attempt(text, point, kind) {
      if (!this.confirms(kind)) return this.play(text, point);
      this.trying = { text, point };
      this.askAim(point);
    },
    tryAt(point) {
      this.trying = { text: this.byPoint.get(key(point)) || "", point };
      clearTimeout(this.asking);
      this.asking = setTimeout(() => this.askAim(point), 60);
    },
    confirm() {
      if (this.trying && this.trying.text) this.play(this.trying.text, this.trying.point);
    },
    cancel() {
      this.trying = this.chosen = null;
      this.dragging = false;
      this.setAim(null);
    },
    play(text, point) {
      this.pending = { point, from: this.chosen };
      this.trying = this.chosen = null;
      this.setAim(null);
      this.$emit("move", { move: text, ply: this.pic.ply });
    },
    askAim(point) {
      this.asked = point;
      this.$emit("aim", { point, from: this.chosen, ply: this.pic.ply });
    },
    press(event) {
      const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
      if (steps[event.key] && !event.altKey && !event.ctrlKey && !event.metaKey) {
        event.preventDefault();
        event.stopPropagation();
        const [c, r] = this.cursor || [Math.floor(this.columns / 2), Math.floor(this.rows / 2)];
        const [right, down] = steps[event.key];
        this.cursor = this.keyboard || !this.cursor
          ? [Math.max(0, Math.min(this.columns - 1, c + right)), Math.max(0, Math.min(this.rows - 1, r + down))]
          : [c, r];
        this.keyboard = true;
        this.hover = this.cursor;
        const colour = this.colourAt(this.cursor);
        const legal = this.froms.size ? this.froms.has(key(this.cursor)) || this.goals.some((goal) => same(goal, this.cursor)) : this.byPoint.has(key(this.cursor));
        this.say(`${this.name(this.cursor)}, ${colour === null ? "empty" : this.pic.players[colour]}${legal ? ", can be played" : ""}${this.noted ? ". " + this.noted : ""}`);
      } else if ((event.key === "Enter" || event.key === " ") && this.cursor) {
        event.preventDefault();
        event.stopPropagation();
        this.keyboard = true;
        if (this.froms.has(key(this.cursor)) && !same(this.chosen, this.cursor) && !this.goals.some((goal) => same(goal, this.cursor))) this.choose(this.cursor);
        else this.tap(this.cursor, "mouse");
      } else if (event.key === "Escape") this.cancel();
    },
  },
};
