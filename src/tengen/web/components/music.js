// Background music, one track after the other. The position is stored, because every game is a new page.
export default {
  template: `
  <div class="tg-music" role="group" :aria-label="words.music">
    <audio ref="audio" :src="'/music/' + at" preload="none" @ended="go(1)" @play="plays = true" @pause="plays = false"></audio>
    <button type="button" class="tg-move" @click="toggle" :aria-label="plays ? words.pause : words.play">{{ plays ? '❚❚' : '▶' }}</button>
    <button type="button" class="tg-move" @click="go(1)" :aria-label="words.next">▶▎</button>
    <span class="tg-music-name">♪ {{ names[at] }}</span>
  </div>`,
  props: { names: Array, volume: Number, words: Object },
  data() { return { at: 0, plays: false }; },
  mounted() {
    const audio = this.$refs.audio;
    audio.volume = this.volume / 100;
    let left = {};
    try { left = JSON.parse(sessionStorage.getItem("tengen-music")) || {}; } catch (error) { /* start from the beginning */ }
    if (left.at >= 0 && left.at < this.names.length) this.at = left.at;
    if (left.plays)
      this.$nextTick(() => {
        audio.currentTime = left.time || 0;
        audio.play().catch(() => {}); // the browser may require a click first
      });
    addEventListener("pagehide", this.remember);
  },
  unmounted() { removeEventListener("pagehide", this.remember); },
  methods: {
    remember() {
      const left = { at: this.at, time: this.$refs.audio.currentTime, plays: this.plays };
      sessionStorage.setItem("tengen-music", JSON.stringify(left));
    },
    toggle() {
      if (this.plays) this.$refs.audio.pause();
      else this.$refs.audio.play().catch(() => {});
    },
    go(step) {
      this.at = (this.at + step + this.names.length) % this.names.length;
      this.$nextTick(() => this.$refs.audio.play().catch(() => {}));
    },
  },
};
