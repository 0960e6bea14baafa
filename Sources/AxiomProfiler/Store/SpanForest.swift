// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation

extension SpanContext {
    /// Whether the span is an operation, which is an upper frame of a profile. The others are a part of the operation that caused
    /// them.
    var isOperation: Bool {
        switch kind {
        case .contextAction, .clientAction, .capabilityCall, .lifecyclePhase, .custom, .request: true
        case .statePublished, .render, .retryAttempt, .recoveryStep, .breakerRefusal, .mainActorWait, .wait: false
        }
    }

    /// Whether the operation waited in the span.
    var isWait: Bool { kind == .wait || kind == .mainActorWait }
}

/// The spans of a task as its bindings show them: those of one trace, the outermost one first; or a label, which has no trace.
struct SpanChain: Sendable {
    let spans: [SpanContext]

    /// - Parameter spans: The innermost one first. Those of other recorders, which may stand between, are left out.
    init(_ spans: [SpanContext], of recorder: ProfiledSpans?) {
        let own = spans.filter { recorder?.isOwn($0) ?? false }
        self.spans = own.prefix { $0.trace == own[0].trace }.reversed()
    }

    /// The outermost span if its parents are missing. They are in `Task { }`, which inherits the innermost binding only.
    var orphan: SpanContext? { spans.first.flatMap { $0.span == $0.trace ? nil : $0 } }
    /// 0 for no trace.
    var trace: UInt64 { spans.first?.trace ?? 0 }
    var subjects: [UInt64] { spans.filter(\.isOperation).map(\.subject) }
}

/// Spans that have ended with their parents, and the operations of some that have not.
struct SpanForest: Sendable {
    let spans: [UInt64: ProfiledSpans.Ended]
    /// The subjects of the operations to a span.
    private let known: [UInt64: [UInt64]]

    init(_ spans: [ProfiledSpans.Ended], known: [UInt64: [UInt64]] = [:]) {
        self.spans = Dictionary(spans.map { ($0.context.span, $0) }) { first, _ in first }
        self.known = known
    }

    /// The operation that a span belongs to: the span itself, or its nearest parent that is one; nil if none is known.
    func operation(of id: UInt64) -> UInt64? {
        var id = id
        // A limit, in case that two ids are equal.
        for _ in 0..<64 {
            guard let span = spans[id] else { return nil }
            if span.context.isOperation { return id }
            id = span.parent
        }
        return nil
    }

    /// The subjects of the operations to a span, and whether no outer one is missing.
    func path(to id: UInt64) -> (subjects: [UInt64], isWhole: Bool) {
        var (subjects, id): ([UInt64], UInt64) = ([], id)
        for _ in 0..<64 {
            if let outer = known[id] { return (outer + subjects.reversed(), true) }
            guard let span = spans[id] else { break }
            if span.context.isOperation { subjects.append(span.context.subject) }
            id = span.parent
        }
        return (subjects.reversed(), id == 0)
    }

    /// Completes the subjects from a span on; nil if outer ones are not known.
    func whole(_ subjects: [UInt64], from span: SpanContext) -> [UInt64]? {
        let path = path(to: span.span)
        return path.isWhole ? path.subjects + subjects.dropFirst(span.isOperation ? 1 : 0) : nil
    }
}

// MARK: - Waiting

/// What operations did not use a processor for: of each path of operations, the time that its spans took, without that of the
/// operations that they caused.
struct WaitingTimes: Sendable {
    /// The times in spans that are waits, by the path and the subject of the wait.
    private(set) var named: [[UInt64]: [UInt64: Int64]] = [:]
    /// The other times, with those in which the operation ran.
    private(set) var rest: [[UInt64]: Int64] = [:]

    init(_ forest: SpanForest, from start: Instant, to end: Instant) {
        // By the operation that they are a part of.
        var parts: [UInt64: [ProfiledSpans.Ended]] = [:]
        for span in forest.spans.values where span.context.isOperation || span.context.isWait {
            if let operation = forest.operation(of: span.parent) { parts[operation, default: []].append(span) }
        }
        for (id, span) in forest.spans where span.context.isOperation {
            let (from, to) = (max(span.start, start), min(span.end, end))
            if from < to { add(parts[id] ?? [], from, to, to: forest.path(to: id).subjects) }
        }
    }

    /// Divides the time of an operation among its parts: where some overlap, it is that of the first one.
    private mutating func add(_ parts: [ProfiledSpans.Ended], _ from: Instant, _ to: Instant, to path: [UInt64]) {
        var (reached, own) = (from, to.nanoseconds(since: from))
        for part in parts.sorted(by: { ($0.start, $0.end) < ($1.start, $1.end) }) {
            let (start, end) = (max(part.start, reached), min(part.end, to))
            guard start < end else { continue }
            let time = end.nanoseconds(since: start)
            if part.context.isWait { named[path, default: [:]][part.context.subject, default: 0] += time }
            own -= time
            reached = end
        }
        rest[path, default: 0] += own
    }
}
