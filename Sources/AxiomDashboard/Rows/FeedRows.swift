// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// How much a finding matters, the worst first.
enum ProblemLevel: String, Sendable, Hashable, CaseIterable, Comparable {
    /// It does harm now.
    case bad
    /// It may do harm.
    case warning = "warn"
    /// It is worth knowing, and no problem.
    case observation = "note"

    /// Whether the left level is worse than the right one.
    static func < (left: ProblemLevel, right: ProblemLevel) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .bad: 0
        case .warning: 1
        case .observation: 2
        }
    }
}

/// A problem: something that is wrong, or was wrong in the last day; or an observation.
struct ProblemRow: SnapshotRow {
    let id: Int
    let level: ProblemLevel
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
    /// Whether it says that something is slow.
    var isSlow = false

    static let fields: [RowField<Self>] = [
        RowField("kind") { .term($0.level.rawValue) },
        RowField("panel") { .term($0.panel) },
        RowField("component") { .count($0.component) },
        RowField("text") { .words($0.text, limit: 400) },
        RowField("since") { .moment($0.since) },
        RowField("at") { .moment($0.at) },
        RowField("ended") { .moment($0.ended) },
        RowField("cause") { .count($0.cause) },
        RowField("later") { .count($0.later) },
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

        /// That of an error.
        init(_ severity: ErrorSeverity) {
            switch severity {
            case .critical: self = .critical
            case .nonCritical: self = .error
            case .warning: self = .warning
            }
        }
    }

    let id: Int
    let at: Double
    let kind: Kind
    let severity: Severity
    let component: Int?
    let text: String

    static let fields: [RowField<Self>] = [
        RowField("at") { .moment($0.at) },
        RowField("kind") { .term($0.kind.rawValue) },
        RowField("severity") { .term($0.severity.rawValue) },
        RowField("component") { .count($0.component) },
        RowField("text") { .words($0.text, limit: 400) },
    ]
}
