// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import AxiomBase

/// The events of one listener of a source of this module.
///
/// The first event is the state at the start; later ones are changes. The sequence ends when the task that iterates is
/// cancelled. It throws a `CapabilityError` if the system does not provide what the source reads. After the end or an
/// error, the listener's descriptors are closed, and `next()` returns nil.
public struct SystemEvents: AsyncSequence, Sendable {
    /// An event that concerns a capability.
    public typealias Element = CapabilityEvent

    /// Takes the events one by one.
    public struct Iterator: AsyncIteratorProtocol {
        /// Nil after the end.
        private var listener: (any EventListener)?

        init(_ listener: any EventListener) {
            self.listener = listener
        }

        /// Waits for the next event.
        ///
        /// - Returns: Nil if the task is cancelled.
        /// - Throws: `CapabilityError` if the source cannot read the system.
        public mutating func next() async throws -> CapabilityEvent? {
            guard let listener else { return nil }
            do {
                try Task.checkCancellation()
                return try await listener.next()
            } catch {
                self.listener = nil
                if error is CancellationError { return nil }
                throw error
            }
        }
    }

    private let listener: @Sendable () -> any EventListener

    /// Creates a sequence whose listeners come from `listener`, which must not open anything.
    init(_ listener: @escaping @Sendable () -> any EventListener) {
        self.listener = listener
    }

    /// Makes an independent listener. It opens nothing before the first `next()`.
    public func makeAsyncIterator() -> Iterator {
        Iterator(listener())
    }
}

/// What one iterator of ``SystemEvents`` reads. It releases its descriptors in `deinit`.
protocol EventListener: AnyObject {
    /// Waits for the next event. The first one is the state at the start.
    ///
    /// - Throws: `CancellationError`, or `CapabilityError`.
    func next() async throws -> CapabilityEvent
}

/// Lets an event pass only if it differs from the one before.
struct EventFilter: Sendable {
    private var last: CapabilityEvent?

    /// Returns `event`; nil if it was the last one too.
    mutating func pass(_ event: CapabilityEvent) -> CapabilityEvent? {
        guard event != last else { return nil }
        last = event
        return event
    }
}

/// Checks the parameters of sources.
enum SourceParameter {
    /// The periods that sources accept.
    static let periods: ClosedRange<Duration> = .milliseconds(100)...(.seconds(86_400))

    /// The bytes of the longest path, without the final zero byte.
    static let longestPath = 4_095

    /// - Throws: `CapabilityError` if `value` is outside `range`. NaN always is.
    static func check<V: Comparable>(_ name: String, _ value: V, in range: ClosedRange<V>) throws {
        guard range.contains(value) else {
            throw CapabilityError.invalidParameter(
                name,
                "\(value)",
                range: "\(range.lowerBound) to \(range.upperBound)"
            )
        }
    }

    /// - Throws: `CapabilityError` if `path` is not absolute, or the system cannot represent it.
    static func check(path name: String, _ path: String) throws {
        let bytes = path.utf8
        guard bytes.first == UInt8(ascii: "/"), bytes.count <= longestPath, !bytes.contains(0) else {
            throw CapabilityError.invalidParameter(
                name,
                "“\(path.prefix(80).printable)”",
                range: "an absolute path of at most \(longestPath) bytes, without zero bytes"
            )
        }
    }
}
