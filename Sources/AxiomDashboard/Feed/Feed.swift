// SPDX-License-Identifier: Apache-2.0

/// What has happened and what is wrong, found by comparing one observation with the ones before. It is kept up to date
/// while no page is open, too.
struct Feed: Sendable {
    private var events = EventLog()
    private var problems = ProblemLog()
    private var detection = EventDetection()

    /// How many events are no longer kept.
    var droppedEvents: Int { events.dropped }

    var eventRows: [EventRow] { events.rows }
    var problemRows: [ProblemRow] { problems.rows }

    /// Adds what has happened since the last observation, and what is wrong now, which it returns.
    mutating func update(_ moment: ObservedMoment) -> [Problem] {
        detection.add(moment, to: &events)
        let present = moment.problems
        problems.record(present, at: moment.at)
        return present
    }
}

/// One moment: what was observed, with the history until then.
struct ObservedMoment {
    let observed: Observation
    let history: History
    let components: ComponentIndex
    /// What is unusual compared with the hour before.
    let trends: [TrendFinding]

    var at: Double { history.at }
    var grid: TimeGrid { history.grid }

    /// The id of a component type; nil if there is none with this name.
    func id(named name: String) -> Int? { components.id(named: name) }
}

/// The latest events, in order. Older ones are counted.
struct EventLog: Sendable {
    static let capacity = 250

    private(set) var rows: [EventRow] = []
    /// How many events are no longer kept.
    private(set) var dropped = 0
    private var nextID = 0

    mutating func add(
        _ kind: EventRow.Kind,
        _ severity: EventRow.Severity,
        _ text: String,
        component: Int?,
        at time: Double
    ) {
        rows.append(
            EventRow(id: nextID, at: time, kind: kind, severity: severity, component: component, text: text)
        )
        nextID += 1
        guard rows.count > Self.capacity else { return }
        rows.removeFirst()
        dropped += 1
    }
}
