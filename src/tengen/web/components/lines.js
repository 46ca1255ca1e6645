// The candidates of an engine: one row each, with the value, its kind, and the expected line.
export default {
  template: `
  <div class="tg-lines-list" @pointerleave="leave">
    <div v-for="(row, index) in rows" :key="index" class="tg-candidate">
      <span class="tg-value" :class="['tg-kind-' + row.kind, {'tg-lost-value': row.lost}]" :title="row.words">{{ row.value }}<span v-if="row.kind !== 'heuristic'" class="tg-tick" role="img" :aria-label="row.proved"> ✓</span></span>
      <span v-if="row.points" class="tg-line-points">{{ row.points }}</span>
      <span class="tg-pv">
        <button v-for="(move, step) in row.line" :key="step" type="button" class="tg-pv-move" :class="{'tg-pv-first': step === 0}"
                @pointerenter="hover(index, step)" @focus="hover(index, step)" @blur="leave" @click="$emit('follow', chosen(index, step))">{{ move }}</button>
      </span>
      <span v-if="row.visits" class="tg-visits">{{ row.visits }}</span>
      <span v-if="row.why" class="tg-reason">{{ row.why }}</span>
    </div>
    <div v-if="!rows.length" class="tg-quiet">{{ quiet }}</div>
  </div>`,
  props: { placeholder: String },
  data() { return { rows: [], quiet: this.placeholder }; },
  methods: {
    show(rows, quiet) { this.rows = rows; this.quiet = quiet || ""; },
    // With the moves that are shown here: a search may have found other lines meanwhile.
    chosen(row, step) { return { row, step, moves: this.rows[row].line.slice(0, step + 1) }; },
    hover(row, step) {
      clearTimeout(this.later);
      this.later = setTimeout(() => {
        if (!this.rows[row]) return;
        this.hovering = true;
        this.$emit("hover", this.chosen(row, step));
      }, 90);
    },
    leave() {
      clearTimeout(this.later);
      if (this.hovering) this.$emit("leave", {});
      this.hovering = false;
    },
  },
  unmounted() { clearTimeout(this.later); },
};
