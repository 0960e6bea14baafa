// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomInstrumentation

/// What a trace shows besides actions, refusals of circuit breakers, and work that the application named.
public struct TraceParts: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: Int

    /// Makes a set from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Calls of capabilities.
    public static let capabilities = TraceParts(rawValue: 1 << 0)
    /// States that clients published to subscribers, such as a context that observes the client.
    public static let states = TraceParts(rawValue: 1 << 1)
    /// Phases in the life of contexts.
    public static let phases = TraceParts(rawValue: 1 << 2)
    /// Retries and other remedies.
    public static let recoveries = TraceParts(rawValue: 1 << 3)
    /// Renderings, and waits for the main actor. Whether they belong to a trace depends on the scheduler.
    public static let rendering = TraceParts(rawValue: 1 << 4)
    /// The duration of each operation, and waits of 1 ms or more. Use a manual clock, so that they are the same each time.
    public static let durations = TraceParts(rawValue: 1 << 5)

    /// Everything that does not depend on the scheduler.
    public static let standard: TraceParts = [.capabilities, .states, .phases, .recoveries]

    /// The kinds of spans that are shown.
    var kinds: Set<SpanKind> {
        var kinds: Set<SpanKind> = [.request, .contextAction, .clientAction, .breakerRefusal, .custom]
        if contains(.capabilities) { kinds.insert(.capabilityCall) }
        if contains(.states) { kinds.insert(.statePublished) }
        if contains(.phases) { kinds.insert(.lifecyclePhase) }
        if contains(.recoveries) { kinds.formUnion([.retryAttempt, .recoveryStep]) }
        if contains(.rendering) { kinds.formUnion([.render, .mainActorWait]) }
        if contains(.durations) { kinds.insert(.wait) }
        return kinds
    }
}

/// Writes spans as a tree, one line for each, indented by two spaces for each span above it.
struct TraceText {
    let parts: TraceParts
    /// The children of each span, in their order.
    private let children: [UInt64: [Span]]

    init(_ spans: [Span], _ parts: TraceParts) {
        self.parts = parts
        children = Dictionary(grouping: spans) { $0.parent ?? 0 }
    }

    /// The tree below a span, without the span.
    func tree(below span: UInt64) -> String { lines(below: span, depth: 0).joined(separator: "\n") }

    /// The tree of a span.
    func tree(of span: Span) -> String { lines(span, depth: 0).joined(separator: "\n") }

    private func lines(below span: UInt64, depth: Int) -> [String] {
        children[span, default: []].flatMap { lines($0, depth: depth) }
    }

    /// The lines of a span and of those below it. What is below a span that is not shown takes its place.
    private func lines(_ span: Span, depth: Int) -> [String] {
        guard parts.kinds.contains(span.kind) else { return lines(below: span.id, depth: depth) }
        let line = String(repeating: "  ", count: depth) + line(span)
        return [line] + lines(below: span.id, depth: depth + 1)
    }

    private func line(_ span: Span) -> String {
        let error = span.error.map { " " + ($0.code ?? $0.type) } ?? ""
        let outcome = span.outcome == .success ? "" : ": \(span.outcome.rawValue)\(error)"
        let duration =
            parts.contains(.durations) ? " [\(BudgetLimit.duration(.nanoseconds(span.nanoseconds)))]" : ""
        return span.label + duration + outcome
    }
}

extension Span {
    /// What it is, with its component.
    fileprivate var label: String {
        let component = component?.name ?? ""
        return switch kind {
        case .request: "request \(component).\(name)"
        case .contextAction: "context \(component).\(name)"
        case .clientAction: "client \(component).\(name)"
        case .capabilityCall: "capability \(component)"
        case .lifecyclePhase: "phase \(component).\(name)"
        case .statePublished: "state \(component)"
        case .render: "rendering \(component)"
        case .retryAttempt: "retry \(component)"
        case .recoveryStep: "recovery \(component).\(name)"
        case .breakerRefusal: "refusal \(component)"
        case .mainActorWait: "wait \(component)"
        case .wait: "wait for \(name)"
        case .custom: "span \(name)"
        }
    }
}
