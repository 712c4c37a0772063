// Opens report pages in a real Chromium and checks what a reader would see: no error, no network, every chart there
// (without a script, on paper, on a telephone), no text on another, tips, zoom and switches that work, by keyboard too,
// both themes, nothing that axe finds hard to access, no text of a run's own run as code; and that messages which are
// chosen on the page have the figures that the program finds.
//
//   node pages.mjs PAGE.html [PAGE.html ...]
//
// CHROMIUM names the browser (default /usr/bin/chromium), FOURSTAMP the program that made the pages. Ends with `N passed, N failed`; exit code 1 if any failed.
import { chromium } from "playwright-core";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { basename, dirname } from "node:path";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const pages = process.argv.slice(2);
if (pages.length === 0) {
  console.error("usage: node pages.mjs PAGE.html [PAGE.html ...]");
  process.exit(2);
}

let passed = 0;
let failed = 0;
const check = (name, ok, detail = "") => {
  ok ? passed++ : failed++;
  console.log(`${ok ? "ok  " : "FAIL"} ${name}${ok || detail === "" ? "" : `: ${detail.slice(0, 600)}`}`);
};

// Browsers sandbox themselves with namespaces that containers often forbid; the pages are our own.
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});

const open = async (file, options) => {
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  context.setDefaultTimeout(120000); // for machines with other work
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("dialog", (dialog) => (complaints.push("dialog: " + dialog.message()), dialog.dismiss()));
  page.on("request", (request) => /^(file|data|blob):/.test(request.url()) || complaints.push("request: " + request.url()));
  await page.goto(pathToFileURL(file).href);
  return { context, page, complaints };
};

// Nothing is drawn on scroll, but what is folded has no size.
const openFolds = (page) => page.$$eval("details", (folds) => folds.forEach((fold) => (fold.open = true)));

// What of a chart is wrong, or nothing: it must have a size, and marks on the screen.
const faults = (page) => page.$$eval(".chart", (charts) => charts.flatMap((chart) => {
  const box = chart.querySelector("svg.plot")?.getBoundingClientRect();
  const seen = [...chart.querySelectorAll(".marks path, .points circle, .points path, .points line")].filter((mark) => {
    const at = mark.getBoundingClientRect();
    return at.width > 0 || at.height > 0;
  });
  // Paper shows all of it smaller.
  const least = 60 * chart.currentCSSZoom;
  const wrong = !box || box.width < least || box.height < least ? "no size" : seen.length === 0 ? "no marks" : "";
  return wrong ? [`${chart.id} ${wrong}`] : [];
}));

// Texts of a chart that lie on each other or stick out of it.
const collisions = (page) => page.$$eval(".chart, figure:not([hidden]) > .tailplot", (charts) => charts.flatMap((chart) => {
  const texts = [...chart.querySelectorAll("text")].map((text) => [text.textContent, text.getBoundingClientRect()]);
  const shown = texts.filter(([, box]) => box.width > 0);
  const whole = chart.getBoundingClientRect();
  const out = shown.filter(([, box]) => box.left < whole.left - 2 || box.right > whole.right + 2 || box.bottom > whole.bottom + 4);
  const pairs = shown.flatMap(([text, a], at) => shown.slice(0, at)
    .filter(([, b]) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 4 && b.top < a.bottom - 4)
    .map(([other]) => `${chart.id}: ${text} on ${other}`));
  return [...pairs, ...out.map(([text]) => `${chart.id}: ${text} sticks out`)];
}));

const looks = async (page, name) => {
  const wrong = await faults(page);
  check(`${name}: every chart is there`, wrong.length === 0, wrong.join("; "));
  const texts = await collisions(page);
  check(`${name}: no text lies on another`, texts.length === 0, texts.join("; "));
};

const shape = (page, section) => page.$$eval(`[id="${section}"] .plot`, (plots) => plots.map((plot) => plot.innerHTML).join());

const switches = async (page, name) => {
  const groups = page.locator(".switch");
  const broken = [];
  for (let i = 0; i < (await groups.count()); i++) {
    const group = groups.nth(i);
    const section = await group.getAttribute("data-section");
    const seen = [await shape(page, section)];
    const buttons = group.locator("button");
    for (let b = 1; b < (await buttons.count()); b++) {
      // By keyboard: a switch that only a mouse can work is broken.
      await buttons.nth(b).focus();
      await page.keyboard.press("Enter");
      await page.waitForTimeout(60);
      const now = await shape(page, section);
      // What "auto" chose may be what the next button says.
      const auto = b === 1 && (await buttons.first().textContent()) === "auto";
      if (now === seen.at(-1) && !auto) broken.push(`${section} button ${b} changes nothing`);
      if ((await buttons.nth(b).getAttribute("aria-pressed")) !== "true") broken.push(`${section} button ${b} not pressed`);
      seen.push(now);
    }
  }
  check(`${name}: ${await groups.count()} switches change their charts`, broken.length === 0, broken.join("; "));
  const after = await faults(page);
  check(`${name}: charts are still drawn after switching`, after.length === 0, after.join("; "));
};

// Tips, zoom and its end, by mouse and by keyboard.
const moves = async (page, name) => {
  const chart = page.locator(".chart").first();
  await chart.scrollIntoViewIfNeeded();
  const box = await chart.locator(".plot").boundingBox();
  const at = (x, y) => [box.x + box.width * x, box.y + box.height * y];
  let said = "";
  for (let step = 0; said === "" && step < 81; step++) {
    await page.mouse.move(...at(0.1 * (1 + (step % 9)), 0.1 * (1 + Math.floor(step / 9))));
    await page.waitForTimeout(60);
    if (await page.locator("#tip").isVisible()) said = await page.locator("#tip").textContent();
  }
  check(`${name}: a tip says what is there`, said.length > 2);
  const ticks = () => chart.locator(".plot").innerHTML();
  const before = await ticks();
  await page.mouse.move(...at(0.2, 0.2));
  await page.mouse.down();
  await page.mouse.move(...at(0.4, 0.6), { steps: 4 });
  await page.mouse.move(...at(0.6, 0.9), { steps: 4 });
  await page.mouse.up();
  await page.waitForTimeout(150);
  const zoomed = await ticks();
  await page.mouse.dblclick(...at(0.5, 0.5));
  await page.waitForTimeout(150);
  check(`${name}: dragging zooms, a double click ends it`, zoomed !== before && (await ticks()) === before);
  await chart.focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForTimeout(100);
  const tip = await page.locator("#tip").isVisible();
  await page.keyboard.press("+");
  await page.waitForTimeout(100);
  const closer = await ticks();
  await page.keyboard.press("Escape");
  await page.waitForTimeout(100);
  check(`${name}: tips and zoom by keyboard`, tip && closer !== before && (await ticks()) === before);
};

// Zoomed in until five figures no longer tell ticks apart.
const closeUp = async (page, name) => {
  const chart = page.locator('.chart[id*="dist-"]').first();
  if ((await chart.count()) === 0) return;
  await chart.scrollIntoViewIfNeeded();
  await chart.focus();
  for (let press = 0; press < 20; press++) await page.keyboard.press("+");
  await page.waitForTimeout(100);
  const names = await chart.locator(".tx text").allTextContents();
  check(`${name}: a close-up has two ticks at least, and no two of one name`, names.length > 1 && new Set(names).size === names.length, names.join("; "));
  await page.keyboard.press("Escape");
};

// What the program finds of the messages that the page's command chooses; a shell takes the command apart. Nothing where
// the run is not there.
const found = (command) => {
  const shell = (script) => {
    const env = { ...process.env, PATH: `${dirname(process.env.FOURSTAMP)}:${process.env.PATH}` };
    return execFileSync("sh", ["-c", script], { encoding: "utf8", env, maxBuffer: 1 << 28 });
  };
  if (!process.env.FOURSTAMP || !existsSync(shell(`set -- ${command}; printf %s/run.json "$3"`))) return undefined;
  const { analysis } = JSON.parse(shell(command.replace(" --out chosen.html", " --json")));
  const { summary } = analysis.stages.find(({ stage }) => stage === "end-to-end");
  return { count: summary.count, p50: summary.quantiles.find(({ p }) => p === 0.5).value_ns, max: summary.max_ns };
};

// What the page says of the chosen messages end to end.
const chosen = (place) => place.evaluate((place) => {
  const plain = (text) => text.replace(/[\u00a0\u202f]/g, " ");
  const cells = [...place.querySelector("tr.chosen").cells].map((cell) => plain(cell.textContent));
  const ns = (text) => {
    const [number, unit] = text.replace("≈ ", "").replace("−", "-").split(" ");
    return Number(number) * { ns: 1, "µs": 1e3, ms: 1e6, s: 1e9 }[unit];
  };
  const whole = (text) => Number(text.replaceAll(" ", ""));
  return { count: whole(cells[1]), p50: ns(cells[2]), max: ns(cells.at(-1)), command: place.querySelector(".command code").textContent };
});

const near = (shown, truth, part) => Math.abs(shown - truth) <= Math.abs(truth) * part + 0.5;
let compared = 0;

const choosing = async (page, name) => {
  const place = page.locator(".choose").first();
  if ((await place.count()) === 0) return;
  const all = await place.locator("tbody tr:not(.chosen)").first().innerText();
  const choices = place.locator("select");
  check(`${name}: nothing is chosen at first`, !(await place.locator("tr.chosen").first().isVisible()) && (await choices.count()) > 0);
  const compare = async (what) => {
    await place.locator("tr.chosen").first().waitFor();
    await page.waitForTimeout(150);
    const said = await chosen(place);
    const truth = found(said.command);
    if (!truth) return said;
    compared++;
    // Three figures are shown, and a quantile from bins is correct to 1.6 %.
    const agrees = said.count === truth.count && near(said.p50, truth.p50, 0.022) && near(said.max, truth.max, 0.006);
    check(`${name}: ${what} has the figures of ${said.command}`, agrees, JSON.stringify({ said, truth }));
    return said;
  };
  // Each choice of the first list alone, of which the messages are all there are, unless some are not listed.
  const values = await choices.first().locator("option").evaluateAll((options) => options.map(({ value }) => value).slice(1));
  let sum = 0;
  for (const value of values) {
    await choices.first().selectOption(value);
    await page.waitForTimeout(60);
    sum += (await chosen(place)).count;
  }
  const total = Number(all.split("\t")[2].replace(/\D/g, ""));
  const some = (await place.locator("xpath=..").locator(".see").innerText()).includes("are listed");
  check(`${name}: the choices of a list add up`, some ? sum <= total : sum === total, `${sum} of ${total}`);
  await compare("a choice");
  // And one of every list, by keyboard: the first that is left.
  for (let at = 1; at < (await choices.count()); at++) {
    await choices.nth(at).focus();
    await page.keyboard.press("ArrowDown");
    await page.waitForTimeout(100);
  }
  const { count } = await compare("a choice from every list");
  check(`${name}: no choice is empty`, count > 0);
  if (await place.locator("figure").isVisible()) {
    const curves = await place.locator(".tailplot path").evaluateAll((paths) => paths.filter((path) => path.getBoundingClientRect().width > 0).length);
    check(`${name}: both tails are drawn`, curves >= 1, String(curves));
  }
  await looks(page, `${name}, chosen`);
  await accessible(page, `${name}, chosen`, { include: [".choose"] });
  await page.emulateMedia({ media: "print" });
  check(`${name}: the choice is printed, its lists are not`, (await place.locator("tr.chosen").first().isVisible()) && !(await choices.first().isVisible()));
  await page.emulateMedia({ media: "screen" });
  await place.locator("button").click();
  await page.waitForTimeout(100);
  check(`${name}: the button chooses all again`, !(await place.locator("tr.chosen").first().isVisible()) && (await choices.first().inputValue()) === "");
};

// What axe finds hard to access: on the whole page, or in a part of it; by all its rules, or by these.
const accessible = async (page, name, part = undefined, rules = undefined) => {
  await page.evaluate(axe);
  const options = { resultTypes: ["violations"], ...(rules && { runOnly: { type: "rule", values: rules } }) };
  const found = await page.evaluate(([part, options]) => window.axe.run(part ?? document, options), [part, options]);
  const said = found.violations.map((v) => `${v.id} (${v.nodes.length}): ${v.nodes[0].target} ${v.nodes[0].failureSummary}`);
  check(`${name}: axe finds nothing`, said.length === 0, said.join(" | "));
};

const whole = async (file) => {
  const name = basename(file);
  const { context, page, complaints } = await open(file, { viewport: { width: 1280, height: 900 }, colorScheme: "light" });
  check(`${name}: has one headline`, (await page.locator("h1").count()) === 1);
  check(`${name}: the first screen says what was lost`, (await page.locator("header.hero").first().getByText(/nothing was lost|read this first/i).count()) > 0);
  await openFolds(page);
  check(`${name}: has charts`, (await page.locator(".chart").count()) > 0);
  await looks(page, name);
  await accessible(page, name);
  await moves(page, name);
  await closeUp(page, name);
  await switches(page, name);
  await choosing(page, name);

  const ink = () => page.$eval(".plot .ty text, .plot .tx text", (text) => getComputedStyle(text).fill);
  const lightInk = await ink();
  await page.emulateMedia({ colorScheme: "dark" });
  const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  check(`${name}: the dark theme darkens the page and recolours the charts`, lightInk !== (await ink()) && background === "rgb(16, 21, 27)", background);
  // Of all that axe looks at, colours are what differs.
  await accessible(page, `${name}, dark`, undefined, ["color-contrast"]);

  const foreign = await page.evaluate(() => document.querySelectorAll("main img, main [onerror], main iframe, main object").length);
  check(`${name}: nothing from the data became an element`, foreign === 0, String(foreign));
  check(`${name}: no error, warning, dialog or request`, complaints.length === 0, complaints.join(" | "));

  // The canary: were a chart missing, the checks above would have to notice.
  await page.$eval(".chart .marks", (marks) => marks.parentElement.replaceChildren());
  check(`${name}: a chart that is taken away is missed`, (await faults(page)).length === 1);
  await context.close();
};

const narrow = async (file) => {
  const name = basename(file);
  const { context, page, complaints } = await open(file, { viewport: { width: 360, height: 740 }, colorScheme: "light" });
  await openFolds(page);
  const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  check(`${name}: nothing sticks out at 360 pixels`, over <= 0, `${over} pixels`);
  await looks(page, `${name} at 360 pixels`);
  await accessible(page, `${name} at 360 pixels`);
  check(`${name}: no complaint at 360 pixels`, complaints.length === 0, complaints.join(" | "));
  await context.close();
};

// Runs have about twenty sections, and one a sheet would be too many to print.
const SHEETS = 11;

// Nothing is scrolled and nothing runs: what a preview, a screenshot and a print have.
const withoutScript = async (file) => {
  const name = basename(file);
  const { context, page } = await open(file, { javaScriptEnabled: false });
  const bars = await page.locator(".sharebar, .minibar").count();
  check(`${name}: without scripts the headline and the bars are there`, (await page.locator("h1").isVisible()) && bars > 0);
  check(`${name}: without scripts it says what is missing`, (await page.content()).includes("need JavaScript"));
  const switches = await page.locator(".switch:visible").count();
  check(`${name}: without scripts there is no switch`, switches === 0, String(switches));
  check(`${name}: without scripts there is no choice`, (await page.locator("select:visible").count()) === 0);
  await page.emulateMedia({ media: "print" });
  const wrong = await page.locator(".chart").evaluateAll((charts) => charts
    .filter((chart) => !chart.checkVisibility({ contentVisibilityAuto: true })).map((chart) => chart.id));
  check(`${name}: all charts are printed, those in folds too`, wrong.length === 0, wrong.join("; "));
  await looks(page, `${name} on paper`);
  const runs = Math.max(1, await page.locator("details.run").count());
  const sheets = (await page.pdf()).toString("latin1").match(/\/Type\s*\/Page\b/g).length;
  check(`${name}: a run takes at most ${SHEETS} sheets`, sheets <= SHEETS * runs, `${sheets} for ${runs} runs`);
  await context.close();
};

const withoutUnpacking = async (file) => {
  const name = basename(file);
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(() => delete window.DecompressionStream);
  await page.goto(pathToFileURL(file).href);
  check(`${name}: an old browser is told what it lacks`, await page.locator("#trouble").isVisible());
  await openFolds(page);
  const wrong = await faults(page);
  check(`${name}: an old browser has the charts`, wrong.length === 0, wrong.join("; "));
  await context.close();
};

const sizes = (file) => {
  const bytes = statSync(file).size;
  check(`${basename(file)}: has at most 1 MB`, bytes <= 1e6, String(bytes));
};

// Two pages at a time: each keeps one core busy.
const waiting = [...pages];
const lane = async () => {
  for (let file = waiting.shift(); file; file = waiting.shift()) {
    sizes(file);
    await whole(file);
    await narrow(file);
    await withoutScript(file);
    await withoutUnpacking(file);
  }
};
await Promise.all([lane(), lane()]);
if (process.env.FOURSTAMP) check("choices were compared with the program", compared > 0);
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
