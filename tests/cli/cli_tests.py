#!/usr/bin/env python3
"""The program as a user meets it: exit codes, messages, files. Only Python's standard library.

    SPINDRIFT=build/bin/spindrift tests/cli/cli_tests.py [CLASS.test ...]
    tests/cli/cli_tests.py --list

CMake registers each test by itself; exit code 77 tells CTest that a test was skipped, with the reason in its output.
"""

import array
import cmath
import csv
import html.parser
import json
import os
import random
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True  # the source tree stays as it is
sys.path.append(str(SOURCE / "tests/stand_in"))
from install import install  # noqa: E402

PROGRAM = Path(os.environ.get("SPINDRIFT", SOURCE / "build/bin/spindrift")).resolve()
SHADER_CACHE = PROGRAM.parent.parent / "shader_cache"
# The smallest frame that has every pass in it; software renderers draw it in milliseconds.
SMALL = ["--headless", "--frames", "2", "--warmup", "1", "--size", "16", "--vertices", "1000", "--width", "64",
         "--height", "48"]
ALGORITHMS = ["cooley-tukey-stages", "cooley-tukey", "stockham-radix2", "stockham-radix4", "tuned"]


def transform_line(values, sign):
    """A radix-2 transform in double, for checking."""
    count = len(values)
    if count == 1:
        return values
    even = transform_line(values[::2], sign)
    odd = transform_line(values[1::2], sign)
    turned = [cmath.exp(sign * 2j * cmath.pi * k / count) * odd[k] for k in range(count // 2)]
    return [e + o for e, o in zip(even, turned)] + [e - o for e, o in zip(even, turned)]


def transform_square(values, size, forward):
    sign = -1 if forward else 1
    rows = [transform_line(values[row * size:(row + 1) * size], sign) for row in range(size)]
    columns = [transform_line([row[column] for row in rows], sign) for column in range(size)]
    return [columns[column][row] for row in range(size) for column in range(size)]


def decode_png(data):
    """(width, height, channels, rows) of an 8-bit PNG that is not interlaced."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG signature"
    place, compressed, header = 8, b"", None
    while place < len(data):
        length, kind = struct.unpack(">I4s", data[place:place + 8])
        body = data[place + 8:place + 8 + length]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[place + 8 + length:place + 12 + length])[0]
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            compressed += body
        place += 12 + length
    width, height, depth, colour = header[:4]
    assert depth == 8
    channels = {0: 1, 2: 3, 4: 2, 6: 4}[colour]
    raw, stride, rows = zlib.decompress(compressed), width * channels, []
    previous = bytearray(stride)
    for y in range(height):
        method = raw[y * (stride + 1)]
        row = bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for x in range(stride):
            left = row[x - channels] if x >= channels else 0
            up, corner = previous[x], previous[x - channels] if x >= channels else 0
            if method == 1:
                row[x] = (row[x] + left) & 255
            elif method == 2:
                row[x] = (row[x] + up) & 255
            elif method == 3:
                row[x] = (row[x] + (left + up) // 2) & 255
            elif method == 4:
                guess = left + up - corner
                near = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))
                row[x] = (row[x] + near[2]) & 255
        rows.append(bytes(row))
        previous = row
    return width, height, channels, rows


def encode_png(width, height, depth, colour_type, rows):
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    raw = b"".join(b"\0" + bytes(row) for row in rows)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour_type, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="spindrift cli "))
        self.addCleanup(shutil.rmtree, self.folder, True)

    def run_program(self, *arguments, timeout=300, program=PROGRAM, **environment):
        env = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
        env["HOME"] = str(self.folder / "home")
        env.pop("XDG_CONFIG_HOME", None)
        env.pop("XDG_CACHE_HOME", None)
        # Compiling shaders for a software renderer takes longer than all the rest; the driver keeps them in here.
        env.setdefault("MESA_SHADER_CACHE_DIR", str(SHADER_CACHE))
        env.update(environment)
        return subprocess.run([str(program), *map(str, arguments)], cwd=self.folder, env=env, timeout=timeout,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              encoding="utf-8", errors="surrogateescape")

    def refuse(self, code, *arguments, says=(), **environment):
        """Runs, expects this exit code and one message with these parts, nothing on stdout and no file left."""
        result = self.run_program(*arguments, **environment)
        self.assertEqual(result.returncode, code, result.stderr)
        for part in says:
            self.assertIn(part, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertTrue(result.stderr.startswith("spindrift: ") or "\nspindrift: " in result.stderr, result.stderr)
        return result

    def accept(self, *arguments, **environment):
        result = self.run_program(*arguments, **environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def files(self):
        return sorted(str(p.relative_to(self.folder)) for p in self.folder.rglob("*") if p.is_file())


class GlCase(Case):
    """Needs an OpenGL 4.5 that works without a display."""

    usable = None

    def setUp(self):
        super().setUp()
        if GlCase.usable is None:
            GlCase.usable = self.run_program("doctor").returncode == 0
        if not GlCase.usable:
            self.skipTest("no OpenGL 4.5 without a display on this machine")

    def render(self, *arguments, **environment):
        return self.accept(*SMALL, *arguments, **environment)

    def broken_shaders(self):
        """A shader folder whose vec4 product is wrong in the second lane."""
        folder = self.folder / "broken"
        shutil.copytree(SOURCE / "shaders", folder)
        file = folder / "common/complex.glsl"
        text = file.read_text(encoding="utf-8")
        right = "vec4(-v.y, v.x, -v.w, v.z)"
        self.assertIn(right, text)
        file.write_text(text.replace(right, "vec4(-v.y, v.x, v.w, v.z)"), encoding="utf-8")
        return folder


class Printing(Case):
    def test_help(self):
        for arguments in (["--help"], ["-h"], ["demo", "--help"], ["doctor", "--help"]):
            result = self.accept(*arguments)
            self.assertIn("--log-level", result.stdout)
            self.assertEqual(result.stderr, "")
        text = self.accept("--help").stdout
        for part in ("Commands:", "doctor", "--algorithm", "--wind-speed", "16 to 2048", "Exit codes", "the last one counts"):
            self.assertIn(part, text)
        self.assertIn("[trace, debug, info, warning, error, off; default info]", " ".join(text.split()))
        self.assertNotRegex(text, r"\bdeg\b", "one name for each unit")
        for line in text.split("Commands:\n")[1].split("\nspindrift COMMAND")[0].splitlines():
            self.assertRegex(line, r"^  [a-z]+ +[a-z]", "all commands are described alike")
        self.assertTrue(self.accept("compare", "--help").stdout.startswith("Compares two reports"))

    def test_version(self):
        self.assertRegex(self.accept("--version").stdout, r"^spindrift \d+\.\d+\.\d+ \(.+\)\n$")

    def test_keys(self):
        text = self.accept("--keys").stdout
        for key in ("Tab", "Space", "Home", "H or F1", "F11", "F12", "Esc", "W A S D"):
            self.assertIn(key, text)

    def test_keys_in_readme(self):
        self.assertIn(self.accept("--keys").stdout, (SOURCE / "README.md").read_text(encoding="utf-8"))

    def test_lists(self):
        names = [line.split()[0] for line in self.accept("--list-algorithms").stdout.splitlines()]
        self.assertEqual(names, ALGORITHMS + ["cufft"])
        seas = [line.split()[0] for line in self.accept("--list-seas").stdout.splitlines()]
        self.assertEqual(seas, sorted(p.stem for p in (SOURCE / "assets/seas").glob("*.toml")))
        self.assertTrue(seas)

    def test_full_disk(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "w") as full:
            result = subprocess.run([str(PROGRAM), "--help"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(result.returncode, 1)
        self.assertIn("standard output", result.stderr)


class Usage(Case):
    def test_unknown_flag(self):
        self.refuse(2, "--wind-sped", "3", says=["--wind-sped: unknown flag", "did you mean --wind-speed?"])
        self.refuse(2, "doctor", "--jsn", "x", says=["--jsn: unknown flag", "did you mean --json?"])

    def test_unknown_command(self):
        self.refuse(2, "docter", says=["docter: unknown command", "demo, ", "doctor", "did you mean doctor?"])

    def test_unknown_algorithm(self):
        self.refuse(2, "--algorithm", "stockham", says=["--algorithm stockham: must be one of", *ALGORITHMS])

    def test_size(self):
        for size in ("500", "0", "-1", "8", "4096", "256.5", "256x", "99999999999999999999"):
            self.refuse(2, "--headless", "--size", size, says=["--size", size, "a power of two from 16 to 2048"])

    def test_vertices(self):
        for count in ("0", "-5", "1e6", "100000001"):
            self.refuse(2, "--headless", "--vertices", count, says=["--vertices " + count, "from 1000 to 100000000"])

    def test_cascades(self):
        self.refuse(2, "--cascades", "2", says=["--cascades 2: must be 1"])

    def test_numbers(self):
        for text in ("nan", "inf", "fast", "1,5", "61", "-0.1", "1.5.2"):
            self.refuse(2, "--wind-speed", text, says=["--wind-speed " + text, "from 0 to 60 m/s"])

    def test_missing_value(self):
        self.refuse(2, "--headless", "--size", says=["--size: needs a value"])

    def test_sea(self):
        self.refuse(2, "--sea", "strom", says=["--sea strom", "storm", "did you mean storm?"])

    def test_file_endings(self):
        self.refuse(2, "--report", "a.txt", says=["--report a.txt", ".json or .csv or .html"])
        self.refuse(2, "--screenshot", "a.jpg", says=["--screenshot a.jpg", ".png"])

    def test_message_is_one_line(self):
        result = self.refuse(2, "--size", "500")
        self.assertEqual(result.stderr.count("\n"), 1)


class Configuration(Case):
    def config(self, text):
        path = self.folder / "my settings.toml"
        path.write_text(text, encoding="utf-8")
        return path

    def test_unreadable(self):
        self.refuse(2, "--config", "missing.toml", says=["--config missing.toml: cannot be read", "No such file"])
        self.refuse(2, "--config", self.folder, says=["cannot be read", "it is a folder"])
        self.refuse(2, "--config", "/dev/zero", says=["--config /dev/zero", "larger than 1 MiB"])

    def test_empty_values(self):
        for flag in ("--report", "--screenshot", "--sea", "--shader-dir", "--config", "--out", "--size", "--log-level"):
            self.refuse(2, "--headless", flag, "", says=[f'{flag} "": needs a value'])
        for command in (["bench", "fft", "--sizes"], ["tune", "--sizes"], ["verify", "--sizes"], ["image", "a.png", "--fit"],
                        ["export", "--out"], ["compare", "a.json", "b.json", "--json"]):
            self.refuse(2, *command, "", says=[f'{command[-1]} "": needs a value'])
        self.refuse(2, "--headless", "--sweep", "", "--sweep", "size=16", "--out", "o", says=['--sweep "": needs a value'])

    def test_empty_arguments(self):
        for arguments, name in ((["compare", ""], 'REPORT ""'), (["compare", "a.json", ""], 'REPORT 2 ""'),
                                (["compare", "", "b.json"], 'REPORT 1 ""'), (["image", ""], 'IN ""'),
                                (["bench", ""], 'WHAT ""')):
            self.refuse(2, *arguments, says=[f"spindrift: {name}: is empty; it needs a value"])
        for arguments in (["image", "a.png", ""], ["verify", ""], ["tune", ""], ["--headless", ""]):
            self.refuse(2, *arguments, says=['spindrift: "": unexpected argument'])
        self.refuse(2, "", says=['spindrift: "": unknown command'])
        self.assertEqual(self.files(), [])

    def test_outputs_that_would_replace_each_other(self):
        self.refuse(2, "--headless", "--report", "same.json", "--trace", "./same.json",
                    says=["--trace ./same.json", "--report", "each needs its own"])
        self.assertEqual(self.files(), [])

    def test_bad_toml(self):
        path = self.config("[sea\nwind_speed = 5\n")
        self.refuse(2, "--config", path, says=[f"{path}:1:", "not valid TOML"])

    def test_wrong_values(self):
        for text, parts in (("[transform]\nsize = 500\n", [":2: size = 500: must be a power of two from 16 to 2048"]),
                            ("[sea]\n\nwind_speed = \"5\"\n", [":3: wind_speed = \"5\": must be a number from 0 to 60"]),
                            ("[sea]\nwindspeed = 5\n", [":2: windspeed = 5: not known", "did you mean wind_speed?"]),
                            ("[see]\n", [":1: [see]: not known", "did you mean sea?"])):
            path = self.config(text)
            self.refuse(2, "--config", path, says=[str(path), *parts])

    def test_order(self):
        path = self.config("[sea]\nsea = \"storm\"\nwind_speed = 7\nchoppiness = 0.5\n")
        dump = self.accept("--config", path, "--choppiness", "0.25", "--dump-config").stdout
        self.assertIn("\nsea = \"storm\"\n", dump)
        self.assertIn("\nwind_speed = 7\n", dump)
        self.assertIn("\nchoppiness = 0.25\n", dump)

    def test_round_trip(self):
        flags = ["--size", "64", "--wind-direction", "-30.25", "--fullscreen", "--vsync", "off", "--dt", "0.1",
                 "--sea", "gale", "--report", "été \"x\".json"]
        first = self.accept(*flags, "--dump-config").stdout
        second = self.accept("--config", self.config(first), "--dump-config").stdout
        self.assertEqual(first, second)
        self.assertIn("wind_direction = -30.25", second)

    def test_other_reader(self):
        try:
            import tomllib
        except ImportError:
            self.skipTest("this Python has no tomllib")
        dump = tomllib.loads(self.accept("--seed", "4294967295", "--haze", "1.5", "--dump-config").stdout)
        self.assertEqual(dump["sea"]["seed"], 4294967295)
        self.assertEqual(dump["light"]["haze"], 1.5)

    def test_decimal_point(self):
        # A locale with decimal commas changes neither what is read nor what is written.
        for name in ("de_DE.UTF-8", "fr_FR.UTF-8"):
            dump = self.accept("--wind-speed", "7.5", "--dump-config", LC_ALL=name, LANG=name).stdout
            self.assertIn("\nwind_speed = 7.5\n", dump)


class Doctor(Case):
    def test_text(self):
        result = self.run_program("doctor")
        self.assertIn(result.returncode, (0, 4))
        for part in ("Window:", "Headless:", "Transforms:", "CUDA:", "Folders:", "DISPLAY is not set"):
            self.assertIn(part, result.stdout)
        self.assertIn("Window: does not work", result.stdout)

    def test_json(self):
        result = self.run_program("doctor", "--json", "a report.json")
        report = json.loads((self.folder / "a report.json").read_text(encoding="utf-8"))
        self.assertEqual(report["schema"], "spindrift.doctor/1")
        self.assertEqual(report["ok"], result.returncode == 0)
        self.assertFalse(report["window"]["ok"])
        self.assertIn("reason", report["window"])
        self.assertEqual(self.files(), ["a report.json"])
        if report["ok"]:
            limits = report["headless"]["limits"]
            self.assertGreaterEqual(limits["max_group_invocations"], 1024)
            self.assertEqual({t["algorithm"] for t in report["transforms"]}, {*ALGORITHMS, "cufft"})
            for transform in report["transforms"]:
                for refused in transform["unavailable"]:
                    self.assertTrue(refused["reason"])

    def test_unwritable(self):
        self.refuse(1, "doctor", "--json", "missing/a.json", says=["missing/a.json"])
        self.refuse(1, "doctor", "--json", "/proc/a.json", says=["/proc/a.json"])
        self.refuse(1, "doctor", "--json", self.folder, says=[str(self.folder)])
        self.assertEqual(self.files(), [])

    def test_old_opengl(self):
        result = self.run_program("doctor", MESA_GL_VERSION_OVERRIDE="4.1")
        if result.returncode == 0:
            self.skipTest("the driver is not Mesa's")
        self.assertEqual(result.returncode, 4)
        self.assertIn("4.1", result.stdout)
        self.assertIn("4.5", result.stdout)


class Demo(GlCase):
    def test_no_display(self):
        self.refuse(4, "--frames", "1", says=["DISPLAY", "--headless"])
        self.assertEqual(self.files(), [])

    def test_old_opengl(self):
        if not self.is_mesa():
            self.skipTest("the driver is not Mesa's")
        self.refuse(4, *SMALL, "--report", "a.json", says=["4.1", "4.5"], MESA_GL_VERSION_OVERRIDE="4.1")
        self.assertEqual(self.files(), [])

    def is_mesa(self):
        return "Mesa" in self.run_program("doctor").stdout

    def test_unwritable_outputs(self):
        for flag, name in (("--report", "a.json"), ("--screenshot", "a.png"), ("--trace", "a.json")):
            self.refuse(1, *SMALL, flag, f"missing/{name}", says=[f"missing/{name}"])
            self.refuse(1, *SMALL, flag, f"/proc/{name}", says=[f"/proc/{name}"])
            (self.folder / name).mkdir(exist_ok=True)
            self.refuse(1, *SMALL, flag, name, says=[name])
            self.assertEqual(self.files(), [])

    def programs(self, *arguments):
        """Numbers of programs compiled and taken from the cache."""
        result = self.render("--log-level", "debug", *arguments)
        found = re.search("shader programs: ([0-9]+) compiled, ([0-9]+) from the cache", result.stderr)
        self.assertIsNotNone(found, result.stderr)
        return int(found[1]), int(found[2]), result.stderr

    def test_shader_cache(self):
        (self.folder / "home").mkdir()
        compiled, cached, _ = self.programs()
        self.assertEqual((compiled > 5, cached), (True, 0))
        self.assertEqual(self.files(), [], "a headless run leaves nothing behind")
        self.assertEqual(self.programs("--shader-cache", "off")[:2], (compiled, 0))
        self.assertEqual(self.files(), [])
        first, _, log = self.programs("--shader-cache", "a cache/below")
        self.assertEqual(first, compiled)
        if "no format for program binaries" in log:
            self.skipTest("the driver has no format for program binaries")
        self.assertEqual(len(self.files()), compiled)
        self.assertEqual(self.programs("--shader-cache", "a cache/below")[:2], (0, compiled))
        (self.folder / self.files()[0]).write_text("damaged")
        again, cached, log = self.programs("--shader-cache", "a cache/below")
        self.assertEqual((again, cached), (1, compiled - 1))
        self.assertEqual(log.count("is ignored"), 1, log)
        self.assertEqual(self.programs("--shader-cache", "a cache/below")[:2], (0, compiled))

    def test_shader_cache_that_cannot_be(self):
        (self.folder / "file").write_text("")
        for folder in ("file", "file/below", "/proc/nowhere"):
            self.refuse(1, *SMALL, "--shader-cache", folder, says=[f"--shader-cache {folder}"])

    def test_shader_folder(self):
        self.refuse(2, *SMALL, "--shader-dir", "missing", says=["missing"])
        (self.folder / "empty").mkdir()
        self.refuse(2, *SMALL, "--shader-dir", "empty", says=["empty"])
        self.render("--shader-dir", SOURCE / "shaders")

    def test_broken_shader(self):
        shutil.copytree(SOURCE / "shaders", self.folder / "shaders")
        broken = self.folder / "shaders/render/surface.vert"
        broken.write_text(broken.read_text() + "\nthis is no GLSL\n")
        self.refuse(1, *SMALL, "--report", "a.json", "--shader-dir", "shaders", says=["render/surface.vert"])
        self.assertFalse((self.folder / "a.json").exists())

    def test_writes_only_what_is_named(self):
        (self.folder / "home").mkdir()
        self.render("--report", "a b.json", "--screenshot", "ü.png")
        self.assertEqual(self.files(), ["a b.json", "ü.png"])

    def test_report(self):
        self.render("--report", "a.json")
        report = json.loads((self.folder / "a.json").read_text(encoding="utf-8"))
        self.assertEqual(report["schema"], "spindrift.report/1")
        for section in ("app", "system", "gl", "run", "frame", "passes", "mesh"):
            self.assertIn(section, report)
        self.assertGreaterEqual(report["mesh"]["vertices"], 1000)
        for name in ("evolve", "fft.horizontal", "fft.vertical", "assemble", "mips", "sky", "surface", "post"):
            times = report["passes"][name]["gpu_ms"]
            self.assertGreater(times["median"], 0, name)
            self.assertLessEqual(times["min"], times["median"])
            self.assertLessEqual(times["median"], times["p95"])
            self.assertLessEqual(times["p95"], times["p99"])
            self.assertLessEqual(times["p99"], times["max"])

    def test_report_without_enough_frames(self):
        self.render("--frames", "1", "--warmup", "0", "--report", "a.json")
        text = (self.folder / "a.json").read_text(encoding="utf-8")
        self.assertNotRegex(text, r"(?i)\b(nan|inf|infinity)\b")
        json.loads(text)

    def test_report_csv(self):
        self.render("--report", "a.csv")
        lines = (self.folder / "a.csv").read_text(encoding="utf-8").splitlines()
        rows = [line for line in lines if not line.startswith("#")]
        self.assertGreaterEqual(len(rows), 2)
        self.assertEqual({row.count(",") for row in rows}, {rows[0].count(",")})

    def test_decimal_point_in_report(self):
        self.render("--report", "a.json", LC_ALL="de_DE.UTF-8", LANG="de_DE.UTF-8")
        json.loads((self.folder / "a.json").read_text(encoding="utf-8"))

    def test_screenshot(self):
        self.render("--screenshot", "a.png")
        width, height, channels, rows = decode_png((self.folder / "a.png").read_bytes())
        self.assertEqual((width, height), (64, 48))
        colours = {row[x:x + 3] for row in rows for x in range(0, len(row), channels)}
        self.assertGreater(len(colours), 50, "a sea under a sky has many colours")

    def test_deterministic(self):
        for name in ("a", "b"):
            self.render("--seed", "5", "--time", "3", "--screenshot", f"{name}.png")
        self.render("--seed", "6", "--time", "3", "--screenshot", "c.png")
        a, b, c = ((self.folder / f"{name}.png").read_bytes() for name in "abc")
        self.assertEqual(a, b, "the same seed and time must give the same picture")
        self.assertNotEqual(a, c, "another seed must give another picture")

    def test_algorithms_agree(self):
        pictures = []
        for algorithm in ALGORITHMS:
            self.render("--size", "64", "--algorithm", algorithm, "--screenshot", "a.png")
            pictures.append(decode_png((self.folder / "a.png").read_bytes())[3])
        for algorithm, picture in zip(ALGORITHMS[1:], pictures[1:]):
            worst = max(abs(x - y) for a, b in zip(pictures[0], picture) for x, y in zip(a, b))
            self.assertLessEqual(worst, 2, algorithm)

    def test_config_equals_flags(self):
        flags = ["--sea", "gale", "--wind-direction", "-30", "--camera-y", "12"]
        self.render(*flags, "--screenshot", "a.png")
        (self.folder / "a.toml").write_text(self.accept(*SMALL, *flags, "--dump-config").stdout, encoding="utf-8")
        self.accept("--config", "a.toml", "--screenshot", "b.png")
        self.assertEqual((self.folder / "a.png").read_bytes(), (self.folder / "b.png").read_bytes())


class PageReader(html.parser.HTMLParser):
    """Elements that open and close, attributes and text of a page; raises when they do not nest."""

    VOID = {"meta", "br", "link", "img", "input", "hr"}

    def __init__(self, text):
        super().__init__()
        self.open, self.attributes, self.text = [], [], ""
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        self.attributes += [(tag, *attribute) for attribute in attributes]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.attributes += [(tag, *attribute) for attribute in attributes]

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open, self.getpos())
        self.open.pop()

    def handle_data(self, data):
        self.text += data


def read_page(path):
    """The page's text; checks that it is well-formed and asks for nothing from outside."""
    text = path.read_text(encoding="utf-8")
    page = PageReader(text)
    for tag, name, value in page.attributes:
        assert name not in ("src", "onclick", "onload"), (tag, name)
        assert "//" not in (value or ""), (tag, name, value)
    assert "<script" not in text and "@import" not in text and "url(" not in text
    return page.text


class Reports(GlCase):
    """compare and pages."""

    FRAMES = ["--frames", "100", "--warmup", "2"]

    def slow_shaders(self):
        """A shader folder whose `evolve` does the same as ever, with a detour."""
        folder = self.folder / "slow shaders"
        shutil.copytree(SOURCE / "shaders", folder)
        file = folder / "ocean/evolve.glsl"
        text = file.read_text(encoding="utf-8")
        place = "    vec2 h = complex_multiply(conjugate(phase)"
        self.assertIn(place, text)
        detour = ("    float idle = phase.x;\n"
                  "    for (int turn = 0; turn < 20000; ++turn) idle = sin(idle + float(turn));\n"
                  "    phase.x += idle * 1e-30;\n")
        file.write_text(text.replace(place, detour + place), encoding="utf-8")
        return folder

    def test_compare_finds_the_slow_pass_and_nothing_else(self):
        self.render(*self.FRAMES, "--report", "before.json")
        self.render(*self.FRAMES, "--report", "again é.json")
        self.render(*self.FRAMES, "--shader-dir", self.slow_shaders(), "--report", "slow.json")
        # Software renderers share their cores with whatever else runs: only what is far beyond that is asserted.
        threshold = ["--threshold", "900%"]
        result = self.accept("compare", "before.json", "again é.json", *threshold, "--html", "same.html")
        self.assertIn("no difference beyond 900 %", result.stdout)
        self.assertIn("No difference beyond 900 %", read_page(self.folder / "same.html"))
        result = self.run_program("compare", "before.json", "slow.json", *threshold, "--json", "c.json", "--html",
                                  "c <d>.html")
        self.assertEqual(result.returncode, 3, result.stdout)
        self.assertIn("regression: evolve gpu", result.stdout)
        comparison = json.loads((self.folder / "c.json").read_text(encoding="utf-8"))["comparisons"][0]
        self.assertEqual(comparison["regressions"][0], {"name": "evolve", "clock": "gpu"})
        for metric in comparison["metrics"]:
            self.assertIsNone(metric["confidence_percent"], "one run a side has no interval")
            if metric["name"] in ("fft.horizontal", "fft.vertical", "assemble", "mips", "sky", "surface"):
                self.assertNotEqual(metric["verdict"], "slower", metric)
        page = read_page(self.folder / "c <d>.html")
        self.assertIn("evolve gpu is slower", page)
        self.assertIn("slow.json", page)

    def test_compare_refuses(self):
        self.render("--report", "a.json")
        self.render("--size", "32", "--report", "b.json")
        self.refuse(2, "compare", "a.json", "b.json", says=["run.size: 16 | 32", "--force"])
        self.accept("compare", "a.json", "b.json", "--force")
        before = (self.folder / "a.json").read_bytes()
        self.refuse(2, "compare", "a.json", "b.json", "--force", "--json", "./a.json", says=["one of the reports"])
        self.refuse(2, "compare", "a.json", "b.json", "--force", "--html", "c.json", says=["--html c.json", ".html"])
        self.refuse(1, "compare", "a.json", "b.json", "--force", "--html", "missing/c.html", says=["missing/c.html"])
        self.assertEqual((self.folder / "a.json").read_bytes(), before)
        self.assertEqual(self.files(), ["a.json", "b.json"])

    def test_page(self):
        self.render("--frames", "24", "--report", "ä <b> & \"c\".html")
        page = read_page(self.folder / "ä <b> & \"c\".html")
        for part in ("stockham-radix4, 16 × 16", "24 frames", "Percentiles", "p99.9", "fft.horizontal", "Run it again",
                     "--report 'ä <b> & \"c\".html'", "wind_speed", "software renderer"):
            if part != "software renderer" or "llvmpipe" in page:
                self.assertIn(part, page)
        self.assertNotIn("nan", page.lower().replace("nanosecond", ""))
        self.render("--frames", "1", "--warmup", "0", "--report", "r.json", "--html", "one.html")
        self.assertIn("1 frames are few", read_page(self.folder / "one.html"))
        report = json.loads((self.folder / "r.json").read_text(encoding="utf-8"))
        self.assertEqual(len(report["series"]["frame"]["gpu_ms"]), 1)
        if os.path.exists("/dev/full"):
            (self.folder / "full.html").symlink_to("/dev/full")
            self.refuse(1, *SMALL, "--report", "full.html", says=["full.html", "No space left"])
        self.refuse(2, *SMALL, "--report", "same.html", "--html", "./same.html", says=["--html", "each needs its own"])


    def test_trace(self):
        """Against the Trace Event Format: what each phase must have, and that slices of a track nest."""
        self.render("--frames", "6", "--trace", "t.json")
        trace = json.loads((self.folder / "t.json").read_text(encoding="utf-8"))
        self.assertIsInstance(trace["traceEvents"], list)
        self.assertIn(trace["displayTimeUnit"], ("ms", "ns"))
        tracks, names = {}, {}
        for event in trace["traceEvents"]:
            self.assertIn(event["ph"], ("X", "M", "C"))
            self.assertIsInstance(event["name"], str)
            self.assertIsInstance(event["pid"], int)
            if event["ph"] == "M":
                self.assertIn(event["name"], ("process_name", "thread_name", "process_sort_index", "thread_sort_index"))
                if event["name"] == "thread_name":
                    names[event["tid"]] = event["args"]["name"]
                continue
            self.assertIsInstance(event["ts"], (int, float))
            if event["ph"] == "C":
                self.assertTrue(all(isinstance(value, (int, float)) for value in event["args"].values()), event)
                continue
            self.assertGreaterEqual(event["dur"], 0)
            self.assertIsInstance(event["cat"], str)
            tracks.setdefault(event["tid"], []).append(event)
        self.assertEqual(names[1], "CPU")
        self.assertEqual(set(tracks), {1, 2})
        self.assertIn(2, names)
        for tid, events in tracks.items():
            self.assertEqual(sum(event["name"] == "frame" for event in events), 6, names[tid])
            self.assertEqual({event["args"]["frame"] for event in events}, set(range(6)))
            for name in ("evolve", "fft.horizontal", "fft.vertical", "assemble", "mips", "sky", "surface", "post"):
                self.assertEqual(sum(event["name"] == name for event in events), 6, name)
            open_until = []
            for event in sorted(events, key=lambda event: (event["ts"], -event["dur"])):
                while open_until and event["ts"] >= open_until[-1] - 1e-3:
                    open_until.pop()
                end = event["ts"] + event["dur"]
                if open_until:
                    self.assertLessEqual(end, open_until[-1] + 1e-3, event)
                open_until.append(end)


class Sweeps(GlCase):
    """--sweep, --repeat and --out."""

    SWEEP = ["--sweep", "algorithm=cooley-tukey,stockham-radix4", "--sweep", "size=16,32", "--repeat", "2"]

    def test_a_sweep_that_cannot_run_is_a_failure(self):
        self.accept("doctor", "--json", "d.json")
        if json.loads((self.folder / "d.json").read_text(encoding="utf-8"))["cuda"]["ok"]:
            self.skipTest("this machine has CUDA")
        result = self.run_program(*SMALL, "--sweep", "algorithm=cufft", "--out", "s")
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn("not available", result.stderr)

    def test_sweep_and_its_index(self):
        out = self.folder / "a sweep é"
        result = self.render(*self.SWEEP, "--out", out)
        self.assertIn("8 runs, 0 of them from before", result.stdout)
        self.assertIn("algorithm=cooley-tukey, size=16, repeat 1 of 2", result.stderr)
        cells = {f"algorithm={algorithm},size={size}" for algorithm in ("cooley-tukey", "stockham-radix4")
                 for size in (16, 32)}
        self.assertEqual({p.name for p in out.iterdir()}, cells | {"index.html", "sweep.json"})
        for cell in cells:
            self.assertEqual({p.name for p in (out / cell).iterdir()}, {"1.json", "1.html", "2.json", "2.html"})
            report = json.loads((out / cell / "2.json").read_text(encoding="utf-8"))
            self.assertEqual(f"algorithm={report['run']['algorithm']},size={report['run']['size']}", cell)
        page = read_page(out / "index.html")
        self.assertIn("4 cells, 2 repeats", page)
        self.assertNotIn("not complete", page)
        links = re.findall('href="([^"]+)"', (out / "index.html").read_text(encoding="utf-8"))
        self.assertEqual(len(links), 8)
        for link in links:
            read_page(out / link)
        self.accept("compare", out / "algorithm=cooley-tukey,size=16", out / "algorithm=cooley-tukey,size=16")
        self.render(*self.SWEEP[:-1], "3", "--out", out)  # a repeat more
        self.assertEqual(len(list(out.glob("*/*.json"))), 12)
        self.refuse(2, *SMALL, "--seed", "9", *self.SWEEP, "--out", out, says=["another sweep", "--seed 9"])

    def test_sweep_goes_on_after_an_interruption(self):
        out = self.folder / "out"
        slow = [*SMALL, "--frames", "100000", "--sweep", "size=16,32", "--out", "out"]
        process = subprocess.Popen([str(PROGRAM), *slow], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env={**os.environ, "MESA_SHADER_CACHE_DIR": str(SHADER_CACHE)})
        for line in process.stderr:
            if "run 1 of 2" in line:
                break
        process.send_signal(signal.SIGINT)
        _, message = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 1, message)
        self.assertIn("interrupted after 0 of 2 runs", message)
        self.assertEqual({p.name for p in out.iterdir()}, {"index.html", "sweep.json"}, "nothing half-written")
        self.assertIn("not complete", read_page(out / "index.html"))

        sweep = [*self.SWEEP, "--out", "again"]
        self.render(*sweep)
        first = self.folder / "again/algorithm=cooley-tukey,size=16/1.json"
        missing = self.folder / "again/algorithm=stockham-radix4,size=32/2.json"
        kept = first.read_bytes()
        missing.unlink()
        self.assertIn("8 runs, 7 of them from before", self.render(*sweep).stdout)
        self.assertEqual(first.read_bytes(), kept)
        self.assertTrue(missing.exists())
        first.write_text("half a rep", encoding="utf-8")
        missing.write_text("{}", encoding="utf-8")
        self.refuse(1, *SMALL, *sweep, says=[str(Path("again/algorithm=cooley-tukey,size=16/1.json")), "not JSON",
                                             str(Path("again/algorithm=stockham-radix4,size=32/2.json")),
                                             "no report of this program", "delete them"])

    def test_sweep_refuses_before_anything_runs(self):
        for flags, parts in ((["--sweep", "sise=16"], ['"sise" is no setting', "did you mean size?"]),
                             (["--sweep", "size=16,17"], ["size 17", "a power of two"]),
                             (["--sweep", "effort=measure,patient"], ["effort decides", "every run's"]),
                             (["--sweep", "algorithm=fast"], ["algorithm fast", "stockham-radix4"]),
                             (["--sweep", "size=16", "--repeat", "0"], ["--repeat 0", "1 to 1000"]),
                             (["--sweep", "size=16", "--report", "a.json"], ["--report a.json", "--out"]),
                             (["--sweep", "size=16", "--sweep", "size=32"], ["size", "twice"])):
            self.refuse(2, *SMALL, *flags, "--out", "out", says=parts)
        self.refuse(2, *SMALL, "--sweep", "size=16", says=["--out"])
        self.assertEqual(self.files(), [])
        (self.folder / "mine").mkdir()
        (self.folder / "mine/thesis.txt").write_text("text")
        self.refuse(2, *SMALL, "--repeat", "2", "--out", "mine", says=["--out mine", "no sweep.json"])
        self.refuse(2, *SMALL, "--repeat", "2", "--out", "mine/thesis.txt", says=["no folder"])
        self.refuse(1, *SMALL, "--repeat", "2", "--out", "/proc/sweep", says=["/proc/sweep"])
        self.assertEqual(self.files(), ["mine/thesis.txt"])


class Recording(GlCase):
    """What is measured, how it begins and ends, and what is left when it goes wrong."""

    def report(self, name="a.json"):
        return json.loads((self.folder / name).read_text(encoding="utf-8"))

    def test_csv_value_by_value(self):
        """Python's csv module and the trace of the same run tell the same times."""
        self.render("--frames", "5", "--report", "été, \"x\".csv", "--trace", "t.json")
        with open(self.folder / "été, \"x\".csv", newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file, strict=True)
            rows = list(reader)
        self.assertEqual(reader.fieldnames[:7], ["Frame", "TimeInSeconds", "MsBetweenPresents", "MsCPUBusy",
                                                 "MsInPresentAPI", "MsGPULatency", "MsGPUTime"])
        self.assertEqual(reader.fieldnames[-5:], ["GpuClockMHz", "GpuMemClockMHz", "GpuPowerW", "GpuTempC",
                                                  "GpuClockReasons"])
        self.assertEqual(len(reader.fieldnames), len(set(reader.fieldnames)))
        self.assertEqual([row["Frame"] for row in rows], ["0", "1", "2", "3", "4"])
        for row in rows:
            self.assertNotIn(None, row, "a row with more cells than the header")
            self.assertNotIn(None, row.values(), "a row with fewer cells than the header")
            self.assertEqual(row["MsInPresentAPI"], "", "nothing is presented without a window")
        expected = [dict() for _ in rows]
        for event in json.loads((self.folder / "t.json").read_text(encoding="utf-8"))["traceEvents"]:
            if event["ph"] == "X":
                row = expected[event["args"]["frame"]]
                if event["cat"] == "frame":
                    column = "MsCPUBusy" if event["tid"] == 1 else "MsGPUTime"
                    if event["tid"] == 1:
                        row["TimeInSeconds"] = (event["ts"] + event["dur"]) / 1e6
                else:
                    column = ("MsCpu." if event["cat"] == "cpu" else "MsGpu.") + event["name"]
                row[column] = row.get(column, 0) + event["dur"] / 1e3
        self.assertGreaterEqual(len(expected[0]), 3 + 7 + 7)
        for row, values in zip(rows, expected):
            for column, value in values.items():
                self.assertAlmostEqual(float(row[column]), value, delta=2e-6, msg=column)
            passes = {column for column, cell in row.items() if column.startswith(("MsGpu.", "MsCpu.")) and cell}
            self.assertEqual(passes, {column for column in values if column.startswith(("MsGpu.", "MsCpu."))})
        self.assertEqual(rows[0]["MsBetweenPresents"], "")
        for before, row in zip(rows, rows[1:]):
            passed = float(row["TimeInSeconds"]) - float(before["TimeInSeconds"])
            self.assertAlmostEqual(float(row["MsBetweenPresents"]), 1e3 * passed, delta=2e-3)

    def test_exact_warm_up(self):
        self.render("--frames", "4", "--warmup", "3", "--report", "a.json")
        recorder = self.report()["recorder"]
        self.assertEqual(recorder["warm_up"]["frames"], 3)
        self.assertEqual(recorder["warm_up"]["ended_by"], "asked")
        self.assertEqual(recorder["ended_by"], "frames")
        self.assertEqual(recorder["length"], {"frames": 4, "seconds": 0.0})
        self.assertEqual(self.report()["frame"]["frames"], 4)
        self.assertEqual(self.report()["run"]["warmup"], 3)

    def test_a_warm_up_that_does_not_settle_is_told(self):
        result = self.render("--warmup-seconds", "600", "--warmup-limit", "0.05", "--report", "a.json")
        self.assertEqual(self.report()["recorder"]["warm_up"]["ended_by"], "limit")
        self.assertIn("the warm-up ended after", result.stderr)
        self.assertTrue(any("the warm-up ended after" in note for note in self.report()["notes"]))

    def test_warm_up_until_frame_times_settle(self):
        self.render("--warmup-seconds", "0", "--warmup-stable", "100", "--report", "a.json")
        warm_up = self.report()["recorder"]["warm_up"]
        if warm_up["ended_by"] == "limit":
            self.skipTest("frame times did not settle on this machine")
        self.assertEqual(warm_up["ended_by"], "stable")
        self.assertGreaterEqual(warm_up["frames"], 60)
        self.assertLessEqual(warm_up["last_change_percent"], 100)

    def test_seconds(self):
        self.accept(*SMALL, "--frames", "0", "--seconds", "0.05", "--report", "a.json")
        self.assertEqual(self.report()["recorder"]["ended_by"], "seconds")
        self.assertGreaterEqual(self.report()["frame"]["frames"], 1)

    def test_one_frame_is_told(self):
        result = self.render("--frames", "1", "--report", "a.json")
        self.assertIn("one frame was recorded", result.stderr)
        self.assertIsNone(self.report()["frame"]["interval_ms"]["median"])

    def test_too_many_frames(self):
        self.refuse(2, *SMALL, "--frames", "3000000", "--report", "a.json", says=["--frames 3000000", "2000000"])

    def test_the_reports_command_line_leads_to_the_same_picture(self):
        self.render("--frames", "4", "--camera-path", "flight", "--seed", "7", "--time", "3", "--report", "a.json",
                    "--screenshot", "a.png")
        again = shlex.split(self.report()["run"]["command_line"])[1:]
        self.assertIn("flight", again)
        again[again.index("a.png")] = "b.png"
        self.accept(*again)
        self.render("--frames", "4", "--seed", "7", "--time", "3", "--screenshot", "c.png")
        a, b, c = ((self.folder / f"{name}.png").read_bytes() for name in "abc")
        self.assertEqual(a, b)
        self.assertNotEqual(a, c, "the path did not move the camera")

    def test_bench_recorder(self):
        result = self.accept("bench", "recorder", "--sizes", "16", "--vertices", "1000", "--repetitions", "1", "--json",
                             "b.json")
        for way in ("without profiler", "recording off", "recording on"):
            self.assertIn(way, result.stdout)
        bench = self.report("b.json")
        self.assertEqual(bench["schema"], "spindrift.bench_recorder/1")
        self.assertEqual((len(bench["off_ms"]), len(bench["on_ms"])), (1, 1))
        self.assertAlmostEqual(bench["recording"]["ms"], bench["on_ms"][0] - bench["off_ms"][0])
        self.refuse(2, "bench", "recorder", "--table", "1", says=["--table 1", "bench recorder"])
        self.refuse(2, "bench", "recorder", "--sizes", "16,32", says=["--sizes 16,32", "one size"])
        self.refuse(2, "bench", "fft", "--vertices", "1000", says=["--vertices 1000"])

    def test_a_full_disk(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        for flag, name in (("--report", "a.json"), ("--report", "a.csv"), ("--trace", "a.json")):
            link = self.folder / name
            link.symlink_to("/dev/full")
            self.refuse(1, *SMALL, flag, name, says=[name, "No space left"])
            link.unlink()
            self.assertEqual(self.files(), [])

    def test_a_file_beyond_the_limit_leaves_the_old_one(self):
        (self.folder / "a.json").write_text("old")
        program = shlex.join([str(PROGRAM), *SMALL, "--report", "a.json"])
        result = subprocess.run(["bash", "-c", f"ulimit -f 1; exec {program}"], cwd=self.folder, text=True,
                                stderr=subprocess.PIPE, env=dict(os.environ, HOME=str(self.folder / "home"),
                                                                 MESA_SHADER_CACHE_DISABLE="true"), timeout=300)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("a.json", result.stderr)
        self.assertEqual((self.folder / "a.json").read_text(), "old")
        self.assertEqual(self.files(), ["a.json"], "a part of a file was left")

    def test_signals_leave_the_old_files(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            for name in ("a.json", "a.png"):
                (self.folder / name).write_text("old")
            env = dict(os.environ, HOME=str(self.folder / "home"))
            env.setdefault("MESA_SHADER_CACHE_DIR", str(SHADER_CACHE))
            process = subprocess.Popen([str(PROGRAM), *SMALL, "--frames", "100000", "--report", "a.json", "--screenshot",
                                        "a.png", "--log-level", "debug"], cwd=self.folder, env=env,
                                       stderr=subprocess.PIPE, text=True,
                                       preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))  # whatever nohup did
            self.addCleanup(process.stderr.close)
            self.addCleanup(process.kill)
            told = ""
            for line in process.stderr:
                told += line
                if "drawing begins" in line:
                    process.send_signal(number)
                    break
            told += process.stderr.read()
            self.assertEqual(process.wait(timeout=120), 1, told)
            self.assertIn(f"spindrift: {number.name}: the run is incomplete", told)
            self.assertIn("nothing was written", told)
            for name in ("a.json", "a.png"):
                self.assertEqual((self.folder / name).read_text(), "old")
            self.assertEqual(self.files(), ["a.json", "a.png"])


class Transforms(GlCase):
    """verify and bench fft."""

    def test_verify_is_green_and_writes_json(self):
        result = self.accept("verify", "--sizes", "64,16", "--json", "v.json")
        self.assertIn(f"{16 * len(ALGORITHMS)} of {16 * len(ALGORITHMS)} transforms are within the gate", result.stdout)
        report = json.loads((self.folder / "v.json").read_text(encoding="utf-8"))
        self.assertEqual(report["schema"], "spindrift.verify/1")
        self.assertEqual({entry["algorithm"] for entry in report["results"]}, set(ALGORITHMS))
        self.assertEqual({entry["size"] for entry in report["results"]}, {16, 64})
        for entry in report["results"]:
            self.assertTrue(entry["ok"])
            self.assertTrue(0 < entry["rel_l2"] < entry["gate"], entry)
            self.assertEqual(set(entry), {"algorithm", "packing", "storage", "direction", "size", "layers", "rel_l2",
                                          "max_over_rms", "gate", "ok"})

    def test_verify_names_each_failure_of_a_broken_kernel(self):
        result = self.run_program("verify", "--sizes", "16", "--shader-dir", self.broken_shaders(), "--json", "v.json")
        self.assertEqual(result.returncode, 1, result.stderr)
        failures = [line for line in result.stdout.splitlines() if line.startswith("FAILED ")]
        self.assertEqual(len(failures), 4 * len(ALGORITHMS))  # every algorithm, storage and direction with vec4
        for line in failures:
            self.assertIn(" vec4 ", line)
            self.assertIn("above the gate", line)
        report = json.loads((self.folder / "v.json").read_text(encoding="utf-8"))
        self.assertEqual(sum(not entry["ok"] for entry in report["results"]), 4 * len(ALGORITHMS))

    def test_verify_refuses_bad_arguments(self):
        self.refuse(2, "verify", "--sizes", "16,500", says=["--sizes", "500", "16 to 4096"])
        self.refuse(2, "verify", "--algorithm", "stockham-radix", says=["--algorithm", "stockham-radix2"])
        self.refuse(2, "verify", "--all", "--sizes", "16", says=["--sizes"])
        self.refuse(1, "verify", "--sizes", "16", "--json", "missing/v.json", says=["missing"])
        self.refuse(2, "verify", "--shader-dir", "nowhere", says=["nowhere"])

    def test_tune_keeps_wisdom_that_verify_and_bench_use(self):
        arguments = ["tune", "--sizes", "16", "--packing", "vec2", "--fields", "1", "--storage", "buffer",
                     "--wisdom", "w.json", "--seconds", "1"]
        result = self.accept(*arguments, "--json", "t.json")
        self.assertIn("rel L2", result.stdout)
        report = json.loads((self.folder / "t.json").read_text(encoding="utf-8"))
        self.assertEqual(report["schema"], "spindrift.tune/1")
        [entry] = report["results"]
        self.assertGreaterEqual(len(entry["kernels"]), 4)
        for kernel in entry["kernels"]:
            self.assertTrue(kernel["ok"], kernel)
            self.assertLess(kernel["rel_l2"], 3e-7)
        self.assertEqual(entry["us"], min(trial["us"]["median"] for trial in entry["transforms"] if trial["ok"]))
        wisdom = json.loads((self.folder / "w.json").read_text(encoding="utf-8"))
        self.assertEqual(wisdom["schema"], "spindrift.wisdom/2")
        self.assertEqual(wisdom["entries"][0]["size"], 16)
        # A second call measures nothing, unless the first had to stop early.
        hurried = "ended by --seconds" in result.stdout
        self.assertEqual(wisdom["entries"][0]["effort"], "estimate" if hurried else "measure")
        self.assertIn("rel L2" if hurried else ": known: ", self.accept(*arguments).stdout)
        # A file that is no wisdom is somebody's: it is refused and kept.
        (self.folder / "w.json").write_text("{", encoding="utf-8")
        refusal = self.refuse(1, *arguments, says=["w.json is refused", "delete it"])
        self.assertEqual(refusal.stderr.count("is refused"), 1, refusal.stderr)
        self.assertEqual((self.folder / "w.json").read_text(encoding="utf-8"), "{")

    def test_tune_tells_programs_its_progress(self):
        arguments = ["tune", "--sizes", "16", "--packing", "vec2", "--fields", "1", "--storage", "buffer", "--seconds", "2",
                     "--progress", "json"]
        result = self.accept(*arguments)
        messages = [json.loads(line) for line in result.stdout.splitlines()]
        *progress, last = messages
        self.assertEqual({message["message"] for message in progress}, {"progress"})
        self.assertEqual(progress[-1]["searches_finished"], progress[-1]["searches"])
        self.assertGreaterEqual(progress[-1]["kernels"], 4)
        self.assertEqual(last["message"], "result")
        [entry] = last["wisdom"]["entries"]
        self.assertEqual(entry["microseconds"],
                         min(trial["us"]["median"] for trial in last["schedules"] if trial["ok"]))
        self.assertEqual([file for file in self.files() if "wisdom" in file], [], "whoever reads it keeps it")
        # A named file is written all the same, what is in use competes, and several targets have a result each.
        arguments[2] = "16,32"
        for _ in range(2):
            result = self.accept(*arguments, "--wisdom", "w.json", "--again")
            results = [json.loads(line) for line in result.stdout.splitlines() if '"result"' in line]
            self.assertEqual([one["wisdom"]["entries"][0]["size"] for one in results], [16, 32])
            kept = json.loads((self.folder / "w.json").read_text(encoding="utf-8"))
            self.assertEqual([one["size"] for one in kept["entries"]], [16, 32])
            self.assertEqual([one["wisdom"]["entries"][0]["effort"] for one in results],
                             [one["effort"] for one in kept["entries"]])
        for entry in kept["entries"]:
            entry["effort"] = "measure"
        (self.folder / "w.json").write_text(json.dumps(kept), encoding="utf-8")
        result = self.accept(*arguments, "--wisdom", "w.json")
        self.assertEqual([json.loads(line) for line in result.stdout.splitlines()],
                         [{"message": "skipped", "what": f"{size} buffer vec2 1 fields", "why": "known"} for size in (16, 32)])
        self.refuse(2, *arguments[:-1], "xml", says=["--progress xml", "text, json"])
        no_display = self.run_program(*arguments, "--window", DISPLAY="", WAYLAND_DISPLAY="")
        self.assertEqual(no_display.returncode, 4, no_display.stderr)
        self.assertIn("Without --window, tune needs none", no_display.stderr)

    def test_tune_fused_keeps_wisdom_that_the_sea_follows(self):
        result = self.accept("tune", "--fused", "--sizes", "16", "--seconds", "3", "--json", "t.json")
        self.assertIn("16 fused vec4 4 fields: ", result.stdout)
        report = json.loads((self.folder / "t.json").read_text(encoding="utf-8"))
        [entry] = report["results"]
        self.assertTrue(entry["fused"])
        self.assertIsNone(entry["storage"])
        for kernel in entry["kernels"]:
            self.assertTrue(kernel["ok"], kernel)
            self.assertLess(kernel["rel_l2"], 1e-6)
        step = self.accept("bench", "step", "--sizes", "16", "--algorithm", "tuned", "--json", "s.json")
        self.assertIn("wisdom of tuned: 1 measured schedule", step.stdout)
        fused = [row for row in json.loads((self.folder / "s.json").read_text(encoding="utf-8"))["results"]
                 if row["fused"]]
        self.assertEqual({row["schedule"] for row in fused}, {entry["schedule"]})
        # So does the demo, whose report says what ran.
        self.accept(*SMALL, "--algorithm", "tuned", "--report", "r.json")
        run = json.loads((self.folder / "r.json").read_text(encoding="utf-8"))["run"]
        self.assertEqual(run["schedule"], entry["schedule"])

    EFFORT = [*SMALL, "--algorithm", "tuned", "--fused", "off", "--packing", "vec2", "--storage", "buffer"]

    def wisdom_files(self):
        return [name for name in self.files() if "/wisdom/" in name]

    def test_effort_measures_before_the_first_frame_and_once(self):
        result = self.accept(*self.EFFORT, "--effort", "measure", "--screenshot", "a.png")
        self.assertIn("tuning begins: 16 buffer vec2 4 fields, effort measure", result.stderr)
        [name] = self.wisdom_files()
        self.assertIn(name, result.stderr)
        wisdom = json.loads((self.folder / name).read_text(encoding="utf-8"))
        [entry] = wisdom["entries"]
        self.assertEqual((entry["size"], entry["effort"], entry["storage"]), (16, "measure", "buffer"))
        self.assertLess(entry["rel_l2"], 3e-7)
        # Known now, and with less effort anyway; without the flag nothing is measured nor written.
        for arguments in (["--effort", "measure"], ["--effort", "estimate"], []):
            self.assertNotIn("tuning begins", self.accept(*self.EFFORT, *arguments).stderr)
        self.assertEqual(json.loads((self.folder / name).read_text(encoding="utf-8")), wisdom)

    def test_damaged_wisdom_is_told_once(self):
        arguments = ["tune", "--sizes", "16", "--packing", "vec2", "--fields", "1", "--storage", "buffer", "--seconds", "1"]
        self.accept(*arguments)
        [name] = self.wisdom_files()
        (self.folder / name).write_text("damaged", encoding="utf-8")
        for command in (["doctor"], [*SMALL, "--algorithm", "tuned"], arguments):
            result = self.accept(*command)
            self.assertEqual((result.stdout + result.stderr).count("is refused: it is damaged"), 1, result.stderr)
        self.assertEqual(len(json.loads((self.folder / name).read_text(encoding="utf-8"))["entries"]), 1)

    def test_effort_that_reaches_nothing_is_told(self):
        result = self.accept(*SMALL, "--algorithm", "stockham-radix4", "--effort", "measure")
        self.assertIn("--effort measure: is of --algorithm tuned; with stockham-radix4 nothing is measured",
                      result.stderr)
        self.assertEqual(self.wisdom_files(), [])
        self.refuse(2, *SMALL, "--effort", "hard", says=["--effort hard", "estimate, measure, patient"])

    def test_wisdom_of_effort_that_cannot_be_kept_is_told(self):
        cache = self.folder / "home/.cache/spindrift"
        cache.mkdir(parents=True)
        (cache / "wisdom").write_text("in the way", encoding="utf-8")
        result = self.accept(*self.EFFORT, "--effort", "measure")
        self.assertIn("wisdom is used, but not kept: ", result.stderr)
        self.assertEqual((cache / "wisdom").read_text(encoding="utf-8"), "in the way")

    def test_interrupted_effort_keeps_nothing(self):
        environment = dict(os.environ, HOME=str(self.folder / "home"), MESA_SHADER_CACHE_DIR=str(SHADER_CACHE))
        for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "DISPLAY"):
            environment.pop(name, None)
        process = subprocess.Popen([str(PROGRAM), *self.EFFORT, "--size", "256", "--effort", "patient", "--screenshot",
                                    "a.png"], cwd=self.folder, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   text=True, env=environment)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        said = ""
        while "tuning begins" not in said:
            line = process.stderr.readline()
            self.assertTrue(line, said)
            said += line
        process.send_signal(signal.SIGINT)
        said += process.stderr.read()
        self.assertEqual(process.wait(timeout=300), 1, said)
        self.assertIn("tuning was cancelled", said)
        self.assertIn("SIGINT: the run is incomplete, nothing was written", said)
        self.assertEqual(self.files(), [])

    def test_a_signal_ends_tune_and_what_was_finished_is_kept(self):
        wisdom = self.folder / "w.json"
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = subprocess.Popen(
                [str(PROGRAM), "tune", "--sizes", "16,512", "--packing", "vec2", "--storage", "buffer", "--fields", "1",
                 "--progress", "json", "--wisdom", str(wisdom), "--json", "t.json"], cwd=self.folder, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                env={**os.environ, "HOME": str(self.folder / "home"), "MESA_SHADER_CACHE_DIR": str(SHADER_CACHE)},
                preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))  # whatever nohup did
            self.addCleanup(process.stdout.close)
            self.addCleanup(process.kill)
            messages = []
            for line in process.stdout:
                messages.append(json.loads(line)["message"])
                if messages[-1] in ("result", "skipped"):  # of 16; the next time it is known
                    process.send_signal(number)
                    break
            messages += [json.loads(line)["message"] for line in process.stdout]
            self.assertEqual(process.wait(timeout=120), 1, messages)
            self.assertEqual(messages[-1], "interrupted")
            sizes = [entry["size"] for entry in json.loads(wisdom.read_text(encoding="utf-8"))["entries"]]
            self.assertEqual(sizes, [16])
            self.assertFalse((self.folder / "t.json").exists())

    def test_tune_refuses_bad_arguments(self):
        self.refuse(2, "tune", "--effort", "estimate", says=["--effort estimate", "measure or patient"])
        self.refuse(2, "tune", "--effort", "hard", says=["--effort hard"])
        self.refuse(2, "tune", "--fields", "3", says=["--fields 3", "vec4"])
        self.refuse(2, "tune", "--sizes", "17", says=["--sizes", "17"])
        self.refuse(2, "tune", "--fused", "--storage", "image", says=["--storage", "fused"])
        self.refuse(2, "tune", "--fused", "--fields", "2", says=["--fused", "4 fields", "--fields is 2"])
        self.refuse(2, "tune", "--fused", "--direction", "forward", says=["--fused", "inverse", "forward"])
        self.refuse(2, "tune", "--seconds", "0", says=["--seconds 0"])
        self.refuse(2, "tune", "--json", "x.json", "--wisdom", "./x.json", says=["--wisdom", "--json"])
        self.refuse(2, "export", "--algorithm", "cufft", "--out", "kit", says=["--algorithm cufft"])
        for command in (SMALL, ("export", "--out", "kit")):
            self.refuse(2, *command, "--intermediate", "fp16", "--algorithm", "stockham-radix4",
                        says=["--intermediate fp16", "--algorithm tuned", "stockham-radix4"])
        self.refuse(1, "tune", "--json", "missing/t.json", says=["missing"])

    def check_export(self, *arguments, size, packing, layers, forward=False, gate=3e-7):
        """Exports, compiles the example with nothing of ours, runs it, and compares with a transform of our own."""
        self.accept("export", "--size", str(size), "--packing", packing, "--layers", str(layers), "--out", "kit",
                    "--force", *arguments)
        kit = self.folder / "kit"
        for shader in kit.glob("*.comp"):
            text = shader.read_text(encoding="utf-8")
            self.assertTrue(text.startswith("#version 450 core"), shader)
            self.assertNotIn("#include", text)
        transform = json.loads((kit / "transform.json").read_text(encoding="utf-8"))
        self.assertEqual(transform["schema"], "spindrift.export/1")
        for entry in transform["passes"]:
            self.assertTrue((kit / entry["file"]).exists())
            for binding in entry["bindings"]:
                self.assertIn(binding["resource"], transform["resources"])
        built = subprocess.run(["cc", "example.c", "-o", "example", "-lEGL", "-lGL"], cwd=kit, capture_output=True, text=True)
        self.assertEqual(built.returncode, 0, built.stderr)
        numbers = 2 if packing == "vec4" else 1
        generator = random.Random(size)
        values = array.array("f", (generator.uniform(-1, 1) for _ in range(size * size * layers * numbers * 2)))
        (kit / "in.bin").write_bytes(values.tobytes())
        ran = subprocess.run(["./example", "in.bin", "out.bin"], cwd=kit, capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        result = array.array("f")
        result.frombytes((kit / "out.bin").read_bytes())
        error = norm = 0.0
        for layer in range(layers):
            for lane in range(numbers):
                place = [(((layer * size + row) * size + column) * numbers + lane) * 2
                         for row in range(size) for column in range(size)]
                expected = transform_square([complex(values[i], values[i + 1]) for i in place], size, forward)
                for i, wanted in zip(place, expected):
                    error += abs(complex(result[i], result[i + 1]) - wanted) ** 2
                    norm += abs(wanted) ** 2
        relative = (error / norm) ** 0.5
        self.assertTrue(0 < relative < gate, relative)

    def test_exported_kernels_give_the_right_transform_with_nothing_of_ours(self):
        if shutil.which("cc") is None or not all(Path("/usr/include", header).exists()
                                                 for header in ("EGL/egl.h", "GL/glcorearb.h")):
            self.skipTest("no C compiler, or no headers of EGL and OpenGL (packages libegl-dev, libgl-dev)")
        self.check_export(size=32, packing="vec4", layers=2)
        self.check_export("--storage", "image", "--direction", "forward", size=16, packing="vec2", layers=1, forward=True)
        self.check_export("--intermediate", "fp16", size=16, packing="vec4", layers=1, gate=1e-3)
        for algorithm in ("stockham-radix4", "cooley-tukey-stages"):
            self.check_export("--algorithm", algorithm, size=16, packing="vec4", layers=1)

    def test_export_refuses_bad_arguments(self):
        self.refuse(2, "export", says=["--out"])
        self.refuse(2, "export", "--out", "x", "--size", "500", says=["--size 500"])
        self.refuse(2, "export", "--out", "x", "--algorithm", "tune", says=["--algorithm tune", "tuned"])
        self.refuse(1, "export", "--out", "x", "--algorithm", "stockham-radix2", "--size", "4096", says=["size is 4096"])
        (self.folder / "file").write_text("", encoding="utf-8")
        self.refuse(1, "export", "--out", "file", "--size", "16", says=["--out file"])

    def test_export_replaces_an_earlier_export_and_nothing_else(self):
        self.accept("export", "--size", "16", "--out", "made/kit/")
        kit = self.folder / "made" / "kit"
        written = sorted(path.name for path in kit.iterdir())
        self.assertIn("transform.json", written)
        self.assertEqual(sorted(path.name for path in kit.parent.iterdir()), ["kit"], "nothing is left beside it")
        (kit / "mine.txt").write_text("mine", encoding="utf-8")
        (kit / "twiddles_2.bin").write_bytes(b"stale")
        before = (kit / "transform.json").read_text(encoding="utf-8")
        self.refuse(1, "export", "--size", "32", "--out", "made/kit", says=["--out made/kit", "--force"])
        self.assertEqual((kit / "transform.json").read_text(encoding="utf-8"), before)
        self.accept("export", "--size", "32", "--algorithm", "stockham-radix2", "--out", "made/kit", "--force")
        self.assertEqual(json.loads((kit / "transform.json").read_text(encoding="utf-8"))["size"], 32)
        self.assertEqual((kit / "mine.txt").read_text(encoding="utf-8"), "mine")
        self.assertFalse((kit / "twiddles_2.bin").exists(), "stale")
        self.assertEqual([path.name for path in kit.iterdir() if path.name.startswith(".")], [])
        (self.folder / "empty").mkdir()
        self.accept("export", "--size", "16", "--out", "empty")
        self.assertTrue((self.folder / "empty" / "transform.json").exists())

    def test_bench_fft_writes_its_table_three_ways(self):
        result = self.accept("bench", "fft", "--sizes", "16", "--fields", "4", "--repetitions", "2", "--json", "b.json",
                             "--csv", "b.csv", "--markdown", "b.md")
        report = json.loads((self.folder / "b.json").read_text(encoding="utf-8"))
        self.assertEqual(report["schema"], "spindrift.bench_fft/1")
        self.assertEqual(len(report["results"]), 2 * (len(ALGORITHMS) + 2))  # storages; cufft in two layouts
        for entry in report["results"]:
            if "unavailable" in entry:
                self.assertEqual(entry["algorithm"], "cufft")
                continue
            self.assertTrue(entry["ok"])
            self.assertGreater(entry["gpu_us"]["median"], 0)
            self.assertLess(entry["rel_l2"], entry["gate"])
        rows = (self.folder / "b.csv").read_text(encoding="utf-8").splitlines()
        self.assertEqual(len(rows), 1 + 2 * (len(ALGORITHMS) + 2))
        self.assertTrue(all(row.count(",") == rows[0].count(",") for row in rows))
        self.assertIn("| stockham-radix4 |", (self.folder / "b.md").read_text(encoding="utf-8"))
        self.assertIn("stockham-radix4", result.stdout)

    def test_cufft_says_why_it_is_not_here(self):
        self.accept("doctor", "--json", "d.json")
        cuda = json.loads((self.folder / "d.json").read_text(encoding="utf-8"))["cuda"]
        if cuda["ok"]:
            self.skipTest("this machine has CUDA")
        self.assertTrue(cuda["reason"])
        self.refuse(1, *SMALL, "--algorithm", "cufft", says=["transform cufft", cuda["reason"]])
        result = self.run_program("verify", "--sizes", "16", "--algorithm", "cufft")
        self.assertEqual(result.returncode, 1)
        self.assertIn(cuda["reason"], result.stdout)

    def test_bench_goes_on_without_what_cuda_refuses(self):
        for command, refused in (("fft", "map 1"), ("step", "map 20")):
            installed = install(PROGRAM, self.folder, refused)
            if installed is None:
                self.skipTest("$STAND_IN_CUDA does not name the module that stands in for CUDA")
            program, variables = installed
            result = self.run_program("bench", command, "--sizes", "16", "--algorithm", "stockham-radix4,cufft", "--json",
                                      "b.json", program=program, **variables)
            self.assertEqual(result.returncode, 1, result.stderr)
            entries = json.loads((self.folder / "b.json").read_text(encoding="utf-8"))["results"]
            refusals = [entry["failure"] for entry in entries if "failure" in entry]
            self.assertIn("map: unspecified launch failure (stand-in)", refusals)
            self.assertIn("map: unspecified launch failure (stand-in)", result.stdout)
            for entry in entries:
                if entry.get("algorithm") == "stockham-radix4":
                    self.assertNotIn("failure", entry)

    def test_bench_step(self):
        result = self.accept("bench", "step", "--sizes", "16", "--algorithm", "stockham-radix2,tuned,cufft", "--json",
                             "s.json", "--csv", "s.csv")
        report = json.loads((self.folder / "s.json").read_text(encoding="utf-8"))
        self.assertEqual(report["schema"], "spindrift.bench_step/1")
        self.assertEqual(len(report["results"]), 2 + 4 + 5 + 1 + 2)
        self.assertEqual([entry["mips_only"] for entry in report["results"]], [False] * 13 + [True])
        alone = [entry for entry in report["results"] if entry["algorithm"] == "cufft" and not entry["interop"]]
        self.assertEqual([entry["packing"] for entry in alone], ["vec2", "vec4"])
        self.assertEqual([(entry["storage"], entry["bytes"]) for entry in report["copy_floor"]],
                         [("image", 2 * 16 * 16 * 4 * 8), ("buffer", 2 * 16 * 16 * 4 * 8)])
        for entry in report["copy_floor"]:
            self.assertGreater(entry["gpu_us"]["median"], 0)
        for entry in report["results"]:
            if "unavailable" in entry:
                self.assertEqual(entry["algorithm"], "cufft")
                self.assertTrue(entry["unavailable"])
                continue
            self.assertEqual(entry["mips"], entry["mips_only"])
            self.assertTrue(entry["ok"], entry)
            self.assertGreater(entry["gpu_us"]["median"], 0)
            self.assertLess(entry["rel_l2"], 1e-5)
        self.assertEqual(len((self.folder / "s.csv").read_text(encoding="utf-8").splitlines()), 17)
        for name in ("stockham-radix2", "cufft without interop", "copy (one pass)", "assemble, without mip levels"):
            self.assertIn(name, result.stdout)
        if any("unavailable" in entry for entry in report["results"]):
            reason = next(entry["unavailable"] for entry in report["results"] if "unavailable" in entry)
            self.assertEqual(result.stdout.count(reason), 1, "one reason of all candidates")
        self.refuse(2, "bench", "step", "--fields", "2", says=["--fields 2", "bench step"])
        self.refuse(2, "bench", "fft", "--mips", says=["--mips", "bench step"])
        self.refuse(2, "bench", "step", "--json", "one", "--csv", "./one", says=["--csv ./one", "--json"])
        result = self.accept("bench", "step", "--mips", "--sizes", "16", "--algorithm", "tuned", "--json", "m.json")
        report = json.loads((self.folder / "m.json").read_text(encoding="utf-8"))
        self.assertEqual([entry["mips"] for entry in report["results"]], [True] * 5)
        self.assertNotIn("assemble, without mip levels", result.stdout)

    def test_bench_fft_prints_no_time_of_a_wrong_kernel(self):
        result = self.run_program("bench", "fft", "--table", "3", "--sizes", "16", "--repetitions", "2", "--shader-dir",
                                  self.broken_shaders())
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("failed", result.stdout)
        self.assertIn("FAILED stockham-radix4 vec4 image 16", result.stdout)

    def test_bench_ocean_writes_its_table_three_ways(self):
        result = self.accept("bench", "ocean", "--sizes", "16", "--vertices", "1000", "--frames", "3", "--width", "64",
                             "--height", "48", "--json", "b.json", "--csv", "b.csv", "--markdown", "b.md")
        report = json.loads((self.folder / "b.json").read_text(encoding="utf-8"))
        self.assertEqual(report["schema"], "spindrift.bench_ocean/1")
        for entry in report["results"]:
            if "unavailable" in entry:
                self.assertTrue(entry["unavailable"])
                self.assertIn(f"not run: {entry['unavailable']}\n", result.stdout)
                self.assertIn(f"  {entry['algorithm']} 16\n", result.stdout)
                continue
            self.assertTrue(entry["ok"], entry)
            self.assertEqual(entry["fft_cpu_us"]["samples"], 3)
            self.assertGreater(entry["frame_us"]["median"], 0)
            self.assertGreater(entry["fps"], 0)
            self.assertLess(entry["rel_l2"], 3e-7)
        self.assertEqual(report["results"][0]["fps_gain_percent"], 0)
        rows = list(csv.reader((self.folder / "b.csv").read_text(encoding="utf-8").splitlines()))
        self.assertEqual(len(rows), 1 + len(report["results"]))
        self.assertEqual({len(row) for row in rows}, {len(rows[0])})
        self.assertIn("| stockham-radix4 | 16 |", (self.folder / "b.md").read_text(encoding="utf-8"))

    def test_bench_ocean_prints_no_time_of_a_wrong_kernel(self):
        result = self.run_program("bench", "ocean", "--sizes", "16", "--algorithm", "stockham-radix4", "--vertices",
                                  "1000", "--frames", "1", "--shader-dir", self.broken_shaders())
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("FAILED stockham-radix4 16", result.stdout)
        self.assertIn("above the gate", result.stdout)

    def test_bench_refuses_bad_arguments(self):
        self.refuse(2, "bench", "ocean", "--table", "1", says=["--table 1", "bench fft"])
        self.refuse(2, "bench", "fft", "--vertices", "5000", says=["--vertices 5000", "bench ocean"])
        self.refuse(2, "bench", "ocean", "--vertices", "5", says=["--vertices 5", "1000"])
        self.refuse(2, "bench", "ocean", "--algorithm", "stockham-radix4,x", says=["--algorithm x", "stockham-radix4"])
        self.refuse(1, "bench", "ocean", "--json", "missing/b.json", says=["missing/b.json"])
        self.refuse(2, "bench", says=["WHAT"])
        self.refuse(2, "bench", "sleep", says=["sleep", "fft"])
        self.refuse(2, "bench", "fft", "--table", "4", says=["--table 4", "1 to 3"])
        self.refuse(2, "bench", "fft", "--table", "1", "--fields", "2", says=["--fields 2", "--table 1"])
        self.refuse(2, "bench", "fft", "--repetitions", "0", says=["--repetitions 0", "1 to 10000"])


class Images(GlCase):
    """image: a picture there and back."""

    def picture(self, name="a.png", width=32, height=32):
        """A PNG with a gradient and stripes; returns its rows too."""
        rows = [bytes(v for x in range(width) for v in (x * 255 // width, y * 255 // height, 255 * (x // 4 % 2)))
                for y in range(height)]
        (self.folder / name).write_bytes(encode_png(width, height, 8, 2, rows))
        return rows

    def write(self, name, content):
        (self.folder / name).write_bytes(content)
        return name

    def test_there_and_back(self):
        rows = self.picture()
        for algorithm in ALGORITHMS:
            result = self.accept("image", "a.png", "--algorithm", algorithm, "--size", "32", "--channels", "rgb",
                                 "--spectrum", "s.png", "--restored", "r.png", "--json", "j.json")
            report = json.loads((self.folder / "j.json").read_text(encoding="utf-8"))
            self.assertEqual(report["schema"], "spindrift.image/1")
            self.assertTrue(report["ok"])
            self.assertEqual(report["transform"]["algorithm"], algorithm)
            self.assertGreater(report["round_trip"]["psnr_db"], 100)
            self.assertGreater(report["round_trip"]["rms"], 0)
            self.assertIsNone(report["filtered"])
            self.assertIn("PSNR", result.stdout)
            self.assertEqual(decode_png((self.folder / "r.png").read_bytes()), (32, 32, 3, rows))
        width, height, channels, spectrum = decode_png((self.folder / "s.png").read_bytes())
        self.assertEqual((width, height, channels), (32, 32, 3))
        self.assertEqual(max(max(row) for row in spectrum), 255)
        middle = spectrum[16][48:51]
        self.assertEqual(max(middle), 255, "the mean of the brightest channel stands in the middle")
        # Stripes along x, of the blue channel alone: eight columns a period, so four steps from the middle.
        blue = spectrum[16][3 * 20 + 2]
        self.assertGreater(blue, 200)
        self.assertGreater(blue, spectrum[20][3 * 16 + 2] + 50)
        self.assertEqual(self.files(), ["a.png", "j.json", "r.png", "s.png"])

    def test_photograph_sizes(self):
        for size in (256, 512, 1024):
            self.accept("image", SOURCE / "assets/sample.png", "--size", size, "--channels", "rgb", "--json", "j.json")
            self.assertGreater(json.loads((self.folder / "j.json").read_text())["round_trip"]["psnr_db"], 100)

    def test_padding_is_cut_off_again(self):
        rows = self.picture(width=20, height=9)
        for fit in ("pad", "pad-edge"):
            self.accept("image", "a.png", "--fit", fit, "--channels", "rgb", "--restored", "r.png", "--spectrum", "s.png")
            self.assertEqual(decode_png((self.folder / "r.png").read_bytes()), (20, 9, 3, rows))
            self.assertEqual(decode_png((self.folder / "s.png").read_bytes())[:2], (32, 32))

    def test_filters(self):
        self.picture()
        flat = {}
        for name, flags in (("low", ["--low-pass", "0.1"]), ("high", ["--high-pass", "0.1"]), ("none", [])):
            self.accept("image", "a.png", "--size", "32", *flags, "--restored", "r.png", "--json", "j.json")
            report = json.loads((self.folder / "j.json").read_text())
            self.assertEqual(report["filtered"] is None, name == "none")
            self.assertGreater(report["round_trip"]["psnr_db"], 100)
            row = decode_png((self.folder / "r.png").read_bytes())[3][16]
            flat[name] = max(abs(row[3 * x + 3] - row[3 * x]) for x in range(4, 27))
        self.assertLess(flat["low"], flat["none"] / 2, "a low pass takes the stripes' edges")
        self.assertGreater(flat["high"], flat["none"] / 2)

    def test_kinds_of_pictures(self):
        kinds = {"grey": (8, 0, 1), "grey16": (16, 0, 2), "grey and alpha": (8, 4, 2), "rgb16": (16, 2, 6),
                 "rgba16": (16, 6, 8)}
        for name, (depth, colour_type, bytes_per_pixel) in kinds.items():
            rows = [bytes((x * 7 + y * 13) % 251 for x in range(16 * bytes_per_pixel)) for y in range(16)]
            self.write("a.png", encode_png(16, 16, depth, colour_type, rows))
            result = self.accept("image", "a.png", "--size", "16")
            self.assertIn(f"{depth} bits", result.stdout, name)
            self.assertEqual("laid over black" in result.stdout, colour_type in (4, 6), name)

    def test_bad_pictures(self):
        good = encode_png(16, 16, 8, 2, [bytes(48)] * 16)
        jpeg = b"\xff\xd8\xff\xc0\0\x0b\x08%b%b\x01\x01\x11\0"
        bad = [
            (b"", "the file is empty"),
            (b"this is a text about pictures\n" * 9, "not a PNG, JPEG or BMP"),
            (good[:-20], "cut off"),
            (good[:30], "cut off"),
            (good[:40] + bytes(20) + good[60:], "damaged"),
            (encode_png(0, 0, 8, 2, []), "0 x 0 pixels"),
            (encode_png(100000, 1, 8, 2, []), "100000 x 1 pixels; each side may have 1 to 16384"),
            (encode_png(16384, 16384, 8, 2, []), "268435456 in all; the limit is 67108864"),
            (jpeg % (b"\0\0", b"\0\x08"), "8 x 0 pixels"),
            (jpeg % (b"\0\x08", b"\xff\xff") + b"\xff\xd9", "65535 x 8 pixels"),
            (jpeg % (b"\0\x08", b"\0\x08"), "cut off"),
            (jpeg % (b"\0\x08", b"\0\x08") + b"\xff\xd9", "damaged"),
            (b"BM" + bytes(200), "0 x 0 pixels"),
        ]
        for content, part in bad:
            self.write("bad.png", content)
            self.refuse(1, "image", "bad.png", "--spectrum", "s.png", "--json", "j.json", says=["bad.png", part])
            self.assertEqual(self.files(), ["bad.png"])
        self.refuse(1, "image", "missing.png", says=["missing.png", "No such file"])
        self.refuse(1, "image", ".", says=["Is a directory"])
        self.refuse(1, "image", "/dev/zero", says=["/dev/zero", "bytes"])

    def test_too_large_for_the_transform(self):
        self.write("a.png", encode_png(2049, 1, 8, 0, [bytes(2049)]))
        self.refuse(1, "image", "a.png", "--fit", "pad", says=["2049 x 1", "4096", "2048", "resample"])
        self.refuse(1, "image", "a.png", "--fit", "pad", "--size", "2048", says=["2049 x 1", "2048 x 2048"])
        self.accept("image", "a.png", "--size", "16")

    def test_usage(self):
        self.picture()
        self.refuse(2, "image", says=["IN"])
        self.refuse(2, "image", "", says=["IN"])
        self.refuse(2, "image", "a.png", "b.png", says=["b.png"])
        self.refuse(2, "image", "a.png", "--algorithm", "stockham-radix", says=["--algorithm", "stockham-radix2"])
        self.refuse(2, "image", "a.png", "--fit", "pat", says=["--fit pat", "resample, pad, pad-edge", "did you mean"])
        self.refuse(2, "image", "a.png", "--channels", "cmyk", says=["--channels cmyk", "luminance, rgb"])
        for size in ("100", "8", "4096", "16.0", "-16", ""):
            self.refuse(2, "image", "a.png", "--size", size, says=["--size"])
        for frequency in ("0", "1.01", "-0.5", "nan", "inf", "half", "0.5x", ""):
            self.refuse(2, "image", "a.png", "--low-pass", frequency, says=["--low-pass"])
        self.refuse(2, "image", "a.png", "--low-pass", "0.2", "--high-pass", "0.5",
                    says=["--high-pass 0.5", "--low-pass 0.2", "nothing passes"])
        self.refuse(2, "image", "a.png", "--spectrum", "s.jpg", says=["--spectrum s.jpg", ".png"])
        self.refuse(2, "image", "a.png", "--restored", "", says=["--restored"])

    def test_no_file_replaces_another(self):
        self.picture()
        before = (self.folder / "a.png").read_bytes()
        (self.folder / "link.png").symlink_to("a.png")
        for name in ("a.png", "./a.png", "link.png", self.folder / "a.png"):
            self.refuse(2, "image", "a.png", "--spectrum", name, says=["--spectrum", "IN", "each needs its own"])
            self.refuse(2, "image", "a.png", "--restored", name, says=["--restored", "IN", "each needs its own"])
        self.refuse(2, "image", "a.png", "--restored", "b.png", "--spectrum", "./b.png", says=["--restored", "--spectrum"])
        self.refuse(2, "image", "a.png", "--json", "a.png", says=["--json", "IN"])
        self.refuse(1, "image", "a.png", "--restored", "missing/b.png", says=["missing/b.png"])
        self.refuse(1, "image", "a.png", "--spectrum", "s.png", "--json", "/proc/j.json", says=["/proc/j.json"])
        self.assertEqual((self.folder / "a.png").read_bytes(), before)
        self.assertEqual(self.files(), ["a.png", "link.png"])

    def test_a_broken_kernel_is_seen(self):
        self.picture()
        folder = self.broken_shaders()
        result = self.run_program("image", "a.png", "--channels", "rgb", "--size", "32", "--shader-dir", folder)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("FAILED", result.stdout)


def names():
    for case in (Printing, Usage, Configuration, Doctor, Demo, Recording, Reports, Sweeps, Transforms, Images):
        for test in unittest.defaultTestLoader.getTestCaseNames(case):
            yield f"{case.__name__}.{test}"


def main(arguments):
    if arguments == ["--list"]:
        print("\n".join(names()))
        return 0
    suite = unittest.defaultTestLoader.loadTestsFromNames(arguments or list(names()), sys.modules[__name__])
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    if not result.wasSuccessful():
        return 1
    return 77 if result.skipped and len(result.skipped) == result.testsRun else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
