// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics

/// What a problem is about. The raw value is the label `kind` of `axiom_problem_active`, which has no observations but
/// growth.
enum ProblemKind: String, Sendable, CaseIterable {
    /// A component, and what depends on it, fails: or a single error.
    case failing
    case error
    /// A component, and what depends on it, is slow.
    case slow
    case circuit, regression, budget, capability, leak, dependency, telemetry
    case mainActor = "main_actor"
    /// A level grows without end.
    case growth
    /// A component is no longer called.
    case silence
    /// What a developer did.
    case action
    /// What is observed only: a machine without processors, calls that are repeated, callers of a cache that load the same.
    case machine, retries, stampede

    /// The panel of the page that shows more.
    var panel: String {
        switch self {
        case .failing, .slow, .growth, .silence, .retries: "components"
        case .error: "errors"
        case .circuit: "circuits"
        case .regression: "regressions"
        case .budget: "budgets"
        case .capability: "capabilities"
        case .leak: "lifetimes"
        case .dependency: "graph"
        case .telemetry: "telemetry"
        case .mainActor: "hangs"
        case .action: "detail"
        case .machine: "runtime"
        case .stampede: "storage"
        }
    }
}

/// Something that is wrong at this moment, or an observation.
struct Problem: Sendable, Hashable {
    /// Two findings with the same key are the same problem.
    let key: String
    let level: ProblemLevel
    let kind: ProblemKind
    let component: Int?
    let text: String
    /// Which error, action or budget, as a label: few values, without numbers or texts of users. Empty if that is not known.
    var reason = ""
    /// The text once the problem has ended; nil if `text` is right then too.
    var past: String?
    /// When it was last seen; nil if the problem still exists.
    var at: Double?
    var symptom = Symptom.other
    /// The names of the components that it is about.
    var subjects: [String] = []
    /// The name of the component that threw the deepest cause of the errors; nil if it is not known.
    var root: String?
    /// The key of the problem that causes it; nil if it is a cause itself.
    var cause: String?
    /// The detector of an observation that compares with the hour before; nil for what is found otherwise.
    var trend: TrendDetector?
    /// Whether it is slower than a machine that is short of processors makes it.
    var isBeyondMachine = false
    /// How long it takes, in seconds, if that was measured.
    var seconds = Double.infinity
}

/// The problems that last, and those that have ended, each with the time of its end. Of a problem that came back, the earlier
/// times are kept too.
struct ProblemLog: Sendable {
    private struct Entry: Sendable {
        let id: Int
        var problem: Problem
        /// When it was first seen; of a problem that came back, when it came back.
        var since: Double
        var at: Double
        /// When it was first found to have ended; nil while it lasts.
        var ended: Double?
    }

    /// The most problems, and the most earlier times of problems. Of more, these are dropped, each time those first
    /// that were seen first: ended observations, ended problems, observations, problems.
    static let capacity = 100
    /// How long an ended problem is kept: the longest range of the page.
    private static let memory = 86_400.0
    /// How often the time of a problem that lasts is updated.
    private static let interval = 10.0

    /// How often a problem may have ended and come back until the first times are dropped.
    private static let returns = 10

    private var entries: [String: Entry] = [:]
    /// The earlier times of problems that came back, by key, the oldest first.
    private var earlier: [String: [ProblemRow]] = [:]
    private var nextID = 0

    /// Records everything that is wrong at `at`. Problems that are missing have ended.
    mutating func record(_ problems: [Problem], at: Double) {
        for problem in problems { record(problem, at: problem.at ?? at) }
        for problem in problems { advance(problem) }
        let lasting = Set(problems.map(\.key))
        for (key, entry) in entries where entry.ended == nil && !lasting.contains(key) { entries[key]?.ended = at }
        entries = entries.filter { $0.value.at > at - Self.memory }
        earlier = earlier.compactMapValues { rows in
            let kept = rows.filter { $0.at > at - Self.memory }
            return kept.isEmpty ? nil : kept
        }
        removeExcess()
    }

    private mutating func record(_ problem: Problem, at seen: Double) {
        guard var known = entries[problem.key] else {
            entries[problem.key] = Entry(id: nextID, problem: problem, since: seen, at: seen)
            nextID += 1
            return
        }
        let hasChanged =
            known.problem.level != problem.level || known.problem.cause != problem.cause || known.ended != nil
        guard hasChanged || seen >= known.at + Self.interval || seen < known.at else { return }
        if known.ended != nil {
            addEarlier(known)
            known.since = seen
        }
        (known.problem, known.at, known.ended) = (problem, seen, nil)
        entries[problem.key] = known
    }

    /// Keeps the times of a problem that has ended and comes back, as a row with an id of its own.
    private mutating func addEarlier(_ known: Entry) {
        let rows = earlier[known.problem.key] ?? []
        earlier[known.problem.key] = rows.suffix(Self.returns - 1) + [row(known, id: nextID, later: known.id)]
        nextID += 1
    }

    /// A cause began when the first of its symptoms began. What was observed before is no sign of it, and what is observed
    /// began when it was observed.
    private mutating func advance(_ symptom: Problem) {
        guard symptom.level != .observation, let cause = symptom.cause, let since = entries[symptom.key]?.since,
            let known = entries[cause], known.problem.level != .observation
        else { return }
        entries[cause]?.since = min(known.since, since)
    }

    private mutating func removeExcess() {
        let excess = entries.count - Self.capacity
        func key(_ entry: Entry) -> (Int, Double) {
            let isProblem = entry.problem.level != .observation
            return (entry.ended == nil ? (isProblem ? 3 : 2) : (isProblem ? 1 : 0), entry.at)
        }
        for entry in entries.sorted(by: { key($0.value) < key($1.value) }).prefix(max(0, excess)) {
            entries[entry.key] = nil
        }
        let rows = earlier.values.joined().sorted { $0.at < $1.at }
        let dropped = Set(rows.prefix(max(0, rows.count - Self.capacity)).map(\.id))
        guard !dropped.isEmpty else { return }
        earlier = earlier.mapValues { $0.filter { !dropped.contains($0.id) } }.filter { !$0.value.isEmpty }
    }

    var rows: [ProblemRow] {
        let rows = entries.values.map { row($0, id: $0.id) } + earlier.values.joined()
        return rows.sorted { $0.id < $1.id }
    }

    private func row(_ entry: Entry, id: Int, later: Int? = nil) -> ProblemRow {
        let problem = entry.problem
        return ProblemRow(
            id: id,
            level: problem.level,
            panel: problem.kind.panel,
            component: problem.component,
            cause: problem.cause.flatMap { entries[$0]?.id },
            text: entry.ended == nil ? problem.text : problem.past ?? problem.text,
            since: entry.since,
            at: entry.at,
            ended: entry.ended,
            later: later,
            isSlow: problem.symptom == .slow || problem.kind == .slow
        )
    }
}

/// What the first line of the page says, as a metric: a series of `axiom_problem_active` for each problem that lasts and
/// that follows from no other one, and for what grows or hangs without end. An alert can name the cause with it.
final class ActiveProblems: Collector {
    /// The labels of a problem. There are at most ``ProblemLog/capacity`` at a time; the values come from the names of
    /// components, actions and budgets, and from the codes of the error monitor, which are bounded.
    struct Series: Hashable, Sendable {
        let kind: ProblemKind
        let component: String
        let cause: String
    }

    /// The worst level of each series.
    private let levels = Lock<[Series: ProblemLevel]>([:])

    /// Sets the problems of the present moment.
    func publish(_ moment: ObservedMoment, _ problems: [Problem]) {
        let causes = problems.lazy.filter { problem in
            let isHarm = problem.level != .observation || problem.kind == .growth || problem.trend == .hang
            return problem.cause == nil && isHarm
        }
        let pairs = causes.prefix(ProblemLog.capacity).map { problem in
            let component = problem.component.map(moment.components.name) ?? ""
            return (Series(kind: problem.kind, component: component, cause: problem.reason), problem.level)
        }
        levels.withLock { $0 = Dictionary(pairs, uniquingKeysWith: min) }
    }

    func collect() -> [CollectedFamily] {
        var family = CollectedFamily.gauge(
            "axiom_problem_active",
            help:
                "What the dashboard calls a problem now, and what grows or hangs, without what follows from another problem: "
                + "2 if it does harm, 1 if it may.",
            labels: "kind",
            "component",
            "cause"
        )
        for (series, level) in levels.withLock({ $0 }) {
            family.add(level == .bad ? 2 : 1, series.kind.rawValue, series.component, series.cause)
        }
        return [family]
    }
}
