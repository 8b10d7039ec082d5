#!/usr/bin/env python3
"""Takes pictures of all pages of the web app: three widths, light and dark.

    scripts/web-test/screenshots.py FOLDER [NAME…]      all pages, or those whose names contain one of these

The picture of the README is made too: docs/images/live.png.
"""
import os
import sys

from run import pages
from stage import ROOT, Browser, Stage

WIDTHS = {390: 844, 820: 1180, 1440: 900}


def main(folder, *wanted):
    os.makedirs(folder, exist_ok=True)
    stage, browser = Stage(), None
    try:
        browser = Browser(stage)
        for role, listed in pages(stage).items():
            chosen = [(name, path) for name, path in listed if not wanted or any(word in name for word in wanted)]
            if chosen and role:
                browser.sign_in(role)
            for name, path in chosen:
                if role:
                    browser.go(path)
                else:
                    browser.open("about:blank")
                    browser.open(path)
                for width, height in WIDTHS.items():
                    for dark in (False, True):
                        browser.shape(width, height, dark)
                        browser.settled()
                        browser.picture(f"{folder}/{name}-{width}-{'dark' if dark else 'light'}.png")
        if not wanted or "readme" in wanted:
            browser.sign_in("admin")
            browser.shape(1200, 700, False)
            browser.go("/live?vehicle=VAN-001")
            browser.element(".peek dl div")
            browser.settled()
            os.makedirs(ROOT + "/docs/images", exist_ok=True)
            browser.picture(ROOT + "/docs/images/live.png")
    finally:
        if browser:
            browser.close()
        stage.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
