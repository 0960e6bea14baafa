// SPDX-License-Identifier: Apache-2.0

/// What happened lately, in order: 250 events, the older ones are counted.
struct EventFeed: Sendable {
    /// One event.
    struct Event: Sendable, Hashable {
        let at: Double
        let kind: String
        let severity: String
        let component: Int?
        let text: String
    }

    static let capacity = 250

    private(set) var events: [(id: Int, event: Event)] = []
    private(set) var dropped = 0
    private var nextID = 0

    mutating func add(_ event: Event) {
        events.append((nextID, event))
        nextID += 1
        guard events.count > Self.capacity else { return }
        events.removeFirst()
        dropped += 1
    }

    var rows: [Row] {
        events.map { id, event in
            Row(
                id: id,
                values: [
                    .moment(event.at), .text(event.kind), .text(event.severity), .component(event.component),
                    .words(event.text, limit: 400),
                ]
            )
        }
    }
}
