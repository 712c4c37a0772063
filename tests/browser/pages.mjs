// Opens report pages in a real Chromium and checks what a reader would see: no error, no network, every chart there
// (without a script, on paper, on a telephone), no text on another, tips, zoom and switches that work, by keyboard too,
// both themes, nothing that axe finds hard to access, no text of a run's own run as code.
//
//   node pages.mjs PAGE.html [PAGE.html ...]
//
// CHROMIUM names the browser (default /usr/bin/chromium). Ends with `N passed, N failed`; exit code 1 if any failed.
import { chromium } from "playwright-core";
import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { basename } from "node:path";

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
  const wrong = !box || box.width < 60 || box.height < 60 ? "no size" : seen.length === 0 ? "no marks" : "";
  return wrong ? [`${chart.id} ${wrong}`] : [];
}));

// Texts of a chart that lie on each other or stick out of it.
const collisions = (page) => page.$$eval(".chart", (charts) => charts.flatMap((chart) => {
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

// What axe finds hard to access.
const accessible = async (page, name) => {
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run({ resultTypes: ["violations"] }));
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
  await switches(page, name);

  const ink = () => page.$eval(".plot .ty text, .plot .tx text", (text) => getComputedStyle(text).fill);
  const lightInk = await ink();
  await page.emulateMedia({ colorScheme: "dark" });
  const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  check(`${name}: the dark theme darkens the page and recolours the charts`, lightInk !== (await ink()) && background === "rgb(16, 21, 27)", background);
  await accessible(page, `${name}, dark`);

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

// Nothing is scrolled and nothing runs: what a preview, a screenshot and a print have.
const withoutScript = async (file) => {
  const name = basename(file);
  const { context, page } = await open(file, { javaScriptEnabled: false });
  const bars = await page.locator(".sharebar, .minibar").count();
  check(`${name}: without scripts the headline and the bars are there`, (await page.locator("h1").isVisible()) && bars > 0);
  check(`${name}: without scripts it says what is missing`, (await page.content()).includes("need JavaScript"));
  const switches = await page.locator(".switch:visible").count();
  check(`${name}: without scripts there is no switch`, switches === 0, String(switches));
  await page.emulateMedia({ media: "print" });
  const wrong = await page.locator(".chart").evaluateAll((charts) => charts
    .filter((chart) => !chart.checkVisibility({ contentVisibilityAuto: true })).map((chart) => chart.id));
  check(`${name}: all charts are printed, those in folds too`, wrong.length === 0, wrong.join("; "));
  await looks(page, `${name} on paper`);
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

for (const file of pages) {
  sizes(file);
  await whole(file);
  await narrow(file);
  await withoutScript(file);
  await withoutUnpacking(file);
}
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
