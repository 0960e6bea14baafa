# SPDX-License-Identifier: Apache-2.0
"""Profiles as `/api/profile` responds with them. They are deterministic."""
import random

RATE = 97
# The stacks of the fake shop: frames from the root, each (kind, name, module, file, line, guessed), then samples and seconds of waiting.
FILE = "/build/Sources/Shop/Cart.swift"
CONTEXT, CLIENT, DISK = ("context", "CheckoutContext.pay"), ("client", "CartClient.add"), ("capability", "FileStorage.write")
STACKS = [
    ([CONTEXT, CLIENT, ("function", "CartClient.total(of:)", "Shop", FILE, 40), ("function", "Price.parse(_:)", "Shop", FILE, 88)], 420, 0),
    ([CONTEXT, CLIENT, ("function", "CartClient.total(of:)", "Shop", FILE, 40)], 130, 0),
    ([CONTEXT, CLIENT, ("function", "CartClient.walk(_:)", "Shop", FILE, 52), ("function", "CartClient.walk(_:)", "Shop", FILE, 52)], 90, 0),
    ([CONTEXT, CLIENT, DISK, ("function", "memcpy", "libc.so.6"), ], 60, 0),
    ([CONTEXT, CLIENT, DISK, ("missing", "callers of a library without frame pointers"), ("function", "deflate", "libz.so.1")], 45, 0),
    ([CONTEXT, CLIENT, DISK, ("function", "FileStorage.flush()", "Shop", FILE, 130, True), ("function", "crc32", "libz.so.1")], 25, 0),
    ([CONTEXT, CLIENT, ("wait", "waits for FileStorage")], 0, 6.2),
    ([CONTEXT, ("wait", "waits for CartClient")], 0, 2.9),
    ([("client", "UserClient.signIn"), ("function", "SHA256.hash(data:)", "Crypto")], 160, 0),
    ([("client", "UserClient.signIn"), ("wait", "waits for HTTPNetwork")], 0, 1.1),
    ([("request", "GET /cart"), ("context", "CartContext.load"), ("function", "JSONEncoder.encode(_:)", "Foundation")], 75, 0),
    ([("work", "Activate CartContext"), ("function", "swift_retain", "libswiftCore.so")], 12, 0),
    ([("outside", "outside of actions"), ("function", "main", "Shop"), ("function", "swift_release", "libswiftCore.so")], 143, 0),
]


def make(stacks=STACKS, start=1795269940, end=1795270000, allocations=False, lost=0, scale=1):
    """A profile of stacks. `scale` multiplies what they used."""
    frames, indices, rows = [], {}, []
    for path, samples, waiting in stacks:
        for frame in path:
            if frame not in indices:
                indices[frame] = len(frames)
                kind, name, module, file, line, guessed = (*frame, *[None] * (6 - len(frame)))
                frames.append({"kind": kind, "name": name, "module": module, "file": file, "line": line, "guessed": bool(guessed)})
        bytes_ = samples * (1 << 19) if allocations else 0
        rows.append({"frames": [indices[frame] for frame in path], "samples": samples * scale, "processor": samples * scale / RATE,
                     "waiting": waiting * scale, "allocated": bytes_ * scale, "live": bytes_ // 8 * scale})
    outside = sum(row["samples"] for row in rows if frames[row["frames"][0]]["kind"] == "outside") if rows else 0
    return {
        "schema": "axiom/profile", "version": 1, "start": start, "end": end, "rate": RATE, "samples": sum(row["samples"] for row in rows), "outside": outside,
        "lost": lost, "allocations": allocations, "waitsSince": None, "frames": frames, "stacks": rows,
    }


def changed(**samples):
    """The stacks of the shop with other numbers of samples, by the name of the last frame up to its first sign."""
    def of(path, before):
        return samples.get(path[-1][1].split("(")[0].replace(".", "_"), before)
    return [(path, of(path, count), waiting) for path, count, waiting in STACKS]


def large(count=4000, seed=7):
    """Many stacks, each 24 functions deep."""
    rnd = random.Random(seed)
    def path():
        action = ("client", f"Client{rnd.randrange(12)}.act")
        return [action, *(("function", f"f{depth}_{rnd.randrange(3)}()", "Shop") for depth in range(24))]
    return make([(path(), 1 + rnd.randrange(5), 0) for _ in range(count)])


def hostile(names):
    """Each name as an action, a function and a wait."""
    return make([([("client", name), ("function", name, name, name, 1), kind], 10 + index, index / 10) for index, name in enumerate(names)
                 for kind in [("function", name + "x"), ("wait", name)]])
