// A player's clock. The server sends the time left and whether the clock runs; it ticks here.
import { playSound } from "./board/sound.js";

export default {
  template: `<div class="tg-clock" :class="{'tg-runs': data.runs, 'tg-short': short}" role="timer">{{ text }}</div>`,
  props: { start: Object },
  data() { return { data: this.start, since: performance.now(), now: performance.now() }; },
  mounted() { this.begin(); },
  unmounted() { clearTimeout(this.timer); },
  watch: {
    short(short) { if (short && this.data.runs && this.data.own) playSound("low time"); },
  },
  computed: {
    left() { return Math.max(0, this.data.seconds - (this.data.runs ? (this.now - this.since) / 1000 : 0)); },
    short() { return this.data.timed && this.left < 20; },
    text() {
      if (!this.data.timed) return "";
      const left = this.short ? Math.ceil(this.left * 10) / 10 : Math.ceil(this.left);
      const hours = Math.floor(left / 3600), minutes = Math.floor((left % 3600) / 60);
      const seconds = this.short ? (left % 60).toFixed(1).padStart(4, "0") : String(Math.floor(left % 60)).padStart(2, "0");
      return `${hours ? hours + ":" + String(minutes).padStart(2, "0") : minutes}:${seconds}${this.data.note ? " " + this.data.note : ""}`;
    },
  },
  methods: {
    show(data) {
      this.data = data;
      this.since = this.now = performance.now();
      this.begin();
    },
    begin() {
      clearTimeout(this.timer);
      if (!this.data.runs || !this.data.timed) return;
      this.timer = setTimeout(() => { this.now = performance.now(); this.begin(); }, this.short ? 100 : 250);
    },
  },
};
