// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// A circuit breaker rejected a call. The operation has not run.
public struct CircuitOpenError: MessageError, CustomStringConvertible {
    package let rejection: Rejection
    /// The last failure before the rejection; nil if the breaker has not recorded one with its error.
    public let cause: (any Error)?
    /// The name of the breaker.
    public let breaker: String

    init(_ breaker: String, rejection: Rejection, cause: (any Error)?) {
        self.breaker = breaker
        self.rejection = rejection
        self.cause = cause
    }

    /// The state of the breaker: open, half-open or forced open.
    public var state: CircuitState { rejection.state }
    /// Why the breaker opened.
    public var reason: TransitionReason { rejection.cause }
    /// How long the breaker will reject calls; nil if that depends on probes in flight or on an operator.
    public var remaining: Duration? { rejection.remaining }

    /// The breaker and when to try again. The last error is in ``cause`` alone, because callers may pass a message on.
    public var message: String {
        let wait = remaining.flatMap { QuantityFormat.duration($0.inSeconds) }.map { ", try again in \($0)" } ?? ""
        return "The circuit breaker \(breaker) is \(state.rawValue)\(wait)."
    }
}

extension CircuitOpenError: RetryAdvising {
    /// ``RetryDecision/stop``. To wait for the next probe instead, return ``RetryDecision/retry(after:)`` from
    /// ``RetryConfiguration/onError``.
    public var retryAdvice: RetryDecision { .stop }
}

/// Why a call was not admitted. A few words of memory, without allocation or reference counting.
@usableFromInline
package struct Rejection: Hashable, Sendable {
    let name: BreakerName
    /// The state of the breaker: open, half-open or forced open.
    package let state: CircuitState
    /// Why the breaker opened.
    package let cause: TransitionReason
    /// The generation of the breaker.
    package let generation: UInt64
    /// Nanoseconds until the breaker admits probes; -1 if unknown.
    @usableFromInline let remainingNanoseconds: Int64

    /// The breaker's name. Cost: a look-up under a lock. The name is known while the breaker exists, and after that until
    /// 1,024 other names have been released. A ``CircuitOpenError`` has its own copy.
    package var breaker: String { name.text }

    /// How long the breaker will reject calls; nil if that depends on probes in flight or on an operator.
    @inlinable package var remaining: Duration? {
        remainingNanoseconds < 0 ? nil : .nanoseconds(remainingNanoseconds)
    }
}

/// The name of a breaker as a number, so that a rejection contains no reference. Retaining a string would cost as much as
/// the rest of a rejection.
///
/// The process keeps a name while a breaker has it. Because a rejection may outlive its breaker, it also keeps the
/// ``spareCount`` names that were released last. The table is bounded by the number of breakers plus that.
struct BreakerName: Hashable, Sendable {
    private struct Entry {
        let number: UInt32
        /// How many breakers have the name.
        var breakers: Int
    }

    private struct Table {
        var names: [UInt32: String] = [:]
        var entries: [String: Entry] = [:]
        /// The names without a breaker, the oldest first.
        var spares: [String] = []
        var last: UInt32 = 0
    }

    /// How many names without a breaker are kept.
    static let spareCount = 1_024

    /// Guards the whole table.
    private static let table = Lock(Table())

    private let number: UInt32

    /// Registers the name for one breaker. Call ``release()`` when the breaker is gone.
    init(_ name: String) {
        number = Self.table.withLock { table in
            if var known = table.entries[name] {
                if known.breakers == 0 { table.spares.removeAll { $0 == name } }
                known.breakers += 1
                table.entries[name] = known
                return known.number
            }
            repeat { table.last &+= 1 } while table.names[table.last] != nil
            table.names[table.last] = name
            table.entries[name] = Entry(number: table.last, breakers: 1)
            return table.last
        }
    }

    /// Removes one breaker from the name.
    func release() {
        Self.table.withLock { table in
            guard let name = table.names[number], var entry = table.entries[name] else { return }
            entry.breakers -= 1
            table.entries[name] = entry
            guard entry.breakers == 0 else { return }
            table.spares.append(name)
            guard table.spares.count > Self.spareCount else { return }
            let oldest = table.spares.removeFirst()
            if let removed = table.entries.removeValue(forKey: oldest) { table.names[removed.number] = nil }
        }
    }

    /// The name, or a substitute if the breaker and ``spareCount`` others have been released since.
    var text: String { Self.table.withLock { $0.names[number] } ?? "(a breaker that was released)" }

    /// How many names are kept.
    static var count: Int { table.withLock { $0.names.count } }
}
