// A graph of values from -1 to 1 over the moves of a game: axes, an area, marks at mistakes, a line at the current
// move, and the part whose values are proved. A click selects a move. Without values it takes no space.
const LEFT = 40, RIGHT = 6, TOP = 5, BOTTOM = 15; // margins around the plot, in pixels
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

export default {
  template: `
  <div class="tg-graph" ref="frame" role="img" :aria-label="label" v-show="points.length > 1">
    <svg :viewBox="'0 0 ' + wide + ' ' + tall" @pointermove="move" @pointerdown="move" @pointerleave="hover = null" @click="go">
      <rect class="tg-graph-first" :x="left" :y="top" :width="plotWide" :height="plotTall / 2" />
      <rect class="tg-graph-second" :x="left" :y="top + plotTall / 2" :width="plotWide" :height="plotTall / 2" />
      <g v-for="tick in axis" :key="'y' + tick.share">
        <line class="tg-graph-grid" :class="{'tg-graph-middle': tick.share === 0}" :x1="left" :x2="wide - right" :y1="y(tick.share)" :y2="y(tick.share)" />
        <text v-if="tick.label" class="tg-graph-text" text-anchor="end" :x="left - 5" :y="y(tick.share) + 3.5">{{ tick.label }}</text>
      </g>
      <text v-for="tick in moveTicks" :key="'x' + tick" class="tg-graph-text" text-anchor="middle" :x="x(tick)" :y="tall - 3">{{ tick + first }}</text>
      <path class="tg-graph-area" :d="area" />
      <path class="tg-graph-line" :d="line" />
      <template v-if="exact !== null">
        <rect class="tg-graph-exact" :x="x(exact)" :y="top" :width="Math.max(0, wide - right - x(exact))" :height="plotTall" />
        <text class="tg-graph-text tg-graph-exact-text" :x="wide - right - 3" text-anchor="end" :y="tall - BOTTOM - 4">✓ {{ data.proved || 'proved' }}</text>
      </template>
      <text v-for="(side, index) in sides" :key="side" class="tg-graph-side" :x="left + 5" :y="index ? tall - BOTTOM - 4 : top + 11">{{ side }}</text>
      <line v-if="hover !== null" class="tg-graph-hover" :x1="x(hover)" :x2="x(hover)" :y1="top" :y2="top + plotTall" />
      <line v-if="data.at !== null" class="tg-graph-at" :x1="x(data.at)" :x2="x(data.at)" :y1="top" :y2="top + plotTall" />
      <path v-for="dot in dots" :key="dot.ply" :d="shape(dot)" :class="'tg-dot-' + dot.mark" />
    </svg>
    <div v-if="tip" class="tg-graph-tip" :class="{'tg-graph-tip-low': tipLow}" :style="{left: tipLeft}">{{ tip }}</div>
  </div>`,
  props: { start: Object, label: String },
  data() { return { data: this.start, hover: null, wide: 400, tall: 110, BOTTOM }; },
  mounted() {
    this.watcher = new ResizeObserver((entries) => {
      if (!entries[0].contentRect.width) return; // hidden
      this.wide = Math.max(50, entries[0].contentRect.width);
      this.tall = Math.max(30, entries[0].contentRect.height);
    });
    this.watcher.observe(this.$refs.frame);
  },
  unmounted() { this.watcher.disconnect(); },
  computed: {
    left() { return this.axis.some((tick) => tick.label) ? LEFT : RIGHT; },
    right() { return RIGHT; },
    top() { return TOP; },
    plotWide() { return Math.max(1, this.wide - this.left - RIGHT); },
    plotTall() { return Math.max(1, this.tall - TOP - BOTTOM); },
    axis() { return this.data.axis || []; },
    sides() { return this.data.sides || []; },
    first() { return this.data.first || 0; },
    last() { return Math.max(1, this.data.length - 1); },
    points() { return this.data.values; },
    moveTicks() {
      const step = STEPS.find((one) => this.last / one <= this.plotWide / 40) || 2000;
      const found = [];
      for (let ply = step; ply <= this.last; ply += step) found.push(ply);
      return found;
    },
    exact() { return this.data.exactFrom ?? null; },
    line() { return this.points.map((one, index) => `${index ? "L" : "M"}${this.x(one.ply)} ${this.y(one.share)}`).join(""); },
    area() {
      if (!this.points.length) return "";
      const first = this.points[0], last = this.points[this.points.length - 1];
      return `M${this.x(first.ply)} ${this.y(0)}` + this.points.map((one) => `L${this.x(one.ply)} ${this.y(one.share)}`).join("") + `L${this.x(last.ply)} ${this.y(0)}Z`;
    },
    dots() { return this.points.filter((one) => one.mark); },
    hovered() { return this.hover === null ? null : this.points.find((one) => one.ply === this.hover) || null; },
    tip() { return this.hovered ? this.hovered.text : ""; },
    tipLow() { return this.hovered && this.hovered.share > 0; },
    tipLeft() { return `${Math.min(Math.max(this.x(this.hover), 110), Math.max(110, this.wide - 110))}px`; },
  },
  methods: {
    show(data) { this.data = data; },
    x(ply) { return this.left + (ply / this.last) * this.plotWide; },
    y(share) { return TOP + (1 - share) * (this.plotTall / 2); },
    shape(dot) { // a circle, a diamond or a triangle: not by colour alone
      const x = this.x(dot.ply), y = this.y(dot.share);
      if (dot.mark === "inaccuracy") return `M${x - 3.5} ${y}a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0Z`;
      if (dot.mark === "mistake") return `M${x} ${y - 5}L${x + 5} ${y}L${x} ${y + 5}L${x - 5} ${y}Z`;
      return `M${x} ${y - 6}L${x + 6} ${y + 5}L${x - 6} ${y + 5}Z`;
    },
    ply(event) {
      const box = this.$refs.frame.getBoundingClientRect();
      return Math.max(0, Math.min(this.data.length - 1, Math.round(((event.clientX - box.left - this.left) / this.plotWide) * this.last)));
    },
    move(event) { this.hover = this.ply(event); },
    go(event) { this.$emit("go", { ply: this.ply(event) }); },
  },
};
