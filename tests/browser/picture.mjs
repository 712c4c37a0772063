// Takes a picture of the first screen of a page, for the README.
//
//   node picture.mjs PAGE.html PICTURE.jpg [WIDTH HEIGHT]
//
// CHROMIUM names the browser (default /usr/bin/chromium).
import { chromium } from "playwright-core";
import { pathToFileURL } from "node:url";

const [page, picture, width = "1200", height = "590"] = process.argv.slice(2);
if (picture === undefined) {
  console.error("usage: node picture.mjs PAGE.html PICTURE.jpg [WIDTH HEIGHT]");
  process.exit(2);
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
const tab = await browser.newPage({ viewport: { width: Number(width), height: Number(height) } });
await tab.goto(pathToFileURL(page).href);
await tab.screenshot({ path: picture, type: "jpeg", quality: 72 });
await browser.close();
