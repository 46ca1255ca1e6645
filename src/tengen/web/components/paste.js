// A field for pasted games that also accepts a dropped or chosen file. It is sent by HTTP: a large text would not fit
// into a message of the page's socket. `texts` are the translated texts, `limit` the largest size in bytes.
export default {
  template: `
  <div class="tg-paste" :class="{'tg-paste-over': over}" @dragover.prevent="over = true" @dragleave="over = false" @drop.prevent="drop">
    <label class="tg-paste-label" :for="id">{{ texts.label }}</label>
    <textarea :id="id" ref="text" class="tg-paste-text" rows="5" spellcheck="false" :placeholder="texts.placeholder" :aria-describedby="problem ? id + 'p' : null"
              @input="problem = ''" @keydown.ctrl.enter="send"></textarea>
    <div v-if="problem" :id="id + 'p'" class="tg-paste-problem" role="alert">{{ problem }}</div>
    <div class="tg-row">
      <button type="button" class="tg-paste-open" :disabled="busy" @click="send">{{ busy ? texts.busy : texts.open }}</button>
      <label class="tg-paste-file">{{ texts.file }}<input type="file" :aria-label="texts.file" @change="choose"></label>
    </div>
  </div>`,
  props: { texts: Object, limit: Number, target: String },
  data() { return { problem: "", busy: false, over: false, id: `tgp${Math.random().toString(36).slice(2)}` }; },
  methods: {
    explain(problem) { this.problem = problem; },
    send() {
      const text = this.$refs.text.value;
      if (!text.trim()) this.problem = this.texts.empty;
      else this.post(new Blob([text]));
    },
    choose(event) {
      if (event.target.files[0]) this.post(event.target.files[0]);
      event.target.value = "";
    },
    drop(event) {
      this.over = false;
      const file = event.dataTransfer.files[0];
      if (file) this.post(file);
      else this.$refs.text.value = event.dataTransfer.getData("text");
    },
    async post(content) {
      const size = (bytes) => (bytes / 1048576).toFixed(1);
      if (content.size > this.limit) {
        this.problem = this.texts.large.replace("{size}", size(content.size)).replace("{limit}", size(this.limit));
        return;
      }
      this.busy = true;
      this.problem = "";
      try {
        const response = await fetch(this.target, { method: "POST", body: content, headers: { "Content-Type": "application/octet-stream" } });
        const answer = await response.json();
        if (response.ok && answer.page) {
          window.location.href = answer.page;
          return;
        }
        if (response.ok) {
          this.$refs.text.value = "";
          this.$emit("done", answer);
        } else {
          this.$emit("refused", answer.detail); // the page answers with `explain`, in its language
        }
      } catch (error) {
        this.problem = this.texts.failed;
      }
      this.busy = false;
    },
  },
};
