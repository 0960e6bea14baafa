// SPDX-License-Identifier: Apache-2.0

/// A problem: something that is wrong, or was wrong in the last day.
struct ProblemRow: SnapshotRow {
    let id: Int
    /// Whether it does harm now; else it may.
    let isBad: Bool
    /// The panel of the page that shows more.
    let panel: String
    let component: Int?
    /// The id of the problem that causes this one; nil if it is a cause itself.
    let cause: Int?
    let text: String
    /// When it was first seen.
    let since: Double
    /// When it was last seen.
    let at: Double
    /// When it was first found to have ended; nil while it lasts.
    let ended: Double?
    /// The id of the same problem when it came back; nil if it did not.
    var later: Int?

    static let fields: [Field<Self>] = [
        .term("kind") { $0.isBad ? "bad" : "warn" },
        .term("panel") { $0.panel },
        .count("component") { $0.component },
        .text("text", limit: 400) { $0.text },
        .moment("since") { $0.since },
        .moment("at") { $0.at },
        .moment("ended") { $0.ended },
        .count("cause") { $0.cause },
        .count("later") { $0.later },
    ]
}

/// An event: something that happened.
struct EventRow: SnapshotRow {
    /// What kinds of events there are.
    enum Kind: String, Sendable {
        case transition, error, leak, started, ended, regression, violation, hang, action
    }

    /// How much attention an event needs.
    enum Severity: String, Sendable {
        case critical, error, warning, info
    }

    let id: Int
    let at: Double
    let kind: Kind
    let severity: Severity
    let component: Int?
    let text: String

    static let fields: [Field<Self>] = [
        .moment("at") { $0.at },
        .term("kind") { $0.kind.rawValue },
        .term("severity") { $0.severity.rawValue },
        .count("component") { $0.component },
        .text("text", limit: 400) { $0.text },
    ]
}
