# SPDX-License-Identifier: Apache-2.0
"""Readers of the dashboard's stream: some that come and go, and one that stays and does not read."""

import random
import socket
import threading
import time

REQUEST = "GET /api/stream HTTP/1.1\r\nHost: {host}:{port}\r\nAccept: text/event-stream\r\n\r\n"
MODES = ["come and go", "come and go", "come and go", "does not read"]


class Readers:
    """Counts what the readers received."""

    def __init__(self, address, seed):
        host, port = address.removeprefix("http://").split(":")
        self._address = (host, int(port))
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self.visits = self.events = self.bytes = self.refused = self.unread = 0
        self._threads = [
            threading.Thread(target=self._stay_silent if mode == "does not read" else self._come_and_go,
                             args=(random.Random(seed + index),), daemon=True)
            for index, mode in enumerate(MODES)
        ]
        for thread in self._threads:
            thread.start()

    def stop(self):
        self._stopping.set()
        for thread in self._threads:
            thread.join(30)

    def _come_and_go(self, generator):
        while not self._stopping.wait(generator.uniform(0, 4)):
            try:
                with self._open() as stream:
                    self._read(stream, time.monotonic() + generator.uniform(1, 15))
            except OSError:
                self._add(refused=1)

    def _read(self, stream, end):
        head = stream.recv(4_096)
        if not head.startswith(b"HTTP/1.1 200"):
            self._add(refused=1)
            return
        self._add(visits=1, events=head.count(b"event: tick"), bytes=len(head))
        while time.monotonic() < end and not self._stopping.is_set():
            part = stream.recv(65_536)
            if not part:
                return
            self._add(events=part.count(b"event: tick"), bytes=len(part))

    def _stay_silent(self, generator):
        """The server may drop a reader that does not read, so another one comes after some time."""
        while not self._stopping.is_set():
            try:
                with self._open(receive_buffer=4_096):
                    self._add(unread=1)
                    self._stopping.wait(generator.uniform(100, 200))
            except OSError:
                self._add(refused=1)
                self._stopping.wait(1)

    def _open(self, receive_buffer=None):
        stream = socket.socket()
        if receive_buffer:
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        stream.settimeout(30)
        try:
            stream.connect(self._address)
            host, port = self._address
            stream.sendall(REQUEST.format(host=host, port=port).encode())
        except OSError:
            stream.close()
            raise
        return stream

    def _add(self, **counts):
        with self._lock:
            for name, count in counts.items():
                setattr(self, name, getattr(self, name) + count)
