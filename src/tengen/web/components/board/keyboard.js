// Moves by keyboard, with announcements for screen readers. The cursor appears when the board gets the focus by Tab, or
// by Enter after a click; until then the arrow keys step through the game, which is the page's business.
import { key, same } from "./geometry.js";

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export const keyboard = {
  data() { return { cursor: null, keyboard: false, said: "" }; },
  computed: {
    summary() {
      const count = (symbol) => this.pic.stones.split(symbol).length - 1;
      const [first, second] = this.pic.players;
      const size = this.rows === 1 ? this.text("strip", { columns: this.columns }) : this.text("size", { columns: this.columns, rows: this.rows });
      return this.text(this.config.picture ? "picture" : "summary", { title: this.pic.title, size, first, second, firsts: count("X"), seconds: count("O") });
    },
  },
  methods: {
    say(text) { this.said = text; },
    focused() {
      const returns = this.isAway; // the window had lost the focus, not the board
      if (!this.byPointer && !returns) this.showCursor();
      this.byPointer = this.isAway = false;
    },
    blurred() {
      this.isAway = document.activeElement === this.$refs.svg;
      if (this.isAway) return;
      this.keyboard = this.byPointer = false;
      this.hover = null;
    },
    showCursor() {
      this.cursor = this.cursor || [Math.floor(this.columns / 2), Math.floor(this.rows / 2)];
      this.keyboard = true;
      this.hover = this.cursor;
      this.sayCursor();
    },
    hideCursor() {
      this.keyboard = false;
      this.hover = null;
      this.say(this.text("cursor off"));
    },
    sayMove() {
      const { players, toMove, lastText, changed = [] } = this.pic;
      const move = `${players[1 - toMove] || ""} ${lastText}`;
      this.say(changed.length ? this.text("effect", { move, points: changed.map(this.name).join(" ") }) : move);
    },
    sayCursor() {
      const colour = this.colourAt(this.cursor);
      const name = this.name(this.cursor);
      const here = key(this.cursor);
      const legal = this.froms.size ? this.froms.has(here) || this.goals.some((goal) => same(goal, this.cursor)) : this.byPoint.has(here);
      const what = colour === null ? this.text("empty") : this.pic.players[colour];
      this.say(this.text(legal ? "playable" : "point", { point: name, what }) + (this.noted ? ". " + this.noted : ""));
    },
    press(event) {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      const step = STEPS[event.key];
      const enters = event.key === "Enter" || event.key === " ";
      if (enters && !this.keyboard) this.showCursor();
      else if (enters) this.enter();
      else if (step && this.keyboard) this.moveCursor(step);
      else if (event.key === "Escape" && (this.trying || this.chosen || this.aim)) this.cancel();
      else if (event.key === "Escape" && this.keyboard) this.hideCursor();
      else return;
      event.preventDefault();
      event.stopPropagation();
    },
    moveCursor([right, down]) {
      const [c, r] = this.toView(this.cursor);
      const limit = (value, size) => Math.max(0, Math.min(size - 1, value));
      this.cursor = this.fromView([limit(c + right, this.viewColumns), limit(r + down, this.viewRows)]);
      this.hover = this.cursor;
      this.sayCursor();
    },
    enter() {
      const here = this.cursor;
      const isGoal = this.goals.some((goal) => same(goal, here));
      if (this.froms.has(key(here)) && !same(this.chosen, here) && !isGoal) this.choose(here);
      else {
        this.wasChosen = same(this.chosen, here);
        this.tap(here, "mouse");
      }
    },
  },
};
