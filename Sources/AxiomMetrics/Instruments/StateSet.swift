// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The state of something that has a few states: one series per state with the value 1 or 0. Usually one of them is 1.
///
/// The states are the cases of an enum. All are 0 until the first is entered.
public final class StateSet<State: LabelValue & CaseIterable>: StateInstrument, @unchecked Sendable {
    /// Enters a state and leaves all others. Cost: a table look-up and one relaxed store.
    public func enter(_ state: State) {
        bits.store(mask(state), ordering: .relaxed)
    }

    /// Sets one state and does not change the others.
    public func set(_ state: State, to isOn: Bool) {
        if isOn {
            bits.bitwiseOr(mask(state), ordering: .relaxed)
        } else {
            bits.bitwiseAnd(~mask(state), ordering: .relaxed)
        }
    }

    /// Whether a state is true.
    public func contains(_ state: State) -> Bool {
        bits.load(ordering: .relaxed) & mask(state) != 0
    }

    /// 0 for a case that `allCases` omits: it has no series.
    private func mask(_ state: State) -> UInt64 {
        layout.masks[Int(labelByte(state))]
    }
}

/// The base class of ``StateSet``, independent of the type of the states.
public class StateInstrument: Instrument, @unchecked Sendable {
    let layout: StateLayout
    /// One bit per state, in order, so that all states of an instrument change at once.
    let bits = Atomic<UInt64>(0)

    init(_ series: SeriesHead, layout: StateLayout) {
        self.layout = layout
        super.init(series)
    }
}

/// The states of a family of state sets.
final class StateLayout: Sendable {
    /// The most states of a state set.
    static let maximumCount = 64

    /// The type of the states.
    let type: ObjectIdentifier
    /// The label values, in the order of the cases.
    let names: [String]
    /// The bit of each state by the byte that represents it; 0 for bytes that represent no state.
    let masks: [UInt64]

    /// Takes the cases of an enum.
    ///
    /// - Throws: ``MetricsError`` if there are none or too many, or two have the same name.
    init<State: LabelValue & CaseIterable>(_ type: State.Type, of family: String) throws(MetricsError) {
        guard let label = EnumeratedLabel(type) else {
            throw MetricsError(
                .invalidOption,
                "The states of \(family) are of the type \(type): use an enum with cases and without associated values.",
                family: family
            )
        }
        self.type = label.type
        names = label.cases.map(\.value)
        guard names.count <= Self.maximumCount, Set(names).count == names.count, !names.contains("") else {
            throw MetricsError(
                .invalidOption,
                "The states of \(family) are \(names): give at most \(Self.maximumCount), named and each once.",
                family: family
            )
        }
        var masks = [UInt64](repeating: 0, count: 256)
        for (index, state) in label.cases.enumerated() { masks[Int(state.byte)] = 1 << UInt64(index) }
        self.masks = masks
    }
}
