// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Something that happens a number of times and can be awaited.
final class Event: Sendable {
    private struct State {
        var count = 0
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Lock(State())

    var count: Int { state.withLock { $0.count } }

    func fire() {
        let due = state.withLock { state in
            state.count += 1
            let due = state.waiters.filter { $0.count <= state.count }.map(\.continuation)
            state.waiters.removeAll { $0.count <= state.count }
            return due
        }
        for continuation in due { continuation.resume() }
    }

    /// Returns when the event has happened `count` times. Not ended by cancellation.
    func wait(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isDue = state.withLock { state in
                if state.count >= count { return true }
                state.waiters.append((count, continuation))
                return false
            }
            if isDue { continuation.resume() }
        }
    }
}

/// Fires its event when it is destroyed.
final class Canary: Sendable {
    let destroyed = Event()
    private let token: Token

    private final class Token: Sendable {
        let event: Event
        init(_ event: Event) { self.event = event }
        deinit { event.fire() }
    }

    init() { token = Token(destroyed) }
}

/// A list that many threads append to.
final class Log<Element: Sendable>: Sendable {
    private let storage = Lock<[Element]>([])
    let appended = Event()

    var elements: [Element] { storage.withLock { $0 } }

    func append(_ element: Element) {
        storage.withLock { $0.append(element) }
        appended.fire()
    }
}
