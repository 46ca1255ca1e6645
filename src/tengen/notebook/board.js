// The board in a notebook. Python draws it as SVG and knows the rules; this file only shows it and reports clicks.
const MARKS = "http://www.w3.org/2000/svg";
const WIDTH = 360; // of small boards, which are enlarged
const MAX_SCALE = 1.8;

function button(label, title, onClick) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = label;
  made.title = title;
  made.addEventListener("click", onClick);
  return made;
}

export function render({ model, el }) {
  const send = (action, value) => model.send({ action, value });
  const root = document.createElement("div");
  root.className = "tengen-board";
  const board = document.createElement("div");
  board.tabIndex = 0;
  const status = document.createElement("div");
  status.className = "tengen-status";
  status.setAttribute("aria-live", "polite");
  const buttons = document.createElement("div");
  buttons.className = "tengen-buttons";
  const slider = document.createElement("input");
  slider.type = "range";
  slider.min = 0;
  slider.setAttribute("aria-label", "Move");
  slider.addEventListener("input", () => send("go", Number(slider.value)));
  const details = document.createElement("div");
  details.className = "tengen-details";
  root.append(board, status, slider, buttons, details);
  el.append(root);

  const circle = ([column, row], radius, style) => {
    const [cell, margin] = model.get("geometry");
    const made = document.createElementNS(MARKS, "circle");
    made.setAttribute("cx", margin + (column + 0.5) * cell);
    made.setAttribute("cy", margin + (row + 0.5) * cell);
    made.setAttribute("r", radius * cell);
    made.setAttribute("style", `pointer-events:none;${style}`);
    return made;
  };
  const draw = () => {
    board.innerHTML = model.get("svg");
    const svg = board.querySelector("svg");
    const { width } = svg.viewBox.baseVal;
    svg.style.width = `${width * Math.min(MAX_SCALE, Math.max(1, WIDTH / width))}px`;
    svg.style.height = "auto";
    for (const point of model.get("chosen")) svg.append(circle(point, 0.44, "fill:none;stroke:#e66100;stroke-width:3"));
    for (const point of model.get("targets")) svg.append(circle(point, 0.16, "fill:#e66100;opacity:0.7"));
  };
  const tell = () => {
    status.textContent = model.get("status");
    details.innerHTML = model.get("details");
    slider.max = model.get("length");
    slider.value = model.get("shown");
    root.classList.toggle("tengen-busy", model.get("busy"));
    buttons.replaceChildren(
      button("|◀", "First position", () => send("go", 0)),
      button("◀", "Back one move", () => send("go", model.get("shown") - 1)),
      button("▶", "Forward one move", () => send("go", model.get("shown") + 1)),
      button("▶|", "Last position", () => send("go", model.get("length"))),
      ...model.get("named_moves").map((name) => button(name, `Play ${name}`, () => send("play", name))),
      ...model.get("commands").map(([name, label]) => button(label, label, () => send(name))),
    );
  };
  board.addEventListener("click", (event) => {
    const svg = board.querySelector("svg");
    const place = svg.getBoundingClientRect();
    const [cell, margin] = model.get("geometry");
    const scale = svg.viewBox.baseVal.width / place.width;
    const column = Math.floor(((event.clientX - place.left) * scale - margin) / cell);
    const row = Math.floor(((event.clientY - place.top) * scale - margin) / cell);
    send("click", [column, row]);
  });
  board.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation(); // the notebook would move to another cell
    send("go", model.get("shown") + step);
  });
  for (const name of ["svg", "chosen", "targets"]) model.on(`change:${name}`, draw);
  for (const name of ["status", "details", "length", "shown", "busy", "named_moves", "commands"]) {
    model.on(`change:${name}`, tell);
  }
  draw();
  tell();
}

export default { render };
