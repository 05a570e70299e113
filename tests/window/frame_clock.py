"""Counts a window's frames from outside, so that a test waits for frames and not for the clock.

A window says that it has looked at its events by answering _NET_WM_PING (freedesktop.org's window manager specification);
GLFW does it whenever it polls. The next ping leaves after the answer, so that it meets a later poll: n answers in a row
prove that n - 1 whole frames were drawn in between. However slow a machine is, events that are so far apart reach frames
of their own.

libX11 by ctypes: xdotool needs that library anyway, and a Python of the user's own does not see Debian's modules.
"""

import ctypes
import select
import time

CLIENT_MESSAGE, SUBSTRUCTURE_NOTIFY_MASK = 33, 1 << 19  # X.h


class ClientMessage(ctypes.Structure):
    """XClientMessageEvent of Xlib.h with a format of 32 bits."""
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
                ("display", ctypes.c_void_p), ("window", ctypes.c_ulong), ("message_type", ctypes.c_ulong),
                ("format", ctypes.c_int), ("data", ctypes.c_long * 5)]


class Event(ctypes.Union):
    """XEvent of Xlib.h."""
    _fields_ = [("message", ClientMessage), ("padding", ctypes.c_long * 24)]


# Xlib's own handler ends the process, and a window that is gone is the caller's to notice.
ERROR_HANDLER = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(lambda display, error: 0)


def load_xlib():
    """Raises OSError where there is no libX11."""
    library = ctypes.CDLL("libX11.so.6")
    library.XOpenDisplay.restype = ctypes.c_void_p
    library.XInternAtom.restype = ctypes.c_ulong
    library.XDefaultRootWindow.restype = ctypes.c_ulong
    library.XSetErrorHandler(ERROR_HANDLER)
    return library


class FrameClock:
    def __init__(self, window):
        """window: the X window's number. Raises OSError when the display of $DISPLAY cannot be opened."""
        self.xlib = load_xlib()
        display = self.xlib.XOpenDisplay(None)
        if not display:
            raise OSError("the X display cannot be opened")
        self.display = ctypes.c_void_p(display)
        self.window = ctypes.c_ulong(int(window))
        # The answer goes to the root window, where a window manager would read it.
        root = ctypes.c_ulong(self.xlib.XDefaultRootWindow(self.display))
        self.xlib.XSelectInput(self.display, root, ctypes.c_long(SUBSTRUCTURE_NOTIFY_MASK))
        self.protocols = self.xlib.XInternAtom(self.display, b"WM_PROTOCOLS", 0)
        self.ping = self.xlib.XInternAtom(self.display, b"_NET_WM_PING", 0)
        self.sent = 0

    def close(self):
        self.xlib.XCloseDisplay(self.display)

    def wait(self, frames, still_runs, seconds=60):
        """Waits until so many whole frames were drawn. still_runs is called now and then and may raise.

        Raises TimeoutError if the window has not looked at its events for so long.
        """
        for _ in range(frames + 1):
            self._send()
            deadline = time.monotonic() + seconds
            while not self._answered():
                still_runs()
                if time.monotonic() > deadline:
                    raise TimeoutError(f"the window has not looked at its events for {seconds} s")

    def _send(self):
        self.sent += 1
        event = Event()
        event.message.type = CLIENT_MESSAGE
        event.message.window = self.window
        event.message.message_type = self.protocols
        event.message.format = 32
        event.message.data[:] = [self.ping, self.sent, self.window.value, 0, 0]
        self.xlib.XSendEvent(self.display, self.window, 0, ctypes.c_long(0), ctypes.byref(event))
        self.xlib.XFlush(self.display)

    def _answered(self):
        if not self.xlib.XPending(self.display):
            select.select([self.xlib.XConnectionNumber(self.display)], [], [], 0.1)
        event = Event()
        while self.xlib.XPending(self.display):
            self.xlib.XNextEvent(self.display, ctypes.byref(event))
            message = event.message
            if (message.type == CLIENT_MESSAGE and message.message_type == self.protocols and
                    list(message.data[:2]) == [self.ping, self.sent]):
                return True
        return False
