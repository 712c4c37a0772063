// Opens report pages in a real Chromium and checks what a reader would see: no error, no network, every chart drawn,
// every switch working, folds opening, both themes, narrow screens, no text of a run's own run as code.
//
//   node pages.mjs PAGE.html [PAGE.html ...]
//
// CHROMIUM names the browser (default /usr/bin/chromium). Ends with `N passed, N failed`; exit code 1 if any failed.
import { chromium } from "playwright-core";
import { pathToFileURL } from "node:url";
import { basename } from "node:path";

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

// Folds first, since what is closed is never drawn; then every chart is scrolled into view, as a reader would.
const drawAll = async (page) => {
  const folds = page.locator("details.run");
  for (let i = 0; i < (await folds.count()); i++) {
    const fold = folds.nth(i);
    if (!(await fold.evaluate((f) => f.open))) await fold.locator("> summary").click();
  }
  await page.evaluate(async () => {
    for (const chart of document.querySelectorAll(".chart")) {
      chart.scrollIntoView({ block: "center" });
      // Fifteen seconds are for machines with other work; a chart takes some hundredths.
      for (let waited = 0; !chart.classList.contains("drawn") && waited < 15000; waited += 20) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  });
};

// What of a chart is wrong, or nothing: it must have a size, traces with data, and marks on the screen.
const faults = (page) => page.$$eval(".chart", (charts) => charts.flatMap((chart) => {
  const svg = chart.querySelector("svg.main-svg");
  const box = svg?.getBoundingClientRect();
  const traces = (chart.data ?? []).filter((trace) => trace.visible !== false);
  const marks = [...chart.querySelectorAll(".cartesianlayer .trace path, .cartesianlayer .heatmaplayer image")].filter((mark) => {
    const at = mark.getBoundingClientRect();
    return at.width > 0 || at.height > 0;
  });
  const wrong = !chart.classList.contains("js-plotly-plot") ? "not drawn"
    : !box || box.width < 60 || box.height < 60 ? "no size"
    : !traces.some((trace) => trace.x?.length > 0) ? "no data"
    : marks.length === 0 ? "no marks" : "";
  return wrong ? [`${chart.id} ${wrong}`] : [];
}));

const shape = (page, section) => page.$$eval(`[id="${section}"] .chart`, (charts) => JSON.stringify(charts.map((chart) => [
  chart.layout.xaxis.type, chart.layout.yaxis.type, chart.layout.yaxis.tickformat, chart.data.map((trace) => trace.visible),
])));

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
      if (seen.includes(now)) broken.push(`${section} button ${b} changes nothing`);
      if ((await buttons.nth(b).getAttribute("aria-pressed")) !== "true") broken.push(`${section} button ${b} not pressed`);
      seen.push(now);
    }
  }
  check(`${name}: ${await groups.count()} switches change their charts`, broken.length === 0, broken.join("; "));
  const after = await faults(page);
  check(`${name}: charts are still drawn after switching`, after.length === 0, after.join("; "));
};

const logAxes = async (page, name) => {
  const group = page.locator('.switch[data-section$="-distribution"]').first();
  if ((await group.count()) === 0) return;
  const section = await group.getAttribute("data-section");
  const types = () => page.$eval(`[id="${section}"] .chart`, (chart) => [chart.layout.xaxis.type, chart.layout.yaxis.type].join(" "));
  const found = [];
  for (const mode of ["linear", "semi-log", "log-log"]) {
    await group.getByRole("button", { name: mode, exact: true }).click();
    await page.waitForTimeout(60);
    found.push(await types());
  }
  const wanted = "linear linear, linear log, log log";
  check(`${name}: linear, semi-log and log-log axes`, found.join(", ") === wanted, found.join(", "));
};

const whole = async (file) => {
  const name = basename(file);
  const { context, page, complaints } = await open(file, { viewport: { width: 1280, height: 900 }, colorScheme: "light" });
  check(`${name}: has one headline`, (await page.locator("h1").count()) === 1);
  check(`${name}: the first screen says what was lost`, (await page.locator("header.hero").first().getByText(/nothing was lost|read this first/i).count()) > 0);
  await drawAll(page);
  const charts = await page.locator(".chart").count();
  const wrong = await faults(page);
  check(`${name}: all ${charts} charts are drawn`, charts > 0 && wrong.length === 0, wrong.join("; "));
  await switches(page, name);
  await logAxes(page, name);

  const ink = () => page.$eval(".chart.drawn .xtick text, .chart.drawn .ytick text", (text) => getComputedStyle(text).fill);
  const lightInk = await ink();
  await page.emulateMedia({ colorScheme: "dark" });
  await page.waitForTimeout(400);
  const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  check(`${name}: the dark theme darkens the page and recolours the charts`, lightInk !== (await ink()) && background === "rgb(16, 21, 27)", background);
  const darkFaults = await faults(page);
  check(`${name}: charts are drawn in the dark theme`, darkFaults.length === 0, darkFaults.join("; "));

  const foreign = await page.evaluate(() => document.querySelectorAll("main img, main [onerror], main iframe, main object").length);
  check(`${name}: nothing from the data became an element`, foreign === 0, String(foreign));
  check(`${name}: no error, warning, dialog or request`, complaints.length === 0, complaints.join(" | "));

  // The canary: were a chart missing, the checks above would have to notice.
  await page.$eval(".chart.drawn", (chart) => window.Plotly.purge(chart));
  check(`${name}: a chart that is taken away is missed`, (await faults(page)).length === 1);
  await context.close();
};

const narrow = async (file) => {
  const name = basename(file);
  const { context, page, complaints } = await open(file, { viewport: { width: 360, height: 740 }, colorScheme: "light" });
  await drawAll(page);
  const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  check(`${name}: nothing sticks out at 360 pixels`, over <= 0, `${over} pixels`);
  const wrong = await faults(page);
  check(`${name}: charts are drawn at 360 pixels`, wrong.length === 0, wrong.join("; "));
  check(`${name}: no complaint at 360 pixels`, complaints.length === 0, complaints.join(" | "));
  await context.close();
};

const withoutScript = async (file) => {
  const name = basename(file);
  const { context, page } = await open(file, { javaScriptEnabled: false });
  const bars = await page.locator(".sharebar, .minibar").count();
  check(`${name}: without scripts the headline and the bars are there`, (await page.locator("h1").isVisible()) && bars > 0);
  check(`${name}: without scripts it says what is missing`, (await page.content()).includes("need JavaScript"));
  await context.close();
};

const withoutUnpacking = async (file) => {
  const name = basename(file);
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(() => delete window.DecompressionStream);
  await page.goto(pathToFileURL(file).href);
  check(`${name}: an old browser is told why there are no charts`, await page.locator("#trouble").isVisible());
  await context.close();
};

for (const file of pages) {
  await whole(file);
  await narrow(file);
  await withoutScript(file);
  await withoutUnpacking(file);
}
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
