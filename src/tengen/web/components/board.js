// The board of every game, as SVG. It draws positions and reports where the user wants to move; it knows no rules.
//
// `board` is a position (see web/board_data.py): stones, labels, the legal moves with their points. Frequent changes
// come by methods: `show` a position, `setOverlays`, `preview` a line, `showAim` for the effect of a move.
// Its parts are in the folder `board`, one idea per file.
import { effects } from "./board/effects.js";
import { COLOURS, geometry, key, same } from "./board/geometry.js";
import { input } from "./board/input.js";
import { keyboard } from "./board/keyboard.js";
import { overlays } from "./board/overlays.js";
import { enableSounds } from "./board/sound.js";
import { FELT, felt, shellLines, variation, woodGrain } from "./board/surface.js";

let boards = 0;

// A disc, and all parts of a stone, for the variable that holds the stone in the template.
const disc = (it, colour) => `
  <circle v-if="pic.kind === 'cells'" class="tg-rim" :class="${colour} ? 'tg-second' : 'tg-first'" :cx="${it}.x" :cy="${it}.y + 2" :r="radius" />
  <circle class="tg-disc" :class="${colour} ? 'tg-second' : 'tg-first'" :cx="${it}.x" :cy="${it}.y" :r="radius"
          :fill="'url(#' + id + (${colour} ? 'second' : 'first') + ${it}.variant % 3 + ')'" />`;
const stone = (it) => `
  <rect v-if="${it}.colour === 2" class="tg-neutral" :x="${it}.x - radius * 0.92" :y="${it}.y - radius * 0.92" :width="radius * 1.84" :height="radius * 1.84" rx="4" />
  <template v-else>
  <circle class="tg-shade" :cx="${it}.x + 1.3" :cy="${it}.y + 2.4" :r="radius * 1.13" :fill="'url(#' + id + 'shade)'" />
  ${disc(it, it + ".colour")}
  <circle v-if="pic.game === 'clobber'" class="tg-groove" :class="${it}.colour ? 'tg-second' : 'tg-first'" :cx="${it}.x" :cy="${it}.y" :r="radius * 0.6" />
  <path v-if="${it}.colour && pic.kind === 'points'" class="tg-shell" :d="shells[${it}.variant % 4]"
        :transform="'translate(' + ${it}.x + ' ' + ${it}.y + ') rotate(' + (${it}.variant % 12) * 30 + ')'" />
  </template>`;

export default {
  mixins: [geometry, overlays, input, keyboard, effects],
  template: `
  <div class="tg-board" :class="['tg-' + pic.kind, 'tg-game-' + pic.game, 'tg-theme-' + (config.theme || 'classic'),
       {'tg-strip': isStrip, 'tg-live': isLive, 'tg-zoomed': zoom.scale > 1}]" ref="frame">
    <svg ref="svg" :viewBox="viewBox" :role="config.picture ? 'img' : 'application'" :tabindex="config.picture ? -1 : 0" :aria-label="summary" :style="{touchAction}"
         @pointerdown="down" @pointermove="move" @pointerup="up" @pointerleave="leave" @pointercancel="leave"
         @keydown="press" @focus="focused" @blur="blurred" @contextmenu.prevent>
      <defs>
        <radialGradient v-for="n in 3" :key="'f' + n" :id="id + 'first' + (n - 1)" :cx="[34, 40, 30][n - 1] + '%'" :cy="[27, 30, 33][n - 1] + '%'" r="78%">
          <stop offset="0%" class="tg-first-light" /><stop :offset="[48, 54, 44][n - 1] + '%'" class="tg-first-mid" /><stop offset="100%" class="tg-first-dark" />
        </radialGradient>
        <radialGradient v-for="n in 3" :key="'s' + n" :id="id + 'second' + (n - 1)" :cx="[36, 42, 32][n - 1] + '%'" :cy="[30, 33, 36][n - 1] + '%'" r="82%">
          <stop offset="0%" class="tg-second-light" /><stop :offset="[62, 68, 56][n - 1] + '%'" class="tg-second-mid" /><stop offset="100%" class="tg-second-dark" />
        </radialGradient>
        <radialGradient :id="id + 'shade'"><stop offset="72%" class="tg-shade-in" /><stop offset="100%" class="tg-shade-out" /></radialGradient>
        <linearGradient :id="id + 'wood'" x1="0" x2="1" y1="0" y2="0.12">
          <stop v-for="(offset, index) in [0, 14, 31, 47, 60, 78, 100]" :key="index" :offset="offset + '%'" :class="'tg-wood-' + index % 3" />
        </linearGradient>
        <linearGradient :id="id + 'tile'" x1="0" x2="0" y1="0" y2="1"><stop offset="0%" class="tg-tile-light" /><stop offset="100%" class="tg-tile-dark" /></linearGradient>
        <pattern v-if="isFelt" :id="id + 'felt'" :width="FELT" :height="FELT" patternUnits="userSpaceOnUse">
          <path class="tg-fibre-dark" :d="felt[0]" /><path class="tg-fibre-light" :d="felt[1]" />
        </pattern>
        <clipPath :id="id + 'ground'"><rect :x="frame[0]" :y="frame[1]" :width="frame[2]" :height="frame[3]" rx="6" /></clipPath>
        <marker :id="id + 'head'" viewBox="0 0 10 10" refX="7" refY="5" markerWidth="2.3" markerHeight="2.3" orient="auto">
          <path d="M0 0L10 5L0 10z" class="tg-arrow-head" />
        </marker>
      </defs>
      <g v-if="hasBar" class="tg-bar">
        <title>{{ over.barText || '' }}</title>
        <rect class="tg-bar-second" :x="-barWide" y="0" :width="barWide * 0.6" :height="frame[3]" rx="3" />
        <rect class="tg-bar-first" :x="-barWide" :y="frame[3] * (0.5 - 0.5 * over.bar)" :width="barWide * 0.6" :height="frame[3] * (0.5 + 0.5 * over.bar)" rx="3" />
      </g>
      <g class="tg-surface" :clip-path="'url(#' + id + 'ground)'" v-memo="[surface]">
        <rect class="tg-ground" :x="frame[0]" :y="frame[1]" :width="frame[2]" :height="frame[3]" rx="6" :fill="'url(#' + id + 'wood)'" />
        <g class="tg-grain"><path v-for="(path, index) in grain" :key="index" :class="'tg-grain-' + index" :d="path" /></g>
        <rect class="tg-edge" :x="frame[0] + 0.75" :y="frame[1] + 0.75" :width="frame[2] - 1.5" :height="frame[3] - 1.5" rx="5.5" />
        <template v-if="isFelt">
          <rect class="tg-well" :x="margin - 3" :y="top - 3" :width="viewColumns * 40 + 6" :height="viewRows * 40 + 6" rx="3" />
          <rect class="tg-felt" :x="margin" :y="top" :width="viewColumns * 40" :height="viewRows * 40" />
          <rect class="tg-fibres" :x="margin" :y="top" :width="viewColumns * 40" :height="viewRows * 40" :fill="'url(#' + id + 'felt)'" />
        </template>
        <path v-if="pic.kind === 'points' || isFelt" class="tg-lines" :d="lines" />
        <circle v-for="star in pic.stars" :key="'s' + star" class="tg-star" :cx="at(star).x" :cy="at(star).y" :r="pic.kind === 'cells' ? 2.8 : 3.5" />
        <g v-if="config.coordinates !== false" class="tg-labels" aria-hidden="true">
          <text v-for="label in labels" :key="label.key" :x="label.x" :y="label.y" :font-size="label.size">{{ label.text }}</text>
        </g>
      </g>
      <template v-if="pic.kind === 'cells' && !isFelt">
        <rect v-for="cell in cells" :key="'c' + cell.key" v-memo="[cell.sign]" class="tg-cell" :class="{'tg-odd': cell.odd, 'tg-hole': cell.hole}"
              :x="cell.x - 18.8" :y="cell.y - 18.8" width="37.6" height="37.6" rx="5" :fill="cell.hole ? null : 'url(#' + id + 'tile)'" />
      </template>
      <g v-if="over.heat" class="tg-heat">
        <path v-for="spot in over.heat" :key="'h' + spot[0] + ',' + spot[1]" :d="spotShape(spot, 1)"
              :fill="heatColour(spot[2])" :opacity="heatStrength(spot[2])"><title>{{ spot[3] }}</title></path>
      </g>
      <rect v-if="pic.kind === 'cells'" v-for="last in lastPoints" :key="'l' + last" class="tg-last-cell"
            :x="at(last).x - 19" :y="at(last).y - 19" width="38" height="38" rx="4" />
      <g v-if="isLive && showsDots && !pending">
        <circle v-for="dot in dots" :key="'d' + dot" class="tg-dot" :cx="at(dot).x" :cy="at(dot).y" r="5" />
      </g>
      <g v-for="stone in stones" :key="stone.key" v-memo="[stone.sign]" class="tg-stone" :class="stone.classes" :style="stone.style"
         :data-point="stone.name" :data-colour="stone.colour">
        <template v-if="stone.turns">
          <circle class="tg-shade" :cx="stone.x + 1.3" :cy="stone.y + 2.4" :r="radius * 1.13" :fill="'url(#' + id + 'shade)'" />
          <g class="tg-hop">
            <ellipse class="tg-flip-edge" :cx="stone.x" :cy="stone.y" rx="2.2" :ry="radius" />
            <g class="tg-flip-old">${disc("stone", "1 - stone.colour")}</g>
            <g class="tg-flip-new">${disc("stone", "stone.colour")}</g>
          </g>
        </template>
        <template v-else>${stone("stone")}</template>
        <circle v-if="stone.lost && isFelt" class="tg-turns" :class="stone.colour ? 'tg-on-second' : 'tg-on-first'" :cx="stone.x" :cy="stone.y" r="5.5" />
        <text v-if="config.letters" class="tg-letter" :class="stone.colour ? 'tg-on-second' : 'tg-on-first'"
              :x="stone.x" :y="stone.y">{{ 'XO#'[stone.colour] }}</text>
      </g>
      <g v-for="stone in leaving" :key="'x' + stone.key" class="tg-leaving" :style="{animationDelay: stone.wait + 'ms'}">${stone("stone")}</g>
      <g class="tg-over">
        <circle v-for="(point, index) in winning" :key="'w' + point" class="tg-winning" :style="{animationDelay: index * 90 + 'ms'}"
                :cx="at(point).x" :cy="at(point).y" :r="radius - 1.2" />
        <path v-for="spot in heatOnStones" :key="'hs' + spot[0] + ',' + spot[1]" class="tg-spot" :d="spotShape(spot, 0.42)" :fill="heatColour(spot[2])" />
        <circle v-for="ring in stringRings" :key="'sr' + ring.key" class="tg-string" :class="ring.kind" :cx="ring.x" :cy="ring.y" :r="radius - 2.5" />
        <template v-for="text in texts" :key="'t' + text.key">
          <circle v-if="text.ring" class="tg-ring" :class="text.ring" :cx="text.x" :cy="text.y" :r="text.radius || (pic.kind === 'cells' ? 16.5 : radius - 2)" />
          <text :x="text.x" :y="text.y" :font-size="text.size" :class="text.on" :data-label="name(text.point)">{{ text.text }}</text>
        </template>
        <circle v-if="pic.kind === 'points' && !numbered" v-for="last in lastPoints" :key="'m' + last" class="tg-last-point"
                :class="colourAt(last) === 1 ? 'tg-on-second' : 'tg-on-first'" :cx="at(last).x" :cy="at(last).y" r="7" />
      </g>
      <g v-for="mark in pic.marks" :key="'k' + mark.c + ',' + mark.r + mark.shape" class="tg-mark" :class="onClass([mark.c, mark.r])">
        <text v-if="mark.text" :x="at([mark.c, mark.r]).x" :y="at([mark.c, mark.r]).y" font-size="17">{{ mark.text }}</text>
        <path v-else :d="shape(mark)" />
      </g>
      <g class="tg-arrows">
        <line v-for="(arrow, index) in arrows" :key="'a' + index" :class="'tg-arrow-' + Math.min(3, arrow.rank)"
              :x1="arrow.x1" :y1="arrow.y1" :x2="arrow.x2" :y2="arrow.y2" :marker-end="'url(#' + id + 'head)'" />
      </g>
      <g v-for="ghost in ghosts" :key="'g' + ghost.key" class="tg-ghost">
        ${stone("ghost")}
        <text v-if="ghost.label" :x="ghost.x" :y="ghost.y" font-size="16" :class="ghost.colour ? 'tg-on-second' : 'tg-on-first'">{{ ghost.label }}</text>
      </g>
      <g v-if="chosen">
        <circle class="tg-chosen" :cx="at(chosen).x" :cy="at(chosen).y" :r="radius + 1.5" />
        <circle v-for="goal in goals" :key="'o' + goal" class="tg-goal" :cx="at(goal).x" :cy="at(goal).y" :r="radius + 1.5" />
      </g>
      <path v-if="dragging && trying" class="tg-cross" :d="cross" />
      <rect v-if="keyboard && cursor" class="tg-cursor" :x="at(cursor).x - 19" :y="at(cursor).y - 19" width="38" height="38" rx="6" />
    </svg>
    <div class="tg-below" :class="{'tg-with-zoom': offersZoom}">
      <div v-if="aimText || trying || noted" class="tg-aim" :class="{'tg-problem': aim && aim.problem, 'tg-aim-top': noted && hover && toView(hover)[1] * 2 >= viewRows}">
        <span class="tg-aim-text">{{ aimText || noted }}</span>
        <template v-if="trying && !dragging">
          <button type="button" class="tg-yes" @click="confirm">{{ text('play', {move: trying.text}) }}</button>
          <button type="button" class="tg-no" @click="cancel" :aria-label="text('cancel')">✕</button>
        </template>
      </div>
      <button v-if="offersZoom" type="button" class="tg-zoom" @click="toggleZoom" :aria-label="text(zoom.scale > 1 ? 'zoom out' : 'zoom in')">
        <svg viewBox="0 0 24 24" aria-hidden="true"><circle cx="10" cy="10" r="6.5" /><path :d="'M15 15l6 6M7 10h6' + (zoom.scale > 1 ? '' : 'M10 7v6')" /></svg>
      </button>
    </div>
    <div class="tg-sr" aria-live="polite">{{ said }}</div>
  </div>`,
  props: { board: Object, config: Object, overlays: Object, words: Object },
  data() {
    return {
      id: `tg${++boards}-`,
      pic: this.board,
      over: this.overlays || {},
      pending: null,
      aim: null,
      aimText: "",
      ahead: null,
      turned: this.config.rotation || 0,
      wide: 600,
    };
  },
  created() {
    this.felt = felt;
    this.FELT = FELT;
    enableSounds(this.config.sound);
  },
  mounted() {
    this.isTouched = !!window.matchMedia && matchMedia("(pointer: coarse)").matches;
    this.watcher = new ResizeObserver((entries) => (this.wide = entries[0].contentRect.width || 600));
    this.watcher.observe(this.$refs.frame);
  },
  unmounted() { this.watcher.disconnect(); },
  watch: {
    "config.sound"(on) { enableSounds(on); },
  },
  computed: {
    isFelt() { return this.pic.kind === "cells" && this.pic.game !== "clobber"; },
    shells() { return shellLines(this.radius); },
    grain() { return woodGrain(this.frame[2], this.frame[3]); },
    // Everything that the background depends on.
    surface() { return [this.frame, this.turns, this.config.coordinates, this.pic.game, this.pic.columns, this.pic.rows, this.pic.stars].join("|"); },
    shown() { return this.played ? this.played.stones : this.pending ? this.pending.stones : this.pic.stones; },
    lastPoints() { return this.pending ? [this.pending.point] : this.pic.last; },
    showsDots() { return this.config.dots === true || (this.config.dots !== false && this.pic.game === "othello"); },
    dots() {
      const points = this.froms.size ? [] : [...this.byPoint.keys()].map((text) => text.split(",").map(Number));
      const covered = this.trying ? this.trying.point : this.hover; // by a translucent stone
      return points.filter((point) => !same(point, covered));
    },
    cells() {
      const found = [];
      for (let r = 0; r < this.rows; r++)
        for (let c = 0; c < this.columns; c++) {
          const { x, y } = this.at([c, r]);
          const hole = this.shown[r * this.columns + c] === ".";
          found.push({ key: `${c},${r}`, sign: `${x} ${y} ${hole}`, x, y, odd: (c + r) % 2 === 1, hole });
        }
      return found;
    },
    // As text, so that an unchanged value does not redraw the stones.
    deadText() { return (this.over.dead || []).map(key).join(" "); },
    lostText() {
      const from = this.trying || this.ahead ? this.aim : this.aim || this.expected;
      return this.pending || this.ahead ? "" : ((from && from.lost) || []).map(key).join(" ");
    },
    stones() {
      const found = [];
      const dead = new Set(this.deadText.split(" "));
      const lost = new Set(this.lostText.split(" "));
      for (let r = 0; r < this.rows; r++)
        for (let c = 0; c < this.columns; c++) {
          const symbol = this.shown[r * this.columns + c];
          if (symbol === ".") continue;
          const here = `${c},${r}`;
          const effect = this.effects[here];
          const one = this.stoneAt([c, r], COLOURS.indexOf(symbol));
          one.name = this.name([c, r]);
          one.lost = lost.has(here);
          one.turns = !!effect && effect.kind === "turned";
          one.classes = [dead.has(here) ? "tg-dead" : "", one.lost ? "tg-lost" : "", effect ? `tg-${effect.kind}` : ""];
          one.style = effect ? { "--tg-wait": `${effect.wait}ms`, "--tg-dx": `${effect.dx || 0}px`, "--tg-dy": `${effect.dy || 0}px` } : null;
          one.sign = `${one.x} ${one.y} ${symbol} ${one.classes} ${this.config.letters}`;
          found.push(one);
        }
      return found;
    },
  },
  methods: {
    text(name, values = {}) { return ((this.words || {})[name] || name).replace(/\{(\w+)\}/g, (_, word) => values[word]); },
    stoneAt(point, colour) { return { key: key(point) + COLOURS[colour], ...this.at(point), colour, variant: variation(...point) }; },
    // ---- called by the server
    show(board) {
      const before = this.pic, drawn = this.shown, pending = this.pending;
      this.pic = board;
      this.ahead = null;
      // Keep a move that is being tried if the position is unchanged: the update may be an offer or a clock.
      const unchanged = board.ply === before.ply && board.stones === before.stones && board.moves.length === before.moves.length;
      if (!unchanged || pending) {
        this.pending = this.trying = this.chosen = this.via = this.expected = null;
        this.dragging = false;
        this.setAim(null);
      }
      const step = board.ply - before.ply;
      const isNext = (step === 1 || step === 2) && !!board.lastText; // the opponent may have answered already
      const isHeard = isNext && !(pending && pending.stones === board.stones);
      if (board.game === before.game && board.stones !== drawn && (isNext || Math.abs(step) <= 1))
        this.animate(drawn, board.stones, step < 0 ? before.last : board.last, isHeard);
      else if (Math.abs(step) > 1) this.settle();
      if (isNext) this.sayMove();
    },
    setOverlays(over) { this.over = over; },
    preview(ahead) { this.ahead = ahead; },
    showAim(aim) {
      if (aim.hover) this.expected = same(this.hover, aim.point) && !aim.problem ? aim : null;
      else if (!this.asked || same(this.asked, aim.point)) this.setAim(aim);
    },
    reject(text) {
      this.pending = this.trying = null;
      this.settle();
      this.sound("illegal");
      this.setAim({ text, problem: true });
    },
    setAim(aim) {
      this.aim = aim;
      this.aimText = aim ? aim.text : "";
      if (aim) this.say(aim.text);
    },
  },
};
