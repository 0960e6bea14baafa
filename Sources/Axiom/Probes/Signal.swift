// SPDX-License-Identifier: Apache-2.0

/// A family of signals: one measurement of a module, with one name; labels distinguish its signals.
///
/// A module declares its families once and binds each signal before it records:
/// ```swift
/// static let depth = SignalFamily(
///     "axiom_navigation_depth", .gauge, help: "Routes on a flow's stack.", labels: ["flow"])
/// let depth = identity.signal(Self.depth, ["main"])   // once; nil if nothing observes
/// depth?.set(3)                                       // every time
/// ```
/// The module does not depend on metrics, and the observer does not depend on the module.
public struct SignalFamily: Sendable, Hashable {
    /// What the signals of a family measure.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// A total that only grows.
        case counter
        /// A value that goes up and down.
        case gauge
        /// A distribution of durations.
        case seconds
        /// A distribution of sizes.
        case bytes
    }

    /// The name, with the suffix of its kind: `_total` for a counter, `_seconds` or `_bytes` for a distribution.
    public let name: String
    /// What the signals measure.
    public let kind: Kind
    /// What is measured, in a sentence.
    public let help: String
    /// The names of the labels, in the order in which values are given: at most four.
    public let labels: [String]

    /// The labels that only a detailed page of metrics has. A lean page has the sums of the signals that differ in nothing
    /// else. Not for gauges.
    package private(set) var detailLabels: Set<String> = []

    /// Whether each duration of 1 ms or more is also a span of the kind ``SpanKind/wait``.
    package private(set) var isWait = false

    /// How many labels a family can have.
    package static let maximumLabels = 4

    /// Declares a family. An observer checks the declaration when the first signal is bound.
    package init(_ name: String, _ kind: Kind, help: String, labels: [String] = []) {
        self.name = name
        self.kind = kind
        self.help = help
        self.labels = labels
    }

    /// Binds one signal for each value of the last label. A value that nothing observes has none.
    ///
    /// - Parameters:
    ///   - values: The values of the labels before.
    ///   - bind: Binds a signal, such as `orchestrator.signal`.
    package func signals<Value: CaseIterable & Hashable & RawRepresentable<String>>(
        after values: [String] = [],
        of type: Value.Type = Value.self,
        _ bind: (SignalFamily, [String]) -> (any Signal)?
    ) -> [Value: any Signal] {
        Value.allCases.reduce(into: [:]) { $0[$1] = bind(self, values + [$1.rawValue]) }
    }

    /// The same family, whose durations are waits of the calling task: its trace shows those of 1 ms or more.
    package var waits: Self {
        var family = self
        family.isWait = true
        return family
    }

    /// The same family, which has these labels on a detailed page only.
    package func detailed(by labels: String...) -> Self {
        var family = self
        family.detailLabels = Set(labels)
        return family
    }
}

/// One signal of a ``SignalFamily``, with its label values, ready to record.
///
/// Recording comes from any thread and allocates nothing. A method that does not fit the family's kind does nothing.
public protocol Signal: Sendable {
    /// Adds to a counter or a gauge. A counter ignores a negative amount.
    func add(_ amount: Int)

    /// Replaces the value of a gauge.
    func set(_ value: Double)

    /// Adds one value to a distribution, in the family's unit.
    func observe(_ value: Double)

    /// Adds one duration to a distribution of seconds.
    func observe(nanoseconds: Int64)
}

extension Signal {
    /// Does nothing.
    public func add(_ amount: Int) {}
    /// Does nothing.
    public func set(_ value: Double) {}
    /// Does nothing.
    public func observe(_ value: Double) {}
    /// Does nothing.
    public func observe(nanoseconds: Int64) {}

    package func increment() { add(1) }
}
