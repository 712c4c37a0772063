"use strict";
// The charts are on the page already, as SVG. This adds what moves: what a point says, zoom, the other modes of a
// section's switch, and folds that open for links and for paper.
const fourstamp = (() => {
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const root = document.documentElement;
  const runs = new Map();
  const charts = new Map();

  const unpack = async (id) => {
    const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).json();
  };
  const trouble = (text) => {
    const place = document.getElementById("trouble");
    place.textContent = text;
    place.hidden = false;
  };
  // A run's data, when it is first wanted.
  const data = (place) => {
    const run = place.closest("[data-run]").dataset.run;
    if (!runs.has(run)) runs.set(run, unpack("data-" + run));
    return runs.get(run);
  };
  const WHOLE = { x: [0, 1], y: [0, 1] };
  const chart = async (place) => {
    if (!charts.has(place)) {
      const { texts, modes } = (await data(place))[place.id];
      const svg = place.querySelector(".plot");
      if (charts.has(place)) return charts.get(place);
      modes[0].svg = svg.innerHTML;
      const whole = modes.map((mode) => (mode.same === undefined ? mode : modes[mode.same]));
      charts.set(place, { place, svg, texts, modes: whole, mode: 0, view: WHOLE, tip: -1 });
    }
    return charts.get(place);
  };
  const attempt = (what) => what.catch((error) => {
    trouble("Tips and zoom do not work (" + error.message + "). The charts are complete.");
    console.error(error);
  });

  // Names of ticks.
  const times = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];
  const sizes = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]];
  const figures = (value, digits) => String(+value.toPrecision(digits)).replace("-", "−");
  const step = (steps, value) => steps.find(([size]) => Math.abs(value) >= size * 0.9999) ?? steps.at(-1);
  const scaled = (steps, gap, end) => (value, digits) => {
    const [size, unit] = step(steps, value);
    return figures(value / size, digits) + gap + unit + end;
  };
  const texts = {
    time: (s, digits) => (Math.abs(s) < 1e-12 ? "0" : scaled(times, "\u202f", "")(s, digits)),
    count: scaled(sizes, "", ""),
    bytes: scaled(sizes, "\u202f", "B"),
    part: (p, digits) => figures(p * 100, digits) + "\u202f%",
    number: (n, digits) => figures(n, digits + 1),
    day: (ms) => new Date(ms).toISOString().slice(11, 19),
  };
  // Of five figures, or of as many more as tell neighbours apart.
  const apart = (unit, values) => {
    let names = [];
    for (let digits = 5; digits <= 12 && new Set(names).size < values.length; digits++) names = values.map((v) => texts[unit](v, digits));
    return names;
  };
  const logTicks = (from, to) => {
    const span = to - from;
    const factors = span > 1.7 ? [1] : span > 0.7 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 7];
    const every = Math.max(1, Math.ceil(span / 9));
    const ticks = [];
    for (let decade = Math.floor(from); decade <= to; decade += every) ticks.push(...factors.map((f) => f * 10 ** decade));
    return ticks.filter((tick) => Math.log10(tick) >= from && Math.log10(tick) <= to);
  };
  const linearTicks = (from, to, wanted, whole) => {
    const rough = Math.max((to - from) / wanted, whole ? 1 : 0);
    const decade = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((f) => f * decade).find((step) => step >= rough * 0.999);
    const ticks = [];
    for (let i = Math.ceil(from / step - 1e-9); i * step <= to * (1 + 1e-12) && ticks.length < 40; i++) ticks.push(i * step);
    return ticks;
  };
  // What of an axis is seen: place (0 to 1) and name of each tick.
  const ticks = (axis, [begin, end], wanted) => {
    const place = (at) => (at - begin) / (end - begin);
    if (axis.names) {
      const named = axis.names.map(([at, name]) => [place(at), name]).filter(([at]) => at >= 0 && at <= 1);
      return named.filter((_, i) => i % Math.ceil(named.length / (wanted + 2)) === 0);
    }
    const value = (part) => axis.from + part * (axis.to - axis.from);
    const [low, high] = [value(begin), value(end)].sort((a, b) => a - b);
    const part = (v) => ((axis.log ? Math.log10(v) : v) - axis.from) / (axis.to - axis.from);
    let found = axis.log ? logTicks(low, high) : [];
    const [from, to] = axis.log ? [10 ** low, 10 ** high] : [low, high];
    const whole = axis.unit === "count" || axis.unit === "bytes";
    // One tick is no scale: rather more than are wanted.
    for (let more = 0; found.length < 2 && more < 6; more++) found = linearTicks(from, to, wanted + more, whole);
    const names = apart(axis.unit, found);
    return found.map((v, i) => [place(part(v)), names[i]]);
  };
  const element = (name, attributes, text) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text) made.textContent = text;
    return made;
  };
  const inside = (at) => Math.min(Math.max(at, 0), 1);
  const percent = (part) => (part * 100).toFixed(2) + "%";
  const zoomedAxes = ({ svg, modes, mode, view, place }) => {
    const { x, y } = modes[mode];
    const box = place.querySelector(".plot").getBoundingClientRect();
    const along = ticks(x, view.x, Math.max(2, Math.min(8, box.width / 95)));
    const upright = ticks(y, [1 - view.y[1], 1 - view.y[0]], Math.max(2, box.height / 45));
    const fill = (name, made) => svg.querySelector(name).replaceChildren(...made);
    fill(".gx", x.log ? along.map(([at]) => element("line", { x1: percent(at), x2: percent(at), y2: "100%" })) : []);
    fill(".tx", along.map(([at, name]) => element("text", { x: percent(at), y: "100%", dy: 17 }, name)));
    fill(".gy", y.names ? [] : upright.map(([at]) => element("line", { x2: "100%", y1: percent(1 - at), y2: percent(1 - at) })));
    fill(".ty", upright.map(([at, name]) => element("text", { x: -8, y: percent(1 - at), dy: 4 }, name)));
  };
  const restore = (one) => {
    one.svg.innerHTML = one.modes[one.mode].svg;
    one.svg.classList.remove("zoomed");
    one.view = WHOLE;
  };
  const zoom = (one, wanted) => {
    restore(one);
    const view = { x: wanted.x.map(inside), y: wanted.y.map(inside) };
    const [[left, right], [top, bottom]] = [view.x, view.y];
    if (right - left > 0.999 && bottom - top > 0.999) return;
    one.view = view;
    one.svg.classList.add("zoomed");
    const box = [left, top, right - left, bottom - top].map((part) => part * 1000);
    one.svg.querySelector(".marks").setAttribute("viewBox", box.join(" "));
    for (const point of one.svg.querySelectorAll(".points *")) {
      for (const name of ["x", "x1", "x2", "cx", "y", "y1", "y2", "cy"]) {
        const at = point.getAttribute(name);
        if (!at?.endsWith("%")) continue;
        const [from, to] = name.includes("x") ? view.x : view.y;
        point.setAttribute(name, percent((parseFloat(at) / 100 - from) / (to - from)));
      }
    }
    zoomedAxes(one);
  };

  // What a point says.
  const tip = document.createElement("div");
  tip.id = "tip";
  tip.setAttribute("role", "status");
  tip.hidden = true;
  document.body.append(tip);
  const hide = () => (tip.hidden = true);
  // Where a tip's box lies on the screen: left, top, right, bottom.
  const seen = (one, [left, top, right, bottom]) => {
    const box = one.svg.getBoundingClientRect();
    const x = (at) => box.left + ((at / 1000 - one.view.x[0]) / (one.view.x[1] - one.view.x[0])) * box.width;
    const y = (at) => box.top + ((at / 1000 - one.view.y[0]) / (one.view.y[1] - one.view.y[0])) * box.height;
    return [x(left), y(top), x(right), y(bottom)];
  };
  const say = (one, at) => {
    one.tip = at;
    const [left, top, right] = seen(one, one.modes[one.mode].tips[at]);
    tip.textContent = one.texts[one.modes[one.mode].tips[at][4]];
    tip.hidden = false;
    const x = Math.min(Math.max((left + right) / 2 - tip.offsetWidth / 2, 6), innerWidth - tip.offsetWidth - 6);
    const y = top - tip.offsetHeight - 10;
    tip.style.transform = `translate(${x}px,${y < 6 ? top + 16 : y}px)`;
  };
  // Bars are wide, points are not: the nearest box within reach, a bar wherever the pointer is above it. Along the plot
  // one points more exactly than upwards.
  const nearest = (one, px, py) => {
    let [best, least] = [-1, 45];
    one.modes[one.mode].tips.forEach((entry, at) => {
      const [left, top, right, bottom] = seen(one, entry);
      const dx = Math.max(left - px, px - right, 0);
      const dy = Math.max(top - py, py - bottom, 0);
      const distance = dx === 0 && right > left ? Math.min(dy, 5 + dy / 20) : Math.hypot(dx, dy / 3);
      if (distance < least) [best, least] = [at, distance];
    });
    return best;
  };

  const part = (one, event) => {
    const box = one.svg.getBoundingClientRect();
    return [inside((event.clientX - box.left) / box.width), inside((event.clientY - box.top) / box.height)];
  };
  // From one corner to the other; a flat or a narrow box means one axis alone.
  const boxed = (one, from, to) => {
    const box = one.svg.getBoundingClientRect();
    const ends = (at, pixels) => {
      const [low, high] = [from[at], to[at]].sort((a, b) => a - b);
      return (high - low) * pixels < 18 ? [0, 1] : [low, high];
    };
    return { x: ends(0, box.width), y: ends(1, box.height) };
  };
  const within = (view, box) => {
    const of = ([from, to], [low, high]) => [from + low * (to - from), from + high * (to - from)];
    return { x: of(view.x, box.x), y: of(view.y, box.y) };
  };
  const listen = (place) => {
    let [from, frame] = [null, null];
    place.tabIndex = 0;
    const move = async (event) => {
      const one = await chart(place);
      if (!from) {
        const at = nearest(one, event.clientX, event.clientY);
        return at < 0 ? hide() : say(one, at);
      }
      const { x, y } = boxed(one, from, part(one, event));
      frame ??= one.svg.appendChild(element("rect", { class: "zoombox" }));
      const attributes = { x: percent(x[0]), width: percent(x[1] - x[0]), y: percent(y[0]), height: percent(y[1] - y[0]) };
      for (const [key, value] of Object.entries(attributes)) frame.setAttribute(key, value);
    };
    const end = async (event) => {
      const one = await chart(place);
      const box = from && frame && boxed(one, from, part(one, event));
      frame?.remove();
      [from, frame] = [null, null];
      if (box) zoom(one, within(one.view, box));
    };
    const key = async (event) => {
      const one = await chart(place);
      const { tips } = one.modes[one.mode];
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const closer = { "+": 0.25, "-": -0.5 }[event.key];
      if (step && tips.length) say(one, (one.tip + step + tips.length) % tips.length);
      else if (closer) zoom(one, within(one.view, { x: [closer, 1 - closer], y: [0, 1] }));
      else if (event.key === "0" || event.key === "Escape") (restore(one), hide());
    };
    place.addEventListener("pointermove", (event) => attempt(move(event)));
    place.addEventListener("pointerleave", hide);
    place.addEventListener("blur", hide);
    // On a touch screen a finger scrolls.
    place.addEventListener("pointerdown", async (event) => {
      if (event.button !== 0 || event.pointerType === "touch") return;
      place.setPointerCapture(event.pointerId);
      from = part(await chart(place), event);
      hide();
    });
    place.addEventListener("pointerup", (event) => attempt(end(event)));
    place.addEventListener("dblclick", async () => restore(await chart(place)));
    place.addEventListener("keydown", (event) => {
      if (/^(ArrowLeft|ArrowRight|\+|-|0|Escape)$/.test(event.key)) (event.preventDefault(), attempt(key(event)));
    });
  };
  const choose = async (group, button) => {
    group.querySelectorAll("button").forEach((b) => b.setAttribute("aria-pressed", String(b === button)));
    for (const place of document.getElementById(group.dataset.section).querySelectorAll(".chart")) {
      const one = await chart(place);
      one.mode = Math.min(Number(button.dataset.mode), one.modes.length - 1);
      one.tip = -1;
      place.style.padding = one.modes[one.mode].padding;
      restore(one);
    }
  };

  const start = () => {
    if (!("DecompressionStream" in window)) {
      return trouble("This browser is too old for tips, zoom and other scales (it lacks DecompressionStream: Chrome 80, " +
        "Firefox 113, Safari 16.4 have it). The charts, the text and the tables are complete without them.");
    }
    root.classList.add("live");
    document.querySelectorAll(".chart").forEach(listen);
    document.querySelectorAll(".switch").forEach((group) => group.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) attempt(choose(group, button));
    }));
  };

  // Paper has everything: what is folded opens, and closes again.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    closed.forEach((fold) => (fold.open = true));
  });
  addEventListener("afterprint", () => closed.forEach((fold) => (fold.open = false)));

  // A link to a run, to a section inside it or to another fold opens it.
  const open = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    let fold = target && target.closest("details");
    if (!fold) return;
    for (; fold; fold = fold.parentElement.closest("details")) fold.open = true;
    target.scrollIntoView({ behavior: still.matches ? "auto" : "smooth" });
  };
  addEventListener("hashchange", open);
  start();
  open();
  return { unpack, attempt, ticks, element, percent };
})();
