// SPDX-License-Identifier: Apache-2.0

public import AxiomBase
public import Observation

/// Where the errors of one context end (rule 19): nothing that a client throws reaches the presentation as a throw,
/// and nothing is lost.
///
/// The current error is observable, so that a presentation that reads it is rendered anew when it changes.
@MainActor
@Observable
public final class ErrorBoundary {
    /// An error that ended here.
    public struct Entry: Sendable {
        /// The error.
        public let error: any Error
        /// The component in which it arose, as far as that is known; else the context itself.
        public let origin: ComponentDescriptor
        /// When it ended here.
        public let time: Instant
    }

    /// The most recent error, until an action that began after it succeeds or ``dismiss()`` is called.
    public private(set) var current: Entry?
    /// How many errors have ended here.
    public private(set) var count = 0

    private let descriptor: ComponentDescriptor
    private let port: InstrumentationPort

    init(_ descriptor: ComponentDescriptor, port: InstrumentationPort) {
        self.descriptor = descriptor
        self.port = port
    }

    /// Takes the current error away: the person has seen it.
    public func dismiss() {
        // Not assigned where it is nil already: an assignment alone is a change to those who observe it.
        if current != nil { current = nil }
    }

    /// Ends `error` here and reports it, once. What was called off is no error: nobody waits for it any more.
    func end(_ error: any Error, trail: ErrorTrail?) {
        guard ActionOutcome(ofError: error) != .cancelled else { return }
        let origin = trail?.origin(of: error) ?? descriptor
        current = Entry(error: error, origin: origin, time: port.clock.now)
        count += 1
        #if Instrumented
        Hooks.ended(EndedError(error, origin: origin, boundary: descriptor), port)
        #endif
    }
}
