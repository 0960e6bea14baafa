// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport

/// Something that happens a number of times and can be awaited.
final class Event: Sendable {
    private let journal = Journal<Void>()

    var count: Int { journal.entries.count }

    func fire() { journal.write(()) }

    /// Returns when the event has happened `count` times. Not ended by cancellation.
    func wait(_ count: Int = 1) async { await journal.wait(forCount: count) }
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
