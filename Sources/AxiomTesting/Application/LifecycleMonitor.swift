// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import AxiomInstrumentation
public import Testing

/// An event in the life of a context.
public enum LifecycleEvent: String, Sendable, Hashable, CaseIterable {
    /// `onAppear()` is about to be called.
    case willAppear
    /// `onAppear()` has returned or thrown.
    case didAppear
    /// `onDisappear()` is about to be called.
    case willDisappear
    /// `onDisappear()` has returned or thrown.
    case didDisappear
    /// `onBackground()` is about to be called.
    case willEnterBackground
    /// `onBackground()` has returned or thrown.
    case didEnterBackground
    /// `onForeground()` is about to be called.
    case willEnterForeground
    /// `onForeground()` has returned or thrown.
    case didEnterForeground
}

/// Records the life of all contexts of a test orchestrator.
@MainActor
public final class LifecycleMonitor {
    /// An event and its context.
    public struct Record: Sendable, Hashable, CustomStringConvertible {
        /// The name of the context.
        public let context: String
        /// The event.
        public let event: LifecycleEvent
        let id: UInt64

        /// As in `CartContext didAppear`.
        public var description: String { "\(context) \(event.rawValue)" }
    }

    /// All events, the first one first.
    public private(set) var records: [Record] = []
    private var asserted = 0
    private let reporter: FailureReporter

    init(reporter: FailureReporter) { self.reporter = reporter }

    func record(_ event: LifecycleEvent?, of context: any Context) {
        guard let event, !(context is EmptyContext) else { return }
        let identity = context.identity
        records.append(Record(context: identity.descriptor.name, event: event, id: identity.id))
    }

    /// The events of all contexts, the first one first.
    public var events: [LifecycleEvent] { records.map(\.event) }

    /// The events of one context, the first one first.
    public func events<C: Context>(of context: TestContext<C>) -> [LifecycleEvent] {
        records.filter { $0.id == context.id }.map(\.event)
    }

    /// The events of one context type, the first one first.
    public func events<C: Context>(of type: C.Type) -> [LifecycleEvent] {
        records.filter { $0.context == C.componentName }.map(\.event)
    }

    /// Compares the events of all contexts since the last call.
    ///
    /// - Parameter events: All of them, in order.
    public func expect(_ events: LifecycleEvent..., sourceLocation: SourceLocation = #_sourceLocation) {
        let actual = records[asserted...].map(\.event)
        asserted = records.count
        guard actual != events else { return }
        let text = Difference.text(expected: ValueTree(events), actual: ValueTree(actual)) ?? ""
        reporter.fail("The contexts had other life cycle events than expected:\n\n\(text)", at: sourceLocation)
    }
}

extension LifecycleEvent {
    init?(beginOf phase: LifecyclePhase) {
        switch phase {
        case .appear: self = .willAppear
        case .disappear: self = .willDisappear
        case .background: self = .willEnterBackground
        case .foreground: self = .willEnterForeground
        case .create, .render: return nil
        }
    }

    init?(endOf phase: LifecyclePhase) {
        switch phase {
        case .appear: self = .didAppear
        case .disappear: self = .didDisappear
        case .background: self = .didEnterBackground
        case .foreground: self = .didEnterForeground
        case .create, .render: return nil
        }
    }
}
