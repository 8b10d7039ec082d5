"""A fleet store with the demo's fleet, and a real Chromium, for the tests of the web app."""
import glob
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, TimeoutException, WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT + "/scripts")
import demo  # noqa: E402

# Time limit for something to appear on a page, s. It is long because the machine may be busy.
PATIENCE = 30
# The present state of each car of the demo.
ENDS = {"VAN-001": "moving", "VAN-007": "moving", "CAR-003": "idle", "TRUCK-012": "parked", "VAN-014": "silent"}


class PostgreSQL:
    """A PostgreSQL server without passwords, with an empty database. It runs without fsync."""

    def __init__(self):
        programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        if not programs:
            raise SystemExit("PostgreSQL's server is not installed; make test-web installs it")
        # The path is short, because that of a socket has at most 107 bytes.
        self.folder, self.programs = tempfile.mkdtemp(prefix="pg-"), programs[-1]
        # initdb refuses to run as root.
        self.user = {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.getuid() == 0 else {}
        if self.user:
            shutil.chown(self.folder, "nobody")
        self.run("initdb", "--no-sync", "-A", "trust", "-U", "fleet", "-E", "UTF8", "--locale=C", "-D", "data")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.run("pg_ctl", "start", "-w", "-D", "data", "-l", "log", "-o",
                 f"-c fsync=off -c listen_addresses=127.0.0.1 -c port={port} -c unix_socket_directories={self.folder}")
        self.run("createdb", "-h", "127.0.0.1", "-p", str(port), "-U", "fleet", "fleet")
        self.address = f"postgresql://fleet@127.0.0.1:{port}/fleet"

    def run(self, program, *arguments):
        subprocess.run([f"{self.programs}/{program}", *arguments], cwd=self.folder, stdout=subprocess.DEVNULL, check=True, **self.user)

    def close(self):
        self.run("pg_ctl", "stop", "-w", "-m", "immediate", "-D", "data")
        shutil.rmtree(self.folder)


class Stage:
    """The server with its fleet, and the accounts that may sign in. WEB_DATABASE=postgresql selects the database."""

    def __init__(self, ends=ENDS, configuration=None):
        """`configuration`: keys of the server's configuration file; `{port}` in it stands for the port."""
        self.database = PostgreSQL() if os.environ.get("WEB_DATABASE") == "postgresql" else None
        self.folder = tempfile.mkdtemp()
        database = self.database.address if self.database else f"sqlite:{self.folder}/fleet.db"
        port = 0
        program = os.environ.get("FLEETSTORE_PROGRAM", ROOT + "/.build/debug/fleetstore")
        if self.database:
            # Beside a SQLite file, the server makes the file with the keys of secrets, and the folder of files, itself.
            with open(self.folder + "/secret.keys", "wb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
                subprocess.run([program, "secrets", "new-key"], stdout=file, check=True)
            configuration = {"files": {"folder": self.folder + "/files"}, **(configuration or {}), "accounts": {"secretKeysFile": self.folder + "/secret.keys", **(configuration or {}).get("accounts", {})}}
        if configuration:
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                port = free.getsockname()[1]
            with open(self.folder + "/fleetstore.json", "w", encoding="utf-8") as file:
                file.write(json.dumps(configuration).replace("{port}", str(port)))
        self.command = [program, "serve", *(["--config", self.folder + "/fleetstore.json"] if configuration else []), "--database", database]
        with open(self.folder + "/administrator", "w", encoding="utf-8") as token:
            self.start(port, token)
        try:
            self.accounts = demo.prepare(self.folder, self.address, ends)
        except BaseException:
            self.close()
            raise
        with open(self.folder + "/administrator", encoding="utf-8") as file:
            self.server = demo.Server(self.address, file.read().strip())
        with open(self.folder + "/demo", encoding="utf-8") as file:
            self.demo = file.read().strip()

    def start(self, port, output):
        """Starts the server, and waits until it listens. `output`: the file to which it writes the administrator's token when it makes one."""
        self.process = subprocess.Popen([*self.command, "--listen", f"127.0.0.1:{port}"], stdout=output, stderr=subprocess.PIPE, text=True)
        self.address, said = None, []
        for line in self.process.stderr:
            said.append(line)
            if "no web app" in line:
                break
            if "listening on" in line:
                self.address = line.split()[-1]
                break
        if not self.address:
            self.close()
            raise SystemExit("fleetstore did not start with the web app (make web):\n" + "".join(said))

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=30)
        self.process.stderr.close()

    def restart(self):
        """Starts the server again at the same address, after a stop."""
        self.start(self.address.rsplit(":", 1)[1], subprocess.DEVNULL)

    def close(self):
        self.stop()
        shutil.rmtree(self.folder)
        if self.database:
            self.database.close()


class Browser:
    """One window. Errors that a page reports are collected; `troubles` returns them."""

    def __init__(self, stage, width=1440, height=900, dark=False, language="en-GB", throttled=False):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader", "--disable-dev-shm-usage", "--hide-scrollbars",
                         "--no-first-run", "--disable-background-networking", "--force-color-profile=srgb", "--enable-precise-memory-info", f"--lang={language}", f"--window-size={width},{height}"]:
            options.add_argument(argument)
        options.add_experimental_option("prefs", {"intl.accept_languages": language, "credentials_enable_service": False})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", **({"performance": "ALL"} if throttled else {})})
        self.driver = webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))
        self.driver.set_script_timeout(PATIENCE)
        self.stage = stage
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
            window.reports = [];
            addEventListener("securitypolicyviolation", event => reports.push("policy: " + event.violatedDirective + " " + event.blockedURI));
            addEventListener("error", event => reports.push("error: " + event.message));
            addEventListener("unhandledrejection", event => reports.push("rejection: " + (event.reason && event.reason.stack || event.reason)));"""})
        self.shape(width, height, dark)

    def shape(self, width, height, dark):
        """Sets the size of the page, and whether its colours are dark."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}, {"name": "prefers-reduced-motion", "value": "reduce"}]})

    def open(self, path):
        self.driver.get(path if ":" in path else self.stage.address + path)

    def go(self, path):
        """Shows a page of the app as a link would."""
        self.driver.execute_script("history.pushState(null, '', arguments[0]); dispatchEvent(new PopStateEvent('popstate'))", path)

    def until(self, condition, what):
        """Waits until a condition of the page is true."""
        try:
            return WebDriverWait(self.driver, PATIENCE, 0.05, (StaleElementReferenceException, WebDriverException)).until(lambda _: condition())
        except TimeoutException:
            raise AssertionError(f"{what}: not seen at {self.driver.current_url}; the page says: {self.text()[:600]!r}; {self.troubles()}") from None

    def text(self):
        return self.driver.execute_script("return document.body.innerText").replace("\xa0", " ")

    def sees(self, text):
        """Waits for a text on the page."""
        return self.until(lambda: text in self.text(), f"text {text!r}")

    def gone(self, text):
        return self.until(lambda: text not in self.text(), f"no text {text!r}")

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def element(self, selector, text=None):
        """Waits for a visible element, with a text if one is given."""
        def found():
            for element in self.all(selector):
                if element.is_displayed() and (text is None or text in element.text or text == element.get_attribute("aria-label")):
                    return element
            return None
        return self.until(found, f"{selector} {text or ''}")

    def click(self, selector, text=None):
        def act():
            self.element(selector, text).click()
            return True
        self.until(act, f"click on {selector} {text or ''}")

    def fill(self, selector, text):
        element = self.element(selector)
        element.clear()
        element.send_keys(text)

    def script(self, source, *values):
        return self.driver.execute_script(source, *values)

    def calm(self):
        """Waits until the page has loaded all that it shows."""
        self.until(lambda: self.script("""
            return document.querySelector('h1') && !document.querySelector('.loading, .opening') &&
              document.fonts.status === 'loaded' && [...document.querySelectorAll('.canvas')].every(map => map.dataset.ready)"""), "a page that is complete")

    def settled(self):
        """Waits also until the maps are drawn."""
        self.calm()
        self.driver.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done))")
        self.until(lambda: self.script("return [...document.querySelectorAll('.canvas')].every(map => map.dataset.drawn)"), "maps that are drawn")

    def sign_in(self, role):
        """Signs in with one click, as the demo allows it."""
        self.open("about:blank")
        self.open(self.stage.demo)
        self.click(f"[data-role={role}]")
        self.element(".avatar")

    def troubles(self, allowed=()):
        """Returns the errors of scripts, of the console and of the policy that pages have reported since the last call."""
        found = []
        try:
            found += self.script("const found = window.reports ?? []; window.reports = []; return found") or []
        except WebDriverException:
            pass
        for entry in self.driver.get_log("browser"):
            if entry["level"] in ("SEVERE", "WARNING") and not any(part in entry["message"] for part in allowed):
                found.append(f"console: {entry['message']}")
        return found

    def picture(self, path):
        self.driver.save_screenshot(path)

    def snapshot(self, name):
        """Takes a picture during a test, if the environment variable PICTURES names a folder."""
        if os.environ.get("PICTURES"):
            self.picture(f"{os.environ['PICTURES']}/{name}.png")

    def close(self):
        self.driver.quit()
