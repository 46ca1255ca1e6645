// The move tree: the game in two columns, variations indented below the move they replace.
export default {
  template: `
  <div class="tg-moves" ref="list" role="group" :aria-label="words.moves" tabindex="0">
    <template v-for="row in rows" :key="row.key">
      <div v-if="row.kind === 'pair'" class="tg-pair">
        <span class="tg-number">{{ row.number }}</span>
        <button v-for="move in row.moves" :key="move.id" type="button" class="tg-move" :class="{'tg-here': move.id === at, ['tg-was-' + move.mark]: move.mark}"
                :data-node="move.id" @click="$emit('go', {id: move.id})"><span>{{ move.text }}{{ move.sign || '' }}</span><small v-if="move.value">{{ move.value }}</small></button>
      </div>
      <div v-else-if="row.kind === 'comment'" class="tg-comment" :style="{marginLeft: row.depth * 12 + 'px'}">{{ row.text }}</div>
      <div v-else class="tg-variation" :style="{marginLeft: row.depth * 12 + 'px'}">
        <template v-for="move in row.moves" :key="move.id">
          <span v-if="move.number" class="tg-number">{{ move.number }}</span>
          <button type="button" class="tg-move" :class="{'tg-here': move.id === at}" :data-node="move.id" @click="$emit('go', {id: move.id})">{{ move.text }}</button>
        </template>
      </div>
    </template>
    <div v-if="!rows.length" class="tg-quiet">{{ words.none }}</div>
  </div>`,
  props: { start: Object, words: Object },
  data() { return { rows: this.start.rows, at: this.start.at, version: 0 }; },
  mounted() {
    this.reveal();
    // Elements beside the list are built later and change its size.
    this.watcher = new ResizeObserver(() => this.reveal());
    this.watcher.observe(this.$refs.list);
  },
  unmounted() { this.watcher.disconnect(); },
  methods: {
    show(data) {
      this.at = data.at;
      const patch = data.patch;
      if (patch && patch.removed === null) {
        this.rows = patch.rows;
        this.version = data.version;
      } else if (patch && data.version === this.version + 1) {
        this.rows.splice(patch.first, patch.removed, ...patch.rows);
        this.version = data.version;
      } else if (patch && data.version > this.version) {
        this.$emit("resync"); // a message was lost
      }
      this.reveal();
    },
    reveal() {
      this.$nextTick(() => {
        const list = this.$refs.list;
        const here = list && list.querySelector(".tg-here");
        if (here) list.scrollTop = here.offsetTop - list.clientHeight / 2;
        else if (list) list.scrollTop = 0;
      });
    },
  },
};
