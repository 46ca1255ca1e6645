// The candidates of an engine: one row each, with the value, its kind, and the expected line.
export default {
  template: `
  <div class="tg-lines-list" @pointerleave="unpeek">
    <div v-for="(row, index) in rows" :key="index" class="tg-candidate">
      <span class="tg-value" :class="['tg-kind-' + row.kind, {'tg-lost-value': row.lost}]" :title="row.words">{{ row.value }}</span>
      <span class="tg-pv">
        <button v-for="(move, step) in row.line" :key="step" type="button" class="tg-pv-move" :class="{'tg-pv-first': step === 0}"
                @pointerenter="peek(index, step)" @focus="peek(index, step)" @blur="unpeek" @click="$emit('follow', {row: index, step})">{{ move }}</button>
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
    peek(row, step) {
      clearTimeout(this.later);
      this.later = setTimeout(() => { this.peeking = true; this.$emit("peek", { row, step }); }, 90);
    },
    unpeek() {
      clearTimeout(this.later);
      if (this.peeking) this.$emit("unpeek", {});
      this.peeking = false;
    },
  },
  unmounted() { clearTimeout(this.later); },
};
