// Moves by mouse and touch. A mouse click plays. A finger aims: it drags a stone, sees what the move would do, and the
// move is made with a button. Two fingers zoom and shift the board.
import { UNIT, key, same } from "./geometry.js";

const MIN_AIM_PX = 30; // smaller points are magnified while a finger aims
const AIM_PX = 44;
const MAGNIFY_AFTER_MS = 220;
const PREVIEW_AFTER_MS = 60;

export const input = {
  data() {
    return { hover: null, chosen: null, via: null, trying: null, dragging: false, expected: null, zoom: { scale: 1, left: 0, top: 0 }, isTouched: false };
  },
  created() {
    this.fingers = new Map();
  },
  unmounted() {
    clearTimeout(this.asking);
    clearTimeout(this.magnifying);
  },
  computed: {
    // While the server has not answered a move, the position is not known: then a second click means nothing.
    isLive() { return !this.ahead && !this.pending && (this.pic.moves.length > 0 || !!this.config.marking); },
    byPoint() {
      const found = new Map();
      for (const [text, ...points] of this.pic.moves) if (points.length === 1) found.set(key(points[0]), text);
      return found;
    },
    // For games in which stones move: the moves from each point. A move of three points goes by way of the second
    // one, `via` once that is chosen.
    froms() {
      const found = new Map();
      for (const [text, ...points] of this.pic.moves) {
        if (points.length < 2 || (this.via && !(points.length > 2 && same(points[1], this.via)))) continue;
        const origin = key(points[0]);
        if (!found.has(origin)) found.set(origin, []);
        found.get(origin).push({ to: points[this.via ? 2 : 1], text, isPart: points.length > 2 && !this.via });
      }
      return found;
    },
    goals() { return this.chosen ? (this.froms.get(key(this.chosen)) || []).map((way) => way.to) : []; },
    touchAction() {
      if ((this.isLive && this.confirms("touch")) || this.zoom.scale > 1) return "none";
      return "pan-x pan-y"; // the page scrolls; two fingers zoom the board
    },
    offersZoom() { return this.zoom.scale > 1 || (this.isTouched && this.wide / Math.max(this.viewColumns, 1) < MIN_AIM_PX); },
  },
  methods: {
    confirms(kind) { return this.config.confirm === "always" || (this.config.confirm === "touch" && kind !== "mouse"); },
    down(event) {
      if (event.button > 0) return;
      this.byPointer = true;
      this.keyboard = false;
      if (event.pointerType === "touch") {
        this.isTouched = true;
        this.fingers.set(event.pointerId, event);
        if (this.fingers.size === 2) return this.startPinch(event);
      }
      const point = this.point(event);
      if (!point) return;
      this.endPreview();
      this.cursor = point;
      this.pressed = point;
      if (event.pointerType !== "mouse") this.hover = null;
      if (this.isLive && !this.config.marking && this.confirms(event.pointerType) && !this.froms.size) {
        if (this.trying && same(this.trying.point, point)) return; // the end of a second tap confirms
        this.dragging = true;
        this.$refs.svg.setPointerCapture(event.pointerId);
        this.tryAt(point);
        this.magnifying = setTimeout(() => this.magnify(event), MAGNIFY_AFTER_MS);
      } else if (this.froms.has(key(point))) {
        this.wasChosen = same(this.chosen, point);
        if (!this.chosen || !this.goals.some((goal) => same(goal, point))) this.choose(point);
      }
    },
    move(event) {
      const last = this.fingers.get(event.pointerId);
      if (last) this.fingers.set(event.pointerId, event);
      if (this.pinch) return this.movePinch();
      if (last && this.zoom.scale > 1 && !this.dragging && !this.isLive) return this.shift(last, event);
      const point = this.point(event);
      if (this.dragging) {
        if (point && !(this.trying && same(this.trying.point, point))) this.tryAt(point);
        return;
      }
      if (event.pointerType === "mouse" && !same(point, this.hover)) {
        this.endPreview();
        this.hover = point;
        this.expected = null;
        if (this.aim && !this.trying) this.setAim(null);
        this.askPreview(point);
      }
    },
    up(event) {
      this.fingers.delete(event.pointerId);
      clearTimeout(this.magnifying);
      if (this.pinch) {
        if (!this.fingers.size) this.pinch = null;
        this.pressed = null;
        return;
      }
      const point = this.point(event);
      this.unmagnify();
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
    leave(event) {
      this.fingers.delete(event.pointerId);
      if (!this.fingers.size) this.pinch = null;
      this.hover = null;
      this.expected = null;
      if (event.pointerType === "mouse") clearTimeout(this.asking); // a finger leaves after each touch
      clearTimeout(this.magnifying);
      this.unmagnify();
      if (this.dragging) this.cancel();
    },
    // ---- zoom by touch
    startPinch() {
      clearTimeout(this.magnifying);
      this.unmagnify();
      if (this.dragging) this.cancel();
      this.pressed = null;
      this.pinch = this.spread();
    },
    spread() {
      const [one, two] = [...this.fingers.values()];
      return {
        clientX: (one.clientX + two.clientX) / 2,
        clientY: (one.clientY + two.clientY) / 2,
        distance: Math.max(20, Math.hypot(one.clientX - two.clientX, one.clientY - two.clientY)),
      };
    },
    movePinch() {
      if (this.fingers.size < 2) return;
      const now = this.spread();
      const before = this.zoom.scale, pixels = this.cellPixels() / UNIT;
      this.zoomAt(this.place(this.pinch), (before * now.distance) / this.pinch.distance);
      const unit = (pixels * this.zoom.scale) / before; // in pixels, once this is drawn
      this.pan((now.clientX - this.pinch.clientX) / unit, (now.clientY - this.pinch.clientY) / unit);
      this.pinch = now;
    },
    shift(from, to) {
      const before = this.place(from), after = this.place(to);
      this.pan(after.x - before.x, after.y - before.y);
    },
    // While a finger aims at small points, the surroundings are magnified; the point under the finger stays there.
    magnify(event) {
      const pixels = this.cellPixels();
      if (!this.dragging || pixels >= MIN_AIM_PX) return;
      this.magnifiedFrom = this.zoom;
      const now = this.fingers.get(event.pointerId) || event;
      this.zoomAt(this.place(now), (this.zoom.scale * AIM_PX) / pixels);
    },
    unmagnify() {
      if (this.magnifiedFrom) this.zoom = this.magnifiedFrom;
      this.magnifiedFrom = null;
    },
    // ---- moves
    tap(point, kind) {
      this.endPreview();
      if (this.pending) return;
      if (this.config.marking) return this.$emit("mark", { point });
      if (this.byString.has(key(point))) return (this.hover = point); // on touch screens a tap replaces hovering
      if (!this.isLive) return this.$emit("tap", { point });
      if (this.trying && same(this.trying.point, point) && this.trying.text) return this.confirm();
      if (this.froms.size) {
        const way = this.chosen && (this.froms.get(key(this.chosen)) || []).find((one) => same(one.to, point));
        if (way && way.isPart) return (this.via = point);
        if (way) return this.attempt(way.text, point, kind);
        const single = this.byPoint.get(key(point));
        if (this.froms.has(key(point))) {
          if (this.wasChosen && single) return this.attempt(single, point, kind);
          if (this.wasChosen) this.chosen = this.via = null;
          this.wasChosen = false;
          return;
        }
        if (single) return this.attempt(single, point, kind);
        this.via = null;
        return this.refuse(point);
      }
      const text = this.byPoint.get(key(point));
      return text ? this.attempt(text, point, kind) : this.refuse(point);
    },
    // The preview of a line ends as soon as the board is used; the server's word that it has ended comes later.
    endPreview() { this.ahead = null; },
    choose(point) {
      this.chosen = point;
      this.trying = this.via = null;
      const ways = this.froms.get(key(point));
      if (this.keyboard) this.say(this.text("can go to", { point: this.name(point), points: ways.map((way) => this.name(way.to)).join(", ") }));
    },
    attempt(text, point, kind) {
      if (!this.confirms(kind)) return this.play(text, point);
      this.trying = { text, point };
      this.askAim(point);
    },
    // Ask why there is no move at a point.
    refuse(point) {
      this.sound("illegal");
      this.askAim(point);
    },
    tryAt(point) {
      this.trying = { text: this.byPoint.get(key(point)) || "", point };
      clearTimeout(this.asking);
      this.asking = setTimeout(() => this.askAim(point), 60);
    },
    confirm() {
      if (this.trying && this.trying.text && !this.pending) this.play(this.trying.text, this.trying.point);
    },
    cancel() {
      this.trying = this.chosen = this.via = null;
      this.dragging = false;
      this.setAim(null);
    },
    play(text, point) {
      const before = this.shown, from = this.chosen;
      clearTimeout(this.asking);
      this.pending = { point, stones: this.afterMove(point, from) };
      this.trying = this.chosen = this.via = this.expected = null;
      this.setAim(null);
      this.animate(before, this.pending.stones, from ? [from, point] : [point], true);
      this.$emit("move", { move: text, ply: this.pic.ply });
    },
    // The stones after a move as far as they are known here, so that the own stone is drawn without waiting.
    afterMove(point, from) {
      if (!this.pic.putsStones) return this.pic.stones;
      const stones = [...this.pic.stones];
      const own = this.pic.toMove ? "O" : "X";
      const index = (one) => one[1] * this.columns + one[0];
      const known = [this.aim, this.expected].find((one) => one && one.lost && same(one.point, point));
      for (const lost of known ? known.lost : []) stones[index(lost)] = this.pic.game === "othello" ? own : ".";
      if (from) stones[index(from)] = ".";
      stones[index(point)] = own;
      return stones.join("");
    },
    askAim(point) {
      this.asked = point;
      this.$emit("aim", { point, from: this.chosen, ply: this.pic.ply });
    },
    // What a mouse click would capture or flip is shown when the pointer rests on a point.
    askPreview(point) {
      clearTimeout(this.asking);
      if (!point || !this.isLive || this.config.preview === false || this.config.marking || this.froms.size || !this.byPoint.has(key(point))) return;
      this.asking = setTimeout(() => this.$emit("aim", { point, from: null, ply: this.pic.ply, hover: true }), PREVIEW_AFTER_MS);
    },
  },
};
