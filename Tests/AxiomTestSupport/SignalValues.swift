// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import AxiomBase

/// Keeps the values of signals: the last value of a gauge, the sum of a counter, the number of observations of a
/// distribution. Counters and distributions begin at 0 when they are bound, gauges when they are set.
public final class SignalValues: Instrumentation {
    private struct Recorder: Signal {
        let name: String
        let values: SignalValues

        func add(_ amount: Int) { values.table.withLock { $0[name, default: 0] += Double(amount) } }
        func set(_ value: Double) { values.table.withLock { $0[name] = value } }
        func observe(nanoseconds: Int64) { add(1) }
    }

    private let prefix: String
    private let table = Lock<[String: Double]>([:])

    /// Keeps the signals of the families that begin with `prefix`, under names without it.
    public init(_ prefix: String = "") {
        self.prefix = prefix
    }

    /// Binds a signal; nil for a family with another prefix.
    public func signal(_ family: SignalFamily, _ labels: [String]) -> (any Signal)? {
        guard family.name.hasPrefix(prefix) else { return nil }
        let name = ([String(family.name.dropFirst(prefix.count))] + labels).joined(separator: " ")
        if family.kind != .gauge { table.withLock { $0[name] = $0[name] ?? 0 } }
        return Recorder(name: name, values: self)
    }

    /// The value of a signal, by the name of its family and the values of its labels with spaces between them; nil if it
    /// was not bound.
    public subscript(name: String) -> Double? { table.withLock { $0[name] } }
}
