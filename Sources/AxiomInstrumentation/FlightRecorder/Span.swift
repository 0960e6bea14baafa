// SPDX-License-Identifier: Apache-2.0

package import Axiom
package import AxiomBase

/// One recorded operation: what it was, how long it took, how it ended, and what caused it.
package struct Span: Sendable, Hashable {
    /// The id; unique within the process and never 0.
    package let id: UInt64
    /// The id of the span that caused it; nil for the root of a trace.
    package let parent: UInt64?
    /// The id of the span of another process that caused a root, from its `traceparent`; nil if none did.
    package let remoteParent: UInt64?
    package let trace: TraceID
    package let kind: SpanKind
    /// Nil for work that the application named.
    package let component: ComponentDescriptor?
    /// The case of the action, the phase, the strategy or the name that the application gave; otherwise that of the kind.
    package let name: String
    /// The number of the component instance; 0 if unknown.
    package let instance: UInt64
    package let start: Instant
    package let nanoseconds: Int64
    package let outcome: ActionOutcome
    /// Of a span that did not succeed.
    package let error: SpanError?

    package var end: Instant { Instant(nanoseconds: start.nanoseconds &+ nanoseconds) }
}

/// A span that has not ended, as the task sees it that runs in it.
package struct RunningSpan: Sendable, Hashable {
    package let id: UInt64
    package let trace: TraceID
    /// Nil for work that the application named.
    package let component: ComponentDescriptor?
    /// As that of the ``Span`` that it becomes.
    package let name: String
}

/// The id of a trace, as in W3C Trace Context: 128 bits. Of a trace that began in this process, the
/// process chose the high half at random, once for all.
package struct TraceID: Sendable, Hashable, CustomStringConvertible {
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// Reads 32 hexadecimal digits; nil for any other text, and for zeros.
    package init?(_ text: String) {
        guard text.utf8.count == 32, text.allSatisfy(\.isHexDigit),
            let high = UInt64(text.prefix(16), radix: 16), let low = UInt64(text.suffix(16), radix: 16),
            high | low != 0
        else { return nil }
        self.init(high: high, low: low)
    }

    /// 32 hexadecimal digits.
    package var description: String { Self.hex(high) + Self.hex(low) }

    /// The id of a span as 16 hexadecimal digits.
    package static func hex(_ id: UInt64) -> String {
        let digits = String(id, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// Where the recorded spans are. At rest, `recorded` is the sum of the others.
package struct SpanCounts: Sendable, Hashable {
    /// All spans.
    package let recorded: UInt64
    /// Spans in the ring, kept or not.
    package let inRing: UInt64
    /// Spans of kept traces that are no longer in the ring.
    package let keptOnly: UInt64
    /// Spans that newer ones have overwritten, and that were not kept.
    package let overwritten: UInt64
    /// Spans of kept traces that newer kept traces displaced.
    package let displaced: UInt64
    /// Spans for which no shard of the ring was free.
    package let contended: UInt64
}

extension SpanKind {
    /// The kind as text.
    package var name: String {
        switch self {
        case .contextAction: "context_action"
        case .clientAction: "client_action"
        case .capabilityCall: "capability_call"
        case .lifecyclePhase: "lifecycle_phase"
        case .statePublished: "state_published"
        case .render: "render"
        case .retryAttempt: "retry_attempt"
        case .recoveryStep: "recovery_step"
        case .breakerRefusal: "breaker_refusal"
        case .mainActorWait: "main_actor_wait"
        case .custom: "custom"
        case .request: "request"
        case .wait: "wait"
        }
    }

    /// The kinds of actions and of named work: what an activity log shows.
    package static let activities: Set<SpanKind> = [
        .contextAction, .clientAction, .lifecyclePhase, .breakerRefusal, .custom, .request,
    ]

    /// Whether a root of this kind can be kept as a slow one.
    var isWork: Bool {
        switch self {
        case .contextAction, .clientAction, .capabilityCall, .lifecyclePhase, .render, .custom, .request: true
        case .statePublished, .retryAttempt, .recoveryStep, .breakerRefusal, .mainActorWait, .wait: false
        }
    }
}
