#!/usr/bin/env python3
"""The demo in its real window, driven by xdotool as a user would: keys, clicks, sizes.

    SPINDRIFT=build/bin/spindrift tests/window/demo_window_tests.py [CLASS.test ...]
    tests/window/demo_window_tests.py --list

Needs an X display (Xvfb will do) and xdotool; exit code 77 tells CTest that a test was skipped.
"""

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True  # the source tree stays as it is
sys.path.append(str(Path(__file__).resolve().parent.parent / "stand_in"))
from frame_clock import FrameClock  # noqa: E402
from install import install  # noqa: E402

SOURCE = Path(__file__).resolve().parent.parent.parent
PROGRAM = Path(os.environ.get("SPINDRIFT", SOURCE / "build/bin/spindrift")).resolve()
SHADER_CACHE = PROGRAM.parent.parent / "shader_cache"
WIDTH, HEIGHT = 1000, 700
# Positions in the panel at scale 1, pixels from the window's top left corner.
ALGORITHM_LIST, SIZE_LIST = (120, 152), (120, 175)
VERIFY_BUTTON = (45, 296)
TUNED_VERIFY_BUTTON, FUSED_BOX = (45, 342), (25, 245)  # with the algorithm tuned
PANEL_TITLE = (200, 18)
TUNE_BUTTON = (33, 365)  # with the algorithm tuned; while it tunes, the button that cancels
CUFFT_ENTRY = 5  # in the list of algorithms
FIRST_ENTRY_BELOW, ENTRY_HEIGHT = 21, 17
PICTURE_BUTTON, SAMPLE_BUTTON, LOW_PASS = (265, 46), (867, 46), (480, 132)
PICTURE_PATH, OPEN_BUTTON = (500, 46), (817, 46)


def xdotool(*arguments):
    return subprocess.run(["xdotool", *map(str, arguments)], check=True, capture_output=True, text=True).stdout


class DemoWindow(unittest.TestCase):
    def setUp(self):
        if not os.environ.get("DISPLAY"):
            self.skipTest("no X display")
        if shutil.which("xdotool") is None:
            self.skipTest("xdotool is not installed")
        self.folder = Path(tempfile.mkdtemp(prefix="spindrift-window-"))
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.process = None

    def launch(self, *arguments, report=True, program=PROGRAM, **variables):
        """Only starts the program: of one that may end before it has drawn a frame."""
        environment = dict(os.environ, XDG_CONFIG_HOME=str(self.folder / "config"),
                           XDG_CACHE_HOME=str(self.folder / "cache"), **variables)
        environment.setdefault("MESA_SHADER_CACHE_DIR", str(SHADER_CACHE))
        command = [program, "--width", WIDTH, "--height", HEIGHT, "--size", 32, "--vertices", 2000, "--ui-scale", 1,
                   "--warmup", 0, "--gl-debug", *(["--report", "report.json"] if report else []), *arguments]
        self.log = open(self.folder / "log.txt", "w+")
        self.process = subprocess.Popen(list(map(str, command)), cwd=self.folder, env=environment, stderr=self.log)
        self.addCleanup(self.log.close)
        self.addCleanup(self.process.wait)  # cleanups run from the last to the first: its window must be gone
        self.addCleanup(self.process.kill)

    def start(self, *arguments, **how):
        """Starts the program as launch() does, and waits until its window draws."""
        self.launch(*arguments, **how)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            found = subprocess.run(["xdotool", "search", "--onlyvisible", "--name", "^Spindrift$"], capture_output=True,
                                   text=True).stdout.split()
            if found:
                self.window = found[0]
                break
            self.assertIsNone(self.process.poll(), self.messages())
            time.sleep(0.2)
        else:
            self.fail("no window within a minute")
        self.clock = FrameClock(self.window)
        self.addCleanup(self.clock.close)
        self.settle()
        xdotool("windowfocus", self.window)
        self.settle()

    def still_runs(self):
        self.assertIsNone(self.process.poll(), self.messages())

    def pause(self, seconds=0.2):
        time.sleep(seconds)
        self.still_runs()

    def settle(self):
        """Until the events that were sent have met frames of their own.

        The panel needs four at most: one takes the event, one opens what it opens, one measures that, one shows it.
        """
        self.clock.wait(5, self.still_runs)

    def wait_for_pictures(self, pattern, count, why=""):
        """A loaded machine may take many frames' time for one frame: waits for the files, not for the clock."""
        deadline = time.monotonic() + 40
        while len(found := sorted(path.name for path in self.folder.glob(pattern))) < count:
            self.assertLess(time.monotonic(), deadline, f"{found} {why} {self.messages()}")
            self.pause()
        self.assertEqual(len(found), count, f"{found} {why}")
        return found

    def messages(self):
        self.log.seek(0)
        return self.log.read()

    def press(self, key):
        xdotool("key", "--window", self.window, key)
        self.settle()

    def click(self, position):
        xdotool("mousemove", "--window", self.window, *position)
        self.settle()
        xdotool("mousedown", 1)
        self.settle()
        xdotool("mouseup", 1)
        self.settle()

    def choose(self, list_position, entry):
        x, y = list_position
        self.click(list_position)
        self.click((x, y + FIRST_ENTRY_BELOW + entry * ENTRY_HEIGHT))

    def close(self, code=0):
        self.press("Escape")
        xdotool("key", "--window", self.window, "Escape")
        self.assertEqual(self.process.wait(timeout=60), code, self.messages())

    def quit(self):
        """Esc closes the panel, then ends the program. Returns the report that it leaves."""
        self.press("Escape")
        xdotool("key", "--window", self.window, "Escape")
        self.assertEqual(self.process.wait(timeout=60), 0, self.messages())
        report = json.loads((self.folder / "report.json").read_text())
        self.assertEqual(report["debug"]["errors"], 0, self.messages())
        return report

    def shaders_with(self, file, right, wrong):
        """A folder of shaders, one of which has `wrong` in the place of `right`."""
        folder = self.folder / "shaders"
        shutil.copytree(SOURCE / "shaders", folder)
        text = (folder / file).read_text()
        self.assertIn(right, text)
        (folder / file).write_text(text.replace(right, wrong))
        return folder

    def layout(self):
        file = self.folder / "config/spindrift/panel.ini"
        return file.read_text() if file.exists() else ""

    def test_a_tiny_window_leaves_the_layout_as_it_was(self):
        tiny = ("--width", 200, "--height", 150)
        self.start(*tiny)
        self.quit()
        self.assertEqual(self.layout(), "")
        self.start()
        xdotool("mousemove", "--window", self.window, *PANEL_TITLE)
        # A press, a move and a release that come to one frame are no drag.
        for event in (("mousedown", 1), ("mousemove_relative", 60, 40), ("mouseup", 1)):
            self.settle()
            xdotool(*event)
        self.settle()
        self.quit()
        chosen = self.layout()
        self.assertEqual(chosen, "[Window][Spindrift]\nPos=69,49\n\n")
        self.start(*tiny)
        self.click((60, 60))  # into the panel
        self.quit()
        self.assertEqual(self.layout(), chosen)

    def test_clicks_switch_algorithm_and_size(self):
        self.start("--algorithm", "stockham-radix4")
        self.choose(ALGORITHM_LIST, 0)
        self.choose(SIZE_LIST, 2)
        report = self.quit()
        self.assertEqual(report["run"]["algorithm"], "cooley-tukey-stages")
        self.assertEqual(report["run"]["size"], 64)

    def verify_now(self, count=1, button=VERIFY_BUTTON):
        """Clicks and waits until so many checks have ended."""
        self.click(button)
        deadline = time.monotonic() + 60
        while len(ended := re.findall("(?:info: verified|error: verification failed:) .*", self.messages())) < count:
            self.assertLess(time.monotonic(), deadline, f"no check ended: {self.messages()}")
            self.pause()
        return ended[-1]

    def test_verify_now_checks_what_runs(self):
        self.start("--algorithm", "cooley-tukey", "--packing", "vec2")
        first = self.verify_now()
        self.assertIn("verified cooley-tukey vec2 image inverse 32: relative L2 ", first)
        self.assertIn("gate 3e-07", first)
        self.choose(ALGORITHM_LIST, 3)
        self.assertIn("verified stockham-radix4 vec2 image inverse 32: relative L2 ", self.verify_now(2))
        report = self.quit()
        self.assertEqual(report["run"]["algorithm"], "stockham-radix4")

    def test_verify_now_checks_a_fused_step_as_one(self):
        self.start("--algorithm", "tuned")
        fused = self.verify_now(button=TUNED_VERIFY_BUTTON)
        self.assertIn("verified tuned vec4 image inverse 32 fused: relative L2 ", fused)
        self.assertIn("gate 1e-05", fused)
        self.click(FUSED_BOX)
        unfused = self.verify_now(2, button=TUNED_VERIFY_BUTTON)
        self.assertIn("verified tuned vec4 image inverse 32: relative L2 ", unfused)
        self.assertIn("gate 3e-07", unfused)
        self.quit()

    def test_verify_now_finds_a_broken_kernel_and_the_sea_goes_on(self):
        shaders = self.shaders_with("fft/stockham_radix2.comp", "a - b", "a + b")
        self.start("--algorithm", "stockham-radix2", "--shader-dir", shaders)
        self.assertIn("is above the gate 3e-07", self.verify_now())
        self.press("F12")
        self.wait_for_pictures("spindrift-*.png", 1, "the sea stands still")
        self.quit()

    def test_every_key(self):
        self.start("--sea", "calm")
        for key in ["Tab", "Tab", "h", "h", "F1", "F1", "Home", "r", "F11", "F11"]:
            self.press(key)
        self.press("space")
        self.press("F12")
        self.wait_for_pictures("spindrift-calm-*.png", 1)
        self.press("F12")
        self.wait_for_pictures("spindrift-calm-*.png", 2)
        self.wait_for_pictures("spindrift-calm-*s-2.png", 1, "time went on while paused")
        self.press("period")
        self.press("F12")
        self.wait_for_pictures("spindrift-calm-*.png", 3)
        self.wait_for_pictures("spindrift-calm-*s-2.png", 1, "the step did not move time")
        self.press("space")
        self.press("bracketright")
        self.press("bracketright")
        self.press("bracketleft")
        self.press("F12")
        self.wait_for_pictures("spindrift-*.png", 4)
        self.wait_for_pictures("spindrift-gale-*.png", 1)
        self.quit()

    def test_a_screenshot_with_shift_has_the_panel(self):
        self.start("--sea", "calm")
        self.press("space")
        for key, count in (("F12", 1), ("F12", 2), ("shift+F12", 3)):
            self.press(key)
            self.wait_for_pictures("spindrift-calm-*.png", count)
        pictures = sorted(self.folder.glob("spindrift-calm-*.png"), key=lambda path: path.stat().st_mtime_ns)
        bare, again, with_panel = (path.read_bytes() for path in pictures)
        self.assertTrue(bare == again, "a paused sea moved")
        self.assertFalse(bare == with_panel, "the panel is missing")
        self.quit()

    def test_picture_there_and_back(self):
        self.start()
        self.click(PICTURE_BUTTON)
        self.click(SAMPLE_BUTTON)
        self.wait_for_message("sample.png: there and back with")
        decibels = float(self.messages().split("there and back with ")[1].split()[0])
        self.assertGreater(decibels, 100)
        self.click(LOW_PASS)
        self.quit()

    def test_picture_by_path_and_a_bad_file_is_told(self):
        name = self.folder / "x"
        name.write_text("no picture")
        self.start()
        self.click(PICTURE_BUTTON)
        self.click(PICTURE_PATH)
        xdotool("type", "x")
        self.settle()
        self.click(OPEN_BUTTON)
        self.wait_for_message("error: cannot read x: it is not a PNG, JPEG or BMP file")
        shutil.copy(SOURCE / "assets/sample.png", name)
        self.click(OPEN_BUTTON)
        self.wait_for_message("x: there and back with 1")
        self.quit()

    def test_mouse_and_keys_move_the_camera(self):
        self.start()
        xdotool("mousemove", "--window", self.window, 500, 500)
        self.settle()
        xdotool("mousedown", 3)
        self.settle()
        xdotool("mousemove_relative", "--", 60, 0)
        xdotool("keydown", "w")
        self.pause(1.5)
        xdotool("keyup", "w")
        xdotool("mouseup", 3)
        self.settle()
        parameters = self.quit()["run"]["parameters"]
        self.assertNotEqual(parameters["camera_yaw"], 0)
        self.assertLess(parameters["camera_z"], -0.5)

    def wait_for_message(self, text, seconds=60):
        deadline = time.monotonic() + seconds
        while text not in self.messages():
            self.assertLess(time.monotonic(), deadline, f"no {text!r} in {self.messages()}")
            self.pause()

    def searches(self):
        """Processes that search for kernels and were started by this window, or have lost it."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                command = (folder / "cmdline").read_bytes().split(b"\0")
                parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except (OSError, ValueError, IndexError):  # it has ended meanwhile
                continue
            if b"--progress" in command and parent in (self.process.pid, 1):
                found.append(folder.name)
        return found

    def wisdom_files(self):
        return list((self.folder / "cache/spindrift/wisdom").glob("*.json"))

    def test_effort_tunes_while_the_sea_runs(self):
        # The recording of the run waits for it.
        self.start("--algorithm", "tuned", "--fused", "off", "--size", 16, "--packing", "vec2", "--storage", "buffer",
                   "--effort", "measure")
        self.wait_for_message("tuning begins: 16 buffer vec2 4 fields, effort measure, in a process of its own", 120)
        self.press("F12")
        self.wait_for_pictures("spindrift-*.png", 1, "the sea stands still")
        self.wait_for_message("info: wisdom: ", 500)
        [file] = self.wisdom_files()
        [entry] = json.loads(file.read_text())["entries"]
        self.assertEqual((entry["size"], entry["effort"]), (16, "measure"))
        self.assertNotIn("tuning failed", self.messages())
        self.pause(1)
        self.quit()
        self.assertEqual(self.messages().count("tuning begins"), 1)
        self.assertNotIn("in this process", self.messages())
        self.assertEqual(self.searches(), [])

    def test_a_search_whose_process_is_lost_begins_anew_here(self):
        self.start("--algorithm", "tuned", "--fused", "off", "--size", 16, "--packing", "vec2", "--storage", "buffer",
                   "--effort", "measure")
        self.wait_for_message("in a process of its own")
        [process] = self.searches()
        os.kill(int(process), signal.SIGKILL)
        self.wait_for_message("tuning begins anew in this process, and may hold up frames: ", 120)
        self.assertIn("has ended with signal 9", self.messages())
        self.wait_for_message("info: wisdom: ", 500)
        self.assertEqual(len(self.wisdom_files()), 1)
        self.close()

    def test_a_recording_that_waits_for_a_search_which_fails_is_none(self):
        shaders = self.shaders_with("fft/tuned_store.glsl", "target_elements[index] = texel;",
                                    "target_elements[index] = 1.01 * texel;")
        self.launch("--algorithm", "tuned", "--fused", "off", "--size", 16, "--packing", "vec2", "--storage", "buffer",
                    "--effort", "measure", "--frames", 5, "--shader-dir", shaders)
        self.assertEqual(self.process.wait(timeout=300), 1, self.messages())
        self.assertIn("--effort measure: tuning 16 buffer vec2 4 fields failed: none of ", self.messages())
        self.assertFalse((self.folder / "report.json").exists())

    def test_a_search_ends_with_its_window(self):
        for end in (self.close, lambda: self.process.kill()):
            self.start("--algorithm", "tuned", "--size", 64, "--effort", "patient", report=False)
            self.wait_for_message("in a process of its own")
            self.assertEqual(len(self.searches()), 1)
            end()
            self.process.wait(timeout=60)
            # One that was not ended notices at its next word that nobody listens.
            deadline = time.monotonic() + 60
            while self.searches():
                self.assertLess(time.monotonic(), deadline, self.messages())
                time.sleep(0.2)
            self.assertEqual(self.wisdom_files(), [])

    def test_tuning_is_cancelled_by_its_button_another_size_and_a_recording(self):
        self.start("--algorithm", "tuned", "--size", 64, "--record-frames", 3, "--record-seconds", 0, report=False)
        for count, (cancel, why) in enumerate([(lambda: self.click(TUNE_BUTTON), "you ended it"),
                                               (lambda: self.choose(SIZE_LIST, 1), "another transform runs now"),
                                               (lambda: self.press("F9"), "a recording must not be disturbed")], 1):
            self.click(TUNE_BUTTON)
            self.wait_for_count("tuning begins", count)
            cancel()
            self.wait_for_message(f"tuning was cancelled: {why}")
        self.wait_for_pictures("*.csv", 1)
        self.assertEqual(self.messages().count("tuning begins"), 3)
        self.assertEqual(self.wisdom_files(), [])
        self.close()

    def test_a_run_that_ends_before_its_effort_is_done(self):
        for arguments, code in (([], 0), (["--frames", 5], 1)):
            self.start("--algorithm", "tuned", "--size", 64, "--effort", "patient", *arguments)
            self.wait_for_message("tuning begins")
            self.process.terminate()
            self.assertEqual(self.process.wait(timeout=60), code, self.messages())
            self.assertIn("tuning was cancelled: SIGTERM", self.messages())
            self.assertEqual((self.folder / "report.json").exists(), code == 0, self.messages())
            (self.folder / "report.json").unlink(missing_ok=True)
            self.assertEqual(self.wisdom_files(), [])

    def wait_for_count(self, text, count):
        deadline = time.monotonic() + 60
        while self.messages().count(text) < count:
            self.assertLess(time.monotonic(), deadline, f"no {count} x {text!r} in {self.messages()}")
            self.pause()

    def recording(self, name):
        return json.loads((self.folder / name).read_text())

    def test_f9_records_into_files_of_their_own(self):
        self.start("--sea", "calm", "--record-frames", 6, "--record-seconds", 0, "--camera-path", "turn", report=False)
        stem = "spindrift-calm-stockham-radix4-32"
        self.press("F9")
        self.wait_for_pictures("*.csv", 1)
        self.press("F9")
        self.wait_for_pictures("*.csv", 2)
        self.assertEqual(sorted(path.name for path in self.folder.glob("*.json")), [f"{stem}-2.json", f"{stem}.json"])
        for name in (f"{stem}.json", f"{stem}-2.json"):
            report = self.recording(name)
            self.assertEqual(report["frame"]["frames"], 6)
            self.assertEqual(report["recorder"]["ended_by"], "frames")
            self.assertGreater(report["run"]["dt"], 0, "steps must not follow the clock")
            self.assertIn("ui", report["passes"])
            self.assertIsNotNone(report["frame"]["present_ms"]["median"])
            line = report["run"]["command_line"]
            for part in ("--camera-path turn", "--frames 6", f"--report {name}"):
                self.assertIn(part, line)
            rows = list(csv.DictReader(open(self.folder / name.replace(".json", ".csv"), newline="")))
            self.assertEqual(len(rows), 6)
            self.assertGreaterEqual(float(rows[1]["MsInPresentAPI"]), 0)
        self.assertIn(str(self.folder / f"{stem}.json"), self.messages())
        self.close()

    def test_f9_again_ends_a_recording_and_a_change_begins_it_anew(self):
        self.start("--record-frames", 0, "--record-seconds", 0, "--algorithm", "stockham-radix4", report=False)
        self.press("F9")
        self.wait_for_message("recording begins")
        self.choose(ALGORITHM_LIST, 0)
        self.wait_for_message("the recording begins again: another algorithm")
        self.press("F9")
        [name] = self.wait_for_pictures("*.json", 1)
        report = self.recording(name)
        self.assertEqual(report["recorder"]["ended_by"], "stopped")
        self.assertEqual(report["recorder"]["last_restart"], "another algorithm")
        self.assertEqual(report["run"]["algorithm"], "cooley-tukey-stages")
        self.assertIn("fft.horizontal", report["passes"])
        self.close()

    def test_a_recording_has_no_fused_and_unfused_frames_together(self):
        self.start("--record-frames", 0, "--record-seconds", 0, "--algorithm", "tuned", report=False)
        self.press("F9")
        self.wait_for_message("recording begins")
        self.click(FUSED_BOX)
        self.wait_for_message("the recording begins again: no longer fused")
        self.settle()
        self.press("F9")
        [name] = self.wait_for_pictures("*.json", 1)
        report = self.recording(name)
        self.assertEqual(report["recorder"]["last_restart"], "no longer fused")
        self.assertEqual(report["passes"]["evolve"]["samples"], report["passes"]["fft.horizontal"]["samples"])
        self.close()

    def test_closing_during_a_recording_leaves_no_file(self):
        self.start("--record-frames", 100000, "--record-seconds", 0, report=False)
        self.press("F9")
        self.wait_for_message("recording begins")
        self.process.terminate()
        self.assertEqual(self.process.wait(timeout=60), 0, self.messages())
        self.assertIn("SIGTERM during a recording: it is incomplete, nothing was written", self.messages())
        self.assertEqual([path.name for path in self.folder.glob("spindrift-*")], [])

    def test_a_measured_run_that_is_cut_short_leaves_the_old_report(self):
        (self.folder / "report.json").write_text("old")
        self.start("--frames", 100000)
        self.press("F12")
        self.wait_for_pictures("spindrift-*.png", 1)  # from here on it draws, and signals are looked at
        self.process.terminate()
        self.assertEqual(self.process.wait(timeout=60), 1, self.messages())
        self.assertIn("the run is incomplete, nothing was written", self.messages())
        self.assertEqual((self.folder / "report.json").read_text(), "old")

    def with_stand_in_for_cuda(self, refused):
        """How to start a copy of the program whose CUDA module accepts everything until it refuses that call."""
        installed = install(PROGRAM, self.folder, refused)
        if installed is None:
            self.skipTest("$STAND_IN_CUDA does not name the module that stands in for CUDA")
        program, variables = installed
        return {"program": program, **variables}

    def test_the_sea_goes_on_when_cuda_gives_up_in_the_middle_of_a_frame(self):
        for refused, frames_to_a_switch in (("map 10", 1), ("transform 20", 1), ("unmap 7", 4)):
            with self.subTest(refused):
                how = self.with_stand_in_for_cuda(refused)
                self.start("--algorithm", "cufft", "--interop-frames", frames_to_a_switch, **how)
                self.wait_for_message(f"stockham-radix4 took over from cufft: {refused.split()[0]}: unspecified launch failure")
                self.settle()
                self.choose(ALGORITHM_LIST, CUFFT_ENTRY)  # greyed: nothing comes of it
                self.click(ALGORITHM_LIST)  # closes the list
                self.assertIn("verified stockham-radix4 vec2 buffer inverse 32: ", self.verify_now())
                self.assertEqual(self.quit()["run"]["algorithm"], "stockham-radix4")
                self.assertEqual(self.messages().count("took over"), 1)

    def test_a_run_of_fixed_length_ends_when_cuda_gives_up(self):
        self.launch("--algorithm", "cufft", "--frames", 100000, **self.with_stand_in_for_cuda("map 10"))
        self.assertEqual(self.process.wait(timeout=60), 1, self.messages())
        self.assertIn("cufft: map: unspecified launch failure (stand-in); the run is incomplete, nothing was recorded",
                      self.messages())
        self.assertFalse((self.folder / "report.json").exists())

    def test_cuda_that_refuses_from_the_start_is_exit_code_1(self):
        for refused, message in (("connect", "CUDA and this OpenGL context do not go together"), ("attach", ""),
                                 ("create_plan", "")):
            with self.subTest(refused):
                self.launch("--algorithm", "cufft", **self.with_stand_in_for_cuda(f"{refused} 1"))
                self.assertEqual(self.process.wait(timeout=60), 1, self.messages())
                self.assertIn(message, self.messages())
                self.assertIn(f"{refused}: unspecified launch failure (stand-in)", self.messages())
                self.assertFalse((self.folder / "report.json").exists())

    def test_termination_still_writes_the_report(self):
        self.start()
        self.process.terminate()
        self.assertEqual(self.process.wait(timeout=60), 0, self.messages())
        self.assertGreater(json.loads((self.folder / "report.json").read_text())["frame"]["frames"], 0)

    def test_a_picture_that_cannot_be_written_is_told(self):
        self.start()
        for path in self.folder.iterdir():
            path.unlink() if path.is_file() else shutil.rmtree(path)
        self.folder.rmdir()
        self.press("F12")
        deadline = time.monotonic() + 30
        while "cannot write" not in self.messages() and time.monotonic() < deadline:
            self.pause()
        self.assertIn("cannot write", self.messages())
        self.assertIsNone(self.process.poll())

    def test_resize_to_almost_nothing_and_back(self):
        self.start()
        for width, height in [(1, 1), (900, 600), (300, 900), (2, 500), (WIDTH, HEIGHT)]:
            xdotool("windowsize", self.window, width, height)
            self.settle()
        xdotool("windowunmap", self.window)
        self.settle()
        xdotool("windowmap", self.window)
        self.settle()
        xdotool("windowfocus", self.window)
        self.press("F12")
        self.wait_for_pictures("spindrift-*.png", 1)
        report = self.quit()
        self.assertEqual((report["run"]["width"], report["run"]["height"]), (WIDTH, HEIGHT))


class DemoWindowShort(unittest.TestCase):
    def test_second_start_compiles_nothing(self):
        if not os.environ.get("DISPLAY"):
            self.skipTest("no X display")
        with tempfile.TemporaryDirectory(prefix="spindrift-window-") as folder:
            environment = dict(os.environ, XDG_CONFIG_HOME=folder, XDG_CACHE_HOME=folder + "/cache")
            command = [PROGRAM, "--width", "320", "--height", "200", "--size", "32", "--vertices", "2000", "--frames", "2",
                       "--log-level", "debug"]
            logs = [subprocess.run(command, cwd=folder, env=environment, check=True, timeout=120, text=True,
                                   stderr=subprocess.PIPE).stderr for _ in range(2)]
            if "no format for program binaries" in logs[0]:
                self.skipTest("the driver has no format for program binaries")
            counts = [re.search("shader programs: ([0-9]+) compiled, ([0-9]+) from the cache", log) for log in logs]
            self.assertEqual(counts[0][2], "0")
            self.assertEqual((counts[1][1], counts[1][2]), ("0", counts[0][1]))
            kept = list(Path(folder, "cache/spindrift/shaders").glob("*.program"))
            self.assertEqual(len(kept), int(counts[0][1]))

    def test_fixed_frames_report_every_pass(self):
        if not os.environ.get("DISPLAY"):
            self.skipTest("no X display")
        with tempfile.TemporaryDirectory(prefix="spindrift-window-") as folder:
            environment = dict(os.environ, XDG_CONFIG_HOME=folder, XDG_CACHE_HOME=folder, MESA_SHADER_CACHE_DIR=str(SHADER_CACHE))
            command = [PROGRAM, "--width", "320", "--height", "200", "--size", "32", "--vertices", "2000", "--frames", "5",
                       "--dt", "0.02", "--warmup", "2", "--screenshot", "last.png", "--report", "report.json"]
            subprocess.run(command, cwd=folder, env=environment, check=True, timeout=120)
            report = json.loads((Path(folder) / "report.json").read_text())
            self.assertEqual(report["frame"]["frames"], 5)
            self.assertTrue({"evolve", "fft.horizontal", "fft.vertical", "assemble", "mips", "sky", "surface", "post", "ui"}
                            <= set(report["passes"]))
            self.assertTrue((Path(folder) / "last.png").stat().st_size > 1000)


def all_tests():
    loader = unittest.defaultTestLoader
    return [f"{case.__name__}.{name}" for case in (DemoWindow, DemoWindowShort) for name in loader.getTestCaseNames(case)]


if __name__ == "__main__":
    if sys.argv[1:] == ["--list"]:
        print("\n".join(all_tests()))
        sys.exit(0)
    suite = unittest.defaultTestLoader.loadTestsFromNames(sys.argv[1:] or all_tests(), sys.modules[__name__])
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    if not result.wasSuccessful():
        sys.exit(1)
    sys.exit(77 if result.testsRun and len(result.skipped) == result.testsRun else 0)
