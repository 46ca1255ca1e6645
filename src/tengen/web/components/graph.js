// A graph of values from -1 to 1 over the moves of a game: an area, dots at marked moves, a line at the current move.
// A click selects a move.
export default {
  template: `
  <div class="tg-graph" ref="frame" role="img" :aria-label="label">
    <svg :viewBox="'0 0 ' + wide + ' ' + tall" preserveAspectRatio="none" @pointermove="move" @pointerleave="hover = null" @click="go">
      <rect class="tg-graph-second" x="0" y="0" :width="wide" :height="tall / 2" />
      <rect class="tg-graph-first" x="0" :y="tall / 2" :width="wide" :height="tall / 2" />
      <path class="tg-graph-area" :d="area" />
      <path class="tg-graph-line" :d="line" />
      <line class="tg-graph-middle" x1="0" :x2="wide" :y1="tall / 2" :y2="tall / 2" />
      <line v-if="hover !== null" class="tg-graph-hover" :x1="x(hover)" :x2="x(hover)" y1="0" :y2="tall" />
      <line v-if="data.at !== null" class="tg-graph-at" :x1="x(data.at)" :x2="x(data.at)" y1="0" :y2="tall" />
      <circle v-for="dot in dots" :key="dot.ply" :cx="x(dot.ply)" :cy="y(dot.share)" r="4" :class="'tg-dot-' + dot.mark" />
    </svg>
    <div v-if="tip" class="tg-graph-tip" :style="{left: tipLeft}">{{ tip }}</div>
  </div>`,
  props: { start: Object, label: String },
  data() { return { data: this.start, hover: null, wide: 400, tall: 90 }; },
  mounted() {
    this.watcher = new ResizeObserver((entries) => {
      this.wide = Math.max(50, entries[0].contentRect.width);
      this.tall = Math.max(30, entries[0].contentRect.height);
    });
    this.watcher.observe(this.$refs.frame);
  },
  unmounted() { this.watcher.disconnect(); },
  computed: {
    last() { return Math.max(1, this.data.length - 1); },
    points() { return this.data.values; },
    line() { return this.points.map((one, index) => `${index ? "L" : "M"}${this.x(one.ply)} ${this.y(one.share)}`).join(""); },
    area() {
      if (!this.points.length) return "";
      const first = this.points[0], last = this.points[this.points.length - 1];
      return `M${this.x(first.ply)} ${this.tall / 2}` + this.points.map((one) => `L${this.x(one.ply)} ${this.y(one.share)}`).join("") + `L${this.x(last.ply)} ${this.tall / 2}Z`;
    },
    dots() { return this.points.filter((one) => one.mark); },
    tip() {
      if (this.hover === null) return "";
      const one = this.points.find((each) => each.ply === this.hover);
      return one ? one.text : "";
    },
    tipLeft() { return `${Math.min(Math.max(this.x(this.hover), 60), this.wide - 60)}px`; },
  },
  methods: {
    show(data) { this.data = data; },
    x(ply) { return 3 + (ply / this.last) * (this.wide - 6); },
    y(share) { return this.tall / 2 - share * (this.tall / 2 - 4); },
    ply(event) {
      const box = this.$refs.frame.getBoundingClientRect();
      return Math.max(0, Math.min(this.data.length - 1, Math.round(((event.clientX - box.left - 3) / (box.width - 6)) * this.last)));
    },
    move(event) { this.hover = this.ply(event); },
    go(event) { this.$emit("go", { ply: this.ply(event) }); },
  },
};
