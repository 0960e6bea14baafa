# SPDX-License-Identifier: Apache-2.0
"""The states of a fake client, as `/api/state` answers. Each tick is an update."""

LIMIT = 200


def leaf(name, text):
    return {"name": name, "text": text}


class States:
    def __init__(self):
        self.updates, self.dropped = [], 0
        self.advance(1795270000)

    def advance(self, at):
        number = len(self.updates) + self.dropped
        self.updates.append({"update": number, "at": at, "bytes": 100 + number, "component": "CartClient" if number else None,
                             "action": ["add", "remove"][number % 2] if number else None, "trace": f"{number:032x}" if number else None})
        if len(self.updates) > LIMIT:
            self.updates.pop(0)
            self.dropped += 1

    def tree(self, number):
        items = [{"name": str(index), "type": "Item", "children": [leaf("name", f'"article {index}"'), leaf("price", str(number + index))]} for index in range(3)]
        return {"type": "CartState", "children": [
            leaf("count", str(number)), {"name": "items", "type": "Array<Item>", "children": items}, leaf("token", "<redacted>"),
            leaf("phase", "idle"), leaf("script", '"</script><img src=x onerror=alert(1)>"'),
        ]}

    def client(self):
        last = self.updates[-1]
        return {"id": 3, "component": "CartClient", "number": 17, "type": "CartState", "updates": last["update"], "bytes": last["bytes"],
                "kept": len(self.updates), "dropped": self.dropped,
                "subscribers": [{"by": "CartContext", "pending": 0, "lag": 0}, {"by": None, "pending": 4, "lag": 1.5}]}

    def answer(self, path, query):
        head = {"version": 1, "instance": "run-7", "at": self.updates[-1]["at"]}
        if path == "/api/state":
            clients = [self.client()] if query.get("component", "CartClient") == "CartClient" else []
            kept = {"states": len(self.updates), "bytes": 1000, "dropped": self.dropped, "limit": 16 << 20}
            return 200, {"schema": "axiom/states", **head, "kept": kept, "clients": clients}
        numbers = [row["update"] for row in self.updates]
        shown = int(query.get("update", numbers[-1]))
        if path != "/api/state/3" or shown not in numbers:
            return 404, {"error": "There is no state."}
        before = shown - 1 if shown - 1 in numbers else None
        changes = [{"path": ["count"], "before": str(shown - 1), "after": str(shown)}]
        changes += [{"path": ["items", str(index), "price"], "before": str(shown - 1 + index), "after": str(shown + index)} for index in range(3)]
        return 200, {"schema": "axiom/state", **head, **self.client(), "shown": shown, "before": before,
                     "changes": changes if before is not None else [], "more": 0, "tree": self.tree(shown), "list": self.updates}
