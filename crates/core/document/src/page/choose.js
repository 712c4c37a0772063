// Choosing messages by several facets at once: the figures and the tail of those chosen beside those of all, and the
// command for the rest. A choice is the sum of its cells.
(({ unpack, attempt, ticks, element, percent }) => {
  // A time with three figures, as `format.rs` writes it: a tie goes to the even figure.
  const rounded = (value, decimals) => {
    const twice = value * 2 ** (decimals + 1);
    if (!Number.isInteger(twice) || twice % 2 === 0) return value.toFixed(decimals);
    const below = Math.floor(value * 10 ** decimals);
    return ((below + Math.abs(below % 2)) / 10 ** decimals).toFixed(decimals);
  };
  const figures = (value, nanoseconds) => {
    const size = Math.abs(value);
    if (nanoseconds) return rounded(value, Number.isInteger(value) || size >= 9.95 ? 0 : 1);
    return rounded(value, size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
  };
  const units = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
  const time = (ns) => {
    const [size, unit] = units.find(([size]) => Math.abs(ns) >= size * 0.9995) ?? units[3];
    return figures(ns / size, size === 1).replace("-", "−") + "\u00a0" + unit;
  };
  const count = (n) => (n < 10000 ? String(n) : String(n).replace(/\B(?=(\d{3})+$)/g, "\u202f"));

  // The smallest k with k/n ≥ p, as `distribution.rs` has it.
  const rank = (p, n) => {
    const above = Math.ceil(p * n);
    return Math.min(Math.max((above - 1) / n >= p ? above - 1 : above, 1), n);
  };
  const enough = (p, n) => n > 0 && (p === 0.5 || Math.min(p, 1 - p) * n >= 10 - 1e-6);

  // The times of cells, added up.
  const added = (data, cells, measure) => {
    const bins = new Map();
    let [n, min, max] = [0, Infinity, -Infinity];
    for (const [, , times] of cells) {
      if (!times[measure]) continue;
      const [low, high, counts] = times[measure];
      [min, max] = [Math.min(min, low), Math.max(max, high)];
      for (let i = 0, at = 0; i < counts.length; i += 2) {
        at += counts[i];
        n += counts[i + 1];
        bins.set(at, (bins.get(at) ?? 0) + counts[i + 1]);
      }
    }
    const sorted = [...bins].sort(([a], [b]) => a - b);
    return { n, min, max, bins: sorted.map(([at, held]) => [data.bins[2 * at], data.bins[2 * at + 1], held]) };
  };
  // Its value, and whether it is exact.
  const quantile = ({ n, min, max, bins }, p) => {
    const wanted = rank(p, n);
    if (wanted === 1 || wanted === n) return [wanted === 1 ? min : max, true];
    let passed = 0;
    for (let [low, high, held] of bins) {
      passed += held;
      [low, high] = [Math.max(low, min), Math.min(high, max)];
      if (passed >= wanted) return [low + Math.floor((high - low) / 2), low === high];
    }
    return [max, true];
  };
  // Time and part that took longer; exact, since it is said where bins end.
  const tail = ({ n, min, max, bins }) => {
    let left = n;
    const points = [[min, 1]];
    for (const [, high, held] of bins) {
      left -= held;
      if (left > 0) points.push([high, left / n]);
    }
    return [...points, [max, points.at(-1)[1]]].filter(([ns]) => ns > 0);
  };

  const holds = (of, chosen) => chosen.every((one, at) => one === null || of[at] === one);
  const lists = (place) => [...place.querySelectorAll("select")];
  const chosenIn = (place) => lists(place).map((list) => (list.value === "" ? null : Number(list.value)));
  // What the lists say: `0 → 1, reply`.
  const words = (place) => lists(place).filter((list) => list.value !== "").map((list) => list.selectedOptions[0].text);

  // Figures of a measure: a list's own table has those of a choice from that list alone.
  const figuresOf = (data, chosen, cells, measure) => {
    const picked = chosen.flatMap((one, at) => (one === null ? [] : [data.facets[at].choices[one]]));
    const known = picked.length === 1 ? picked[0].figures[measure] : null;
    if (known) return { n: known[0], quantiles: known[1].map((ns) => ns !== null && [ns, true]), max: known[2] };
    const sum = added(data, cells, measure);
    const quantiles = data.quantiles.map((p) => enough(p, sum.n) && quantile(sum, p));
    return { n: sum.n, quantiles, max: sum.max };
  };
  const fill = (row, { n, quantiles, max }) => {
    const say = (found) => (found ? (found[1] ? "" : "≈\u202f") + time(found[0]) : "–");
    const texts = [count(n), ...quantiles.map(say), say(n > 0 && [max, true])];
    [...row.cells].slice(1).forEach((cell, at) => (cell.textContent = texts[at]));
    row.hidden = false;
  };

  // Both tails on log scales.
  const draw = (place, all, some) => {
    const plot = place.querySelector(".tailplot");
    const curves = [tail(all), tail(some)];
    const points = curves.flat();
    if (curves.some((curve) => curve.length < 2)) return false;
    const ends = (of) => [Math.min(...of), Math.max(...of)].map(Math.log10);
    const [left, right] = ends(points.map(([ns]) => ns * 1e-9));
    const [bottom] = ends(points.map(([, part]) => part));
    const x = { log: true, from: left, to: right > left ? right : left + 1, unit: "time" };
    const y = { log: true, from: bottom < -0.3 ? bottom : -1, to: 0, unit: "part" };
    const at = (axis, value) => (Math.log10(value) - axis.from) / (axis.to - axis.from);
    const path = (curve, colour, width) => {
      const steps = curve.map(([ns, part]) => `${(1000 * at(x, ns * 1e-9)).toFixed(1)} ${(1000 - 1000 * at(y, part)).toFixed(1)}`);
      return element("path", { class: colour, d: "M" + steps.join("L"), "stroke-width": width });
    };
    const marks = element("svg", { class: "marks", viewBox: "0 0 1000 1000", preserveAspectRatio: "none", width: "100%", height: "100%" });
    marks.append(path(curves[0], "k-faint", 2), path(curves[1], "k-mark", 2.5));
    const group = (name, made) => {
      const g = element("g", { class: name });
      g.append(...made);
      return g;
    };
    const wide = plot.clientWidth - 90;
    let last = -1;
    const along = ticks(x, [0, 1], Math.max(2, Math.min(8, wide / 95)))
      .filter(([at]) => (at - last) * wide > 62 && ((last = at), true));
    const upright = ticks(y, [0, 1], 5);
    const svg = plot.querySelector(".plot");
    svg.replaceChildren(
      group("grid", upright.map(([at]) => element("line", { x2: "100%", y1: percent(1 - at), y2: percent(1 - at) }))),
      group("grid", along.map(([at]) => element("line", { y2: "100%", x1: percent(at), x2: percent(at) }))),
      marks,
      group("tx", along.map(([at, name]) => element("text", { x: percent(at), y: "100%", dy: 17 }, name))),
      group("ty", upright.map(([at, name]) => element("text", { x: -8, y: percent(1 - at), dy: 4 }, name))),
    );
    return true;
  };

  // A choice that takes no message cannot be made.
  const narrow = (place, data, chosen) => lists(place).forEach((list, at) => {
    const others = data.cells.filter(([of]) => holds(of, chosen.map((one, i) => (i === at ? null : one))));
    const left = new Set(others.map(([of]) => of[at]));
    [...list.options].filter((option) => option.value !== "").forEach((option) => (option.disabled = !left.has(Number(option.value))));
  });

  const show = async (place) => {
    const data = await unpacked(place);
    const chosen = chosenIn(place);
    const cells = data.cells.filter(([of]) => holds(of, chosen));
    const any = chosen.some((one) => one !== null);
    const messages = cells.reduce((sum, [, held]) => sum + held, 0);
    narrow(place, data, chosen);
    place.classList.toggle("some", any);
    place.querySelector("button").disabled = !any;
    place.querySelectorAll("tr.chosen").forEach((row, measure) => {
      if (any) fill(row, figuresOf(data, chosen, cells, measure));
      else row.hidden = true;
    });
    place.querySelector(".about span").hidden = !any || !/≈/.test(place.querySelector("table").textContent);
    const of = `${count(messages)} of ${count(data.messages)} messages`;
    place.querySelector(".said").textContent = any ? `${words(place).join(", ")}: ${of}.` : `All ${count(data.messages)} messages.`;
    const figure = place.querySelector("figure");
    figure.hidden = !any;
    if (any) figure.hidden = !draw(place, added(data, data.cells, 0), added(data, cells, 0));
    place.querySelector(".tailplot").setAttribute("aria-label", `Tail of ${words(place).join(", ")} and of all messages, on log scales.`);
    const options = data.facets.map((facet, at) => (chosen[at] === null ? facet.options : facet.choices[chosen[at]].options));
    const command = place.querySelector(".command");
    command.hidden = !any;
    command.querySelector("code").textContent = [data.command[0], ...options, data.command[1]].filter((word) => word !== "").join(" ");
  };

  const sets = new Map();
  const unpacked = (place) => {
    if (!sets.has(place)) sets.set(place, unpack("data-" + place.closest("section").id));
    return sets.get(place);
  };
  if (!document.documentElement.classList.contains("live")) return;
  for (const place of document.querySelectorAll(".choose")) {
    place.addEventListener("change", () => attempt(show(place)));
    place.querySelector("button").addEventListener("click", () => {
      lists(place).forEach((list) => (list.value = ""));
      attempt(show(place));
      lists(place)[0].focus();
    });
    // A browser that goes back keeps what was chosen.
    if (chosenIn(place).some((one) => one !== null)) attempt(show(place));
  }
  let waiting = 0;
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => document.querySelectorAll(".choose.some").forEach((place) => attempt(show(place))), 150);
  });
})(fourstamp);
