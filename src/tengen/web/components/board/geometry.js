// Where points are drawn: rows and columns, turns of the board, long strips in several rows, zoom, labels.
export const COLOURS = "XO#"; // of the players, and of stones that belong to neither
export const UNIT = 40; // one point, in units of the drawing
const STRIP_ROW = 64; // a row of a long strip with its labels
export const key = (point) => `${point[0]},${point[1]}`;
export const same = (one, two) => !!one && !!two && one[0] === two[0] && one[1] === two[1];

export const geometry = {
  computed: {
    columns() { return this.pic.columns.length; },
    rows() { return this.pic.rows.length; },
    isStrip() { return this.rows === 1 && this.columns > 8; },
    // Quarter turns clockwise; a strip is either turned around or not.
    turns() { return this.isStrip ? this.turned & 2 : this.turned & 3; },
    viewColumns() { return this.turns % 2 ? this.rows : this.columns; },
    viewRows() { return this.turns % 2 ? this.columns : this.rows; },
    perRow() {
      // A long strip is drawn in several rows rather than too small to hit.
      if (!this.isStrip) return this.columns;
      const fits = Math.max(5, Math.floor((this.wide - 8) / 44));
      if (this.columns <= fits) return this.columns;
      return Math.ceil(this.columns / Math.ceil(this.columns / fits));
    },
    stripRows() { return this.isStrip ? Math.ceil(this.columns / this.perRow) : 1; },
    margin() { return this.config.coordinates === false ? 8 : this.isStrip ? 4 : this.pic.kind === "cells" ? 24 : 24; },
    top() { return this.config.coordinates === false ? 8 : this.isStrip ? 20 : this.margin; },
    frame() {
      if (this.isStrip) return [0, 0, this.perRow * UNIT + 8, this.stripRows * STRIP_ROW + 2];
      const end = this.pic.kind === "cells" ? 10 : this.margin;
      return [0, 0, this.viewColumns * UNIT + this.margin + end, this.viewRows * UNIT + this.top + end];
    },
    hasBar() { return this.over.bar !== undefined && this.over.bar !== null && !this.isStrip; },
    barWide() { return this.frame[3] / 26; },
    whole() { return this.hasBar ? [-this.barWide, 0, this.frame[2] + this.barWide, this.frame[3]] : this.frame; },
    viewBox() {
      const [x, y, width, height] = this.whole;
      const { scale, left, top } = this.zoom;
      return [x + left, y + top, width / scale, height / scale].map((part) => Math.round(part * 100) / 100).join(" ");
    },
    radius() { return this.pic.kind === "cells" ? 15.8 : 18.8; },
    lines() {
      const inset = this.pic.kind === "cells" ? UNIT / 2 : 0;
      const left = this.margin + UNIT / 2 - inset, top = this.top + UNIT / 2 - inset;
      const right = this.margin + this.viewColumns * UNIT - UNIT / 2 + inset, bottom = this.top + this.viewRows * UNIT - UNIT / 2 + inset;
      let path = "";
      for (let x = left; x <= right; x += UNIT) path += `M${x} ${top}V${bottom}`;
      for (let y = top; y <= bottom; y += UNIT) path += `M${left} ${y}H${right}`;
      return path;
    },
    labels() {
      const found = [];
      const { columns, rows } = this.pic;
      const size = Math.max(...columns.map((label) => label.length), 1) > 2 ? 9.5 : 11.5;
      const both = this.pic.kind === "points" && !this.isStrip;
      const text = (view, alongRows) => {
        const [c, r] = this.fromView(view);
        return alongRows === (this.turns % 2 === 0) ? rows[r] : columns[c];
      };
      for (let c = 0; c < this.viewColumns; c++) {
        const { x, y } = this.atView([c, 0]);
        const label = { x, text: text([c, 0], false), size };
        found.push({ ...label, key: `c${c}`, y: this.isStrip ? y - 28 : this.top / 2 - (both ? 1 : 0) });
        if (both) found.push({ ...label, key: `d${c}`, y: this.frame[3] - 11 });
      }
      if (this.isStrip) return found;
      for (let r = 0; r < this.viewRows; r++) {
        const { y } = this.atView([0, r]);
        const label = { y, text: text([0, r], true), size };
        found.push({ ...label, key: `r${r}`, x: this.margin / 2 });
        if (both) found.push({ ...label, key: `e${r}`, x: this.frame[2] - this.margin / 2 });
      }
      return found;
    },
  },
  methods: {
    // ---- turns of the board
    toView([c, r]) {
      const { columns, rows } = this;
      return [[c, r], [rows - 1 - r, c], [columns - 1 - c, rows - 1 - r], [r, columns - 1 - c]][this.turns];
    },
    fromView([c, r]) {
      const { columns, rows } = this;
      return [[c, r], [r, rows - 1 - c], [columns - 1 - c, rows - 1 - r], [columns - 1 - r, c]][this.turns];
    },
    turn() {
      this.turned = (this.turned + (this.rows === 1 ? 2 : 1)) % 4;
      this.showWhole();
    },
    // ---- places in the drawing
    atView(point) {
      if (this.isStrip) {
        const row = Math.floor(point[0] / this.perRow);
        return { x: 4 + UNIT / 2 + (point[0] % this.perRow) * UNIT, y: 20 + UNIT / 2 + row * STRIP_ROW };
      }
      return { x: this.margin + UNIT / 2 + point[0] * UNIT, y: this.top + UNIT / 2 + point[1] * UNIT };
    },
    at(point) { return this.atView(this.toView(point)); },
    name(point) {
      return this.rows === 1 ? this.pic.columns[point[0]] : this.pic.columns[point[0]] + this.pic.rows[point[1]];
    },
    place(event) {
      const matrix = this.$refs.svg.getScreenCTM();
      return matrix && new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    },
    point(event) {
      const place = this.place(event);
      if (!place) return null;
      let c, r;
      if (this.isStrip) {
        const row = Math.floor((place.y - 8) / STRIP_ROW);
        c = Math.floor((place.x - 4) / UNIT) + row * this.perRow;
        r = 0;
        if (row < 0 || (place.x - 4) / UNIT >= this.perRow) return null;
      } else {
        c = Math.floor((place.x - this.margin) / UNIT);
        r = Math.floor((place.y - this.top) / UNIT);
      }
      return c >= 0 && r >= 0 && c < this.viewColumns && r < this.viewRows ? this.fromView([c, r]) : null;
    },
    // ---- zoom
    cellPixels() {
      const matrix = this.$refs.svg && this.$refs.svg.getScreenCTM();
      return matrix ? matrix.a * UNIT : UNIT;
    },
    // Change the scale so that `place`, in units of the drawing, stays at its position on the screen.
    zoomAt(place, scale) {
      const [x, y, width, height] = this.whole;
      const now = this.zoom;
      const next = Math.max(1, Math.min(4, scale));
      const [px, py] = [place.x - x, place.y - y];
      this.setZoom(next, px - ((px - now.left) * now.scale) / next, py - ((py - now.top) * now.scale) / next, width, height);
    },
    pan(right, down) {
      const [, , width, height] = this.whole;
      this.setZoom(this.zoom.scale, this.zoom.left - right, this.zoom.top - down, width, height);
    },
    setZoom(scale, left, top, width, height) {
      const limit = (value, size) => Math.max(0, Math.min(value, size - size / scale));
      this.zoom = { scale, left: limit(left, width), top: limit(top, height) };
    },
    showWhole() { this.zoom = { scale: 1, left: 0, top: 0 }; },
    toggleZoom() {
      if (this.zoom.scale > 1) return this.showWhole();
      const middle = [Math.floor(this.columns / 2), Math.floor(this.rows / 2)];
      const target = this.at((this.trying && this.trying.point) || this.pic.last[this.pic.last.length - 1] || middle);
      const [x, y, width, height] = this.whole;
      const scale = 2.2;
      this.setZoom(scale, target.x - x - width / scale / 2, target.y - y - height / scale / 2, width, height);
    },
  },
};
