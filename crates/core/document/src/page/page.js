"use strict";
// Draws the charts: unpacks the drawing script once, unpacks a run's charts when it is first seen, puts in the
// colours of the theme, and draws each chart as it comes into view.
(() => {
  const styles = () => getComputedStyle(document.documentElement);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const runs = new Map();
  const modes = new Map();
  const drawn = new Map();

  const trouble = (text) => {
    const place = document.getElementById("trouble");
    place.textContent = text;
    place.hidden = false;
    document.body.classList.add("no-charts");
  };

  const unpack = async (id) => {
    const text = document.getElementById(id).textContent;
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).text();
  };

  let plotly;
  const ready = () => (plotly ??= unpack("plotly").then((source) => {
    const element = document.createElement("script");
    element.textContent = source;
    document.head.append(element);
    if (!window.Plotly) throw new Error("the drawing script did not start");
    return window.Plotly;
  }));
  const charts = (run) => {
    if (!runs.has(run)) runs.set(run, unpack("data-" + run).then(JSON.parse));
    return runs.get(run);
  };

  // "@b/0.3" is stage B's colour of the theme at 30 %.
  const colour = (token) => {
    const [name, alpha] = token.slice(1).split("/");
    const hex = styles().getPropertyValue("--" + name).trim();
    if (!alpha) return hex;
    const part = (at) => parseInt(hex.slice(at, at + 2), 16);
    return `rgba(${part(1)},${part(3)},${part(5)},${alpha})`;
  };
  const themed = (value, key) => {
    if (typeof value === "string") {
      return /color$/.test(key) && value.startsWith("@") ? colour(value) : value;
    }
    if (key === "colorscale") return value.map(([at, token]) => [at, colour(token)]);
    if (Array.isArray(value)) return typeof value[0] === "object" ? value.map((v) => themed(v, key)) : value;
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, themed(v, k)]));
    }
    return value;
  };
  const put = (object, path, value) => {
    const keys = path.split(".");
    const last = keys.pop();
    const place = keys.reduce((at, key) => (at[key] ??= {}), object);
    if (value === null) delete place[last];
    else place[last] = value;
  };

  const dress = (layout, width) => {
    const get = (name) => styles().getPropertyValue("--" + name).trim();
    const narrow = width < 420;
    layout.paper_bgcolor = layout.plot_bgcolor = "rgba(0,0,0,0)";
    layout.font = { family: get("font"), size: 12, color: get("muted") };
    layout.hoverlabel = {
      bgcolor: get("panel"), bordercolor: get("rule"), align: "left",
      font: { family: get("font"), size: 12, color: get("ink") },
    };
    layout.hovermode ??= "closest";
    layout.dragmode = "zoom";
    layout.separators = ".\u202f";
    for (const name of Object.keys(layout).filter((key) => /^[xy]axis/.test(key))) {
      Object.assign(layout[name], {
        gridcolor: get("grid"), linecolor: get("rule"), tickcolor: get("rule"), zeroline: false,
        showline: name[0] === "x", ticks: name[0] === "x" ? "outside" : "", ticklen: 4,
        showgrid: name[0] === "y" || layout[name].type === "log",
        automargin: true,
      });
      if (layout[name].title) {
        layout[name].title.font = { size: 12, color: get("muted") };
        layout[name].title.standoff = 8;
      }
      if (narrow && layout[name].nticks) layout[name].nticks = Math.min(layout[name].nticks, 5);
    }
    if (layout.legend) layout.legend.font = { size: 12, color: get("ink") };
  };

  // Axes of times and of counts get ticks of their own: the drawing script leaves the unit off some times, and has
  // parts of a message.
  const steps = [[1e-9, "ns"], [1e-6, "µs"], [1e-3, "ms"], [1, "s"]];
  const timeText = (seconds) => {
    if (Math.abs(seconds) < 1e-12) return "0";
    const [size, unit] = steps.findLast(([size]) => Math.abs(seconds) >= size * 0.9999) ?? steps[0];
    return String(+(seconds / size).toPrecision(4)).replace("-", "−") + "\u202f" + unit;
  };
  const countText = (n) => {
    const [size, unit] = [[1e9, "G"], [1e6, "M"], [1e3, "k"]].find(([size]) => n >= size) ?? [1, ""];
    return +(n / size).toPrecision(4) + unit;
  };
  const logTicks = (from, to) => {
    const span = to - from;
    const factors = span > 1.7 ? [1] : span > 0.7 ? [1, 2, 5] : span > 0.3 ? [1, 1.5, 2, 3, 4, 5, 7] : [1, 1.1, 1.2, 1.3,
      1.4, 1.5, 1.6, 1.8, 2, 2.2, 2.5, 2.8, 3.2, 3.6, 4, 4.5, 5, 5.5, 6, 6.5, 7, 8, 9];
    const every = Math.max(1, Math.ceil(span / 9));
    const ticks = [];
    for (let decade = Math.floor(from); decade <= to; decade += every) ticks.push(...factors.map((f) => f * 10 ** decade));
    return ticks.filter((tick) => Math.log10(tick) >= from - 1e-9 && Math.log10(tick) <= to + 1e-9);
  };
  const linearTicks = (from, to, wanted, least) => {
    const rough = Math.max((to - from) / wanted, least);
    const decade = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((f) => f * decade).find((step) => step >= rough * 0.999);
    const ticks = [];
    for (let i = Math.ceil(from / step - 1e-9); i * step <= to * (1 + 1e-12); i++) ticks.push(i * step);
    return ticks;
  };
  const tick = (place) => {
    const update = {};
    for (const name of ["xaxis", "yaxis"]) {
      const axis = place.layout[name];
      const time = axis?.ticksuffix === "s";
      if (!(time || (axis?.tickformat === "~s" && !axis.ticksuffix)) || !axis.range) continue;
      const [from, to] = [Math.min(...axis.range), Math.max(...axis.range)];
      const pixels = name === "xaxis" ? place.clientWidth : place.clientHeight * 1.6;
      const wanted = Math.max(2, Math.min(8, pixels / 85));
      const ticks = axis.type === "log" ? logTicks(from, to) : linearTicks(from, to, wanted, time ? 0 : 1);
      const values = time ? ticks : ticks.filter(Number.isInteger);
      if (String(values) === String(axis.tickvals)) continue;
      update[name + ".tickmode"] = "array";
      update[name + ".tickvals"] = values;
      update[name + ".ticktext"] = values.map(time ? timeText : countText);
    }
    return Object.keys(update).length ? window.Plotly.relayout(place, update) : undefined;
  };

  const config = {
    displaylogo: false, responsive: true,
    modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d", "zoomIn2d", "zoomOut2d"],
  };

  const paint = (place, Plotly, chart) => {
    const data = themed(structuredClone(chart.data), "");
    const layout = themed(structuredClone(chart.layout), "");
    const mode = chart.modes[modes.get(place.closest("section").id) ?? 0];
    if (mode) {
      if (mode.visible) data.forEach((trace, i) => (trace.visible = mode.visible[i]));
      for (const [path, value] of Object.entries(mode.layout)) put(layout, path, value);
    }
    dress(layout, place.clientWidth);
    return Plotly.react(place, data, layout, config).then(() => tick(place));
  };
  const draw = async (place) => {
    const [Plotly, all] = await Promise.all([ready(), charts(place.closest("[data-run]").dataset.run)]);
    drawn.set(place, all[place.id]);
    await paint(place, Plotly, all[place.id]);
    place.on("plotly_relayout", () => tick(place));
    place.classList.add("drawn");
  };
  const attempt = (place) => draw(place).catch((error) => {
    trouble("The charts could not be drawn (" + error.message + "). The text and the tables are complete without them.");
    console.error(error);
  });
  // Without a pause, so that paper gets the light colours before it is printed.
  const redraw = (within) => drawn.forEach((chart, place) => {
    if (within.contains(place)) paint(place, window.Plotly, chart);
  });

  const start = () => {
    if (!("DecompressionStream" in window)) {
      return trouble("This browser is too old to unpack the charts (it lacks DecompressionStream: Chrome 80, Firefox 113, " +
        "Safari 16.4 have it). The text and the tables are complete without them.");
    }
    const seen = new IntersectionObserver((entries) => {
      for (const entry of entries.filter((e) => e.isIntersecting)) {
        seen.unobserve(entry.target);
        attempt(entry.target);
      }
    }, { rootMargin: "400px" });
    document.querySelectorAll(".chart").forEach((place) => seen.observe(place));
    document.querySelectorAll(".switch").forEach((group) => group.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (!button) return;
      group.querySelectorAll("button").forEach((b) => b.setAttribute("aria-pressed", String(b === button)));
      modes.set(group.dataset.section, Number(button.dataset.mode));
      redraw(document.getElementById(group.dataset.section));
    }));
    dark.addEventListener("change", () => redraw(document));
    for (const when of ["beforeprint", "afterprint"]) {
      addEventListener(when, () => {
        document.documentElement.classList.toggle("printing", when === "beforeprint");
        redraw(document);
      });
    }
  };

  // A link to a run or to a section inside it opens the fold.
  const open = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const fold = target && target.closest("details.run");
    if (!fold) return;
    fold.open = true;
    target.scrollIntoView({ behavior: still.matches ? "auto" : "smooth" });
  };
  addEventListener("hashchange", open);
  start();
  open();
})();
