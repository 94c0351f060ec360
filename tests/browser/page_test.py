"""The report's page in a real browser: what is there, what it fits on, who can read it.

Usage: page_test.py PROGRAM RUN (plume-bench, the directory of a run)

PLUME_PICTURES=FOLDER keeps pictures of the page there.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

RUN = pathlib.Path(sys.argv.pop()) if len(sys.argv) > 2 else sys.exit(__doc__)
PROGRAM = sys.argv.pop()
WIDTHS = (400, 1400)
LEAST_CONTRAST = 4.5  # WCAG 2.1, AA, text of any size

# The ratio of the luminances of each text and of what lies behind it; the page's colours are opaque or wholly transparent.
CONTRASTS = """
const channel = c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
const numbers = colour => colour.match(/[\\d.]+/g).map(Number);
const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
const clear = colour => numbers(colour).length > 3 && numbers(colour)[3] === 0;
const behind = e => { while (e && clear(getComputedStyle(e).backgroundColor)) e = e.parentElement;
                      return e ? numbers(getComputedStyle(e).backgroundColor) : [255, 255, 255]; };
const found = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const e = walker.currentNode.parentElement, colour = getComputedStyle(e).color;
  if (!walker.currentNode.data.trim() || clear(colour) || !e.getClientRects().length) continue;
  const [a, b] = [luminance(numbers(colour)), luminance(behind(e))];
  found.push([(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), walker.currentNode.data.trim().slice(0, 60)]);
}
return found;
"""


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.report = pathlib.Path(folder.name) / "report"
        subprocess.run([PROGRAM, "report", RUN, "--out", cls.report], check=True, stdout=subprocess.DEVNULL)
        options = webdriver.ChromeOptions()
        for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
            options.add_argument(flag)
        options.binary_location = shutil.which("chromium")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        cls.browser = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        cls.addClassCleanup(cls.browser.quit)

    def show(self, width=1400, scheme="light", media="screen"):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                     {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "media": media, "features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.browser.get((self.report / "index.html").as_uri())

    def js(self, text, *arguments):
        return self.browser.execute_script(text, *arguments)

    def tables(self):
        return [json.loads(path.read_text()) for path in sorted((self.report / "tables").glob("*.json"))]

    def test_is_well_formed(self):
        xml.etree.ElementTree.fromstring((self.report / "index.html").read_text().removeprefix("<!doctype html>\n"))

    def test_says_nothing_in_the_console_and_fetches_nothing(self):
        self.browser.get_log("performance")
        self.show()
        self.assertEqual(self.browser.get_log("browser"), [])
        messages = [json.loads(entry["message"])["message"] for entry in self.browser.get_log("performance")]
        asked = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
        self.assertEqual([url for url in asked if not url.startswith(("data:", self.browser.current_url))], [])
        self.assertIn(self.browser.current_url, asked)

    def test_has_every_table_with_its_rows_and_every_figure(self):
        self.show()
        titles = self.js("return [...document.querySelectorAll('.table > h3')].map(e => e.textContent)")
        self.assertEqual(sorted(titles), sorted(table["title"] for table in self.tables()))
        words = self.js("return document.body.textContent")
        for table in self.tables():
            for row in table["rows"]:
                self.assertIn(row["name"], words)
        figures = sorted(path.stem for path in (self.report / "figures").glob("*.svg"))
        links = self.js("return [...document.querySelectorAll('figure a')].map(e => e.getAttribute('href'))")
        self.assertEqual(sorted(links), [f"figures/{name}.csv" for name in figures])
        drawn = self.js("return [...document.querySelectorAll('figure img')].map(e => e.naturalWidth)")
        self.assertEqual(len(drawn), len(figures))
        self.assertTrue(all(width > 0 for width in drawn))

    def test_has_the_rows_of_the_dump_in_a_section_of_their_own(self):
        self.show()
        links = self.js("return [...document.querySelectorAll('section figure a')].filter(e => !e.closest('.table')).map(e => e.getAttribute('href'))")
        self.assertEqual([link.split("-", 2)[2] for link in links],
                         ["features-2d.csv", "features-3d.csv", "embedding-2d.csv", "embedding-3d.csv"])
        self.assertIn("Where the rows lie", self.js("return [...document.querySelectorAll('nav a')].map(e => e.textContent)"))

    def test_links_lead_to_files_and_places_that_are_there(self):
        self.show()
        for link in self.js("return [...document.querySelectorAll('a')].map(e => e.getAttribute('href'))"):
            if link.startswith("#"):
                self.assertTrue(self.js("return document.getElementById(arguments[0]) !== null", link[1:]), link)
            else:
                self.assertTrue((self.report / link).is_file(), link)

    def test_fits_a_phone_and_a_desk(self):
        for width in WIDTHS:
            with self.subTest(width=width):
                self.show(width)
                self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), width)

    def test_can_be_read_in_light_dark_and_print(self):
        for scheme, media in (("light", "screen"), ("dark", "screen"), ("dark", "print")):
            with self.subTest(scheme=scheme, media=media):
                self.show(scheme=scheme, media=media)
                contrasts = self.js(CONTRASTS)
                self.assertGreater(len(contrasts), 50)
                self.assertEqual([c for c in contrasts if c[0] < LEAST_CONTRAST], [])
        paper = self.js("return getComputedStyle(document.body).backgroundColor")
        self.assertEqual(paper, "rgb(255, 255, 255)", "white in print, whatever the screen's scheme is")

    def test_is_dark_where_the_reader_wants_it_dark(self):
        self.show(scheme="dark")
        self.assertNotEqual(self.js("return getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")

    def test_headings_go_down_one_level_at_a_time(self):
        self.show()
        levels = self.js("return [...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].map(e => Number(e.tagName[1]))")
        self.assertEqual(levels[0], 1)
        self.assertEqual(levels.count(1), 1)
        for above, below in zip(levels, levels[1:]):
            self.assertLessEqual(below, above + 1)

    def test_ids_are_there_once_and_images_say_what_they_show(self):
        self.show()
        ids = self.js("return [...document.querySelectorAll('[id]')].map(e => e.id)")
        self.assertEqual(len(ids), len(set(ids)))
        self.assertTrue(all(self.js("return [...document.images].map(e => e.alt)")))

    def test_the_switch_shows_one_mode_with_the_names_of_the_rows_and_leaves_other_tables_alone(self):
        self.show()
        visible = """
            return [...document.querySelectorAll('.table')].map(t => [...t.querySelectorAll('table')[0].rows]
              .filter(r => r.dataset.mode && r.getClientRects().length).map(r => r.dataset.mode))"""
        before = self.js(visible)
        self.js("document.querySelector('.table input[value=last]').click()")
        after = self.js(visible)
        self.assertIn("best", before[0])
        self.assertEqual(set(after[0]) - {"any"}, {"last"})
        self.assertEqual(before[1:], after[1:])
        colours = self.js("""
            return [...document.querySelectorAll('.table table')[0].rows].filter(r => r.dataset.mode && r.getClientRects().length)
              .map(r => getComputedStyle(r.querySelector('th')).color)""")
        self.assertEqual(len(set(colours)), 1, "no name of a row is hidden")
        self.assertNotIn("rgba(0, 0, 0, 0)", colours)

    def test_a_wide_table_scrolls_by_the_keyboard(self):
        self.show(400)
        self.assertTrue(self.js("return [...document.querySelectorAll('.wide')].every(e => e.tabIndex === 0 && e.getAttribute('aria-label'))"))

    def test_pictures(self):
        keep = os.environ.get("PLUME_PICTURES")
        for width, scheme in ((400, "light"), (1400, "light"), (1400, "dark")):
            self.show(width, scheme)
            height = self.js("return document.documentElement.scrollHeight")
            self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                         {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
            picture = self.browser.get_screenshot_as_png()
            self.assertGreater(len(picture), 10_000)
            if keep:
                (pathlib.Path(keep) / f"page-{width}-{scheme}.png").write_bytes(picture)


if __name__ == "__main__":
    unittest.main()
