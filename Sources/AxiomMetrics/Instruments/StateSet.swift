// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Which of a few states something is in: a series for each state, of the value 1 or 0. Usually one of them is 1.
///
/// The states are the cases of an enum. Until one is entered, all are 0.
public final class StateSet<State: LabelValue & CaseIterable>: StateInstrument, @unchecked Sendable {
    /// Enters a state and leaves all others. Cost: a look-up in a table and one relaxed store.
    public func enter(_ state: State) {
        bits.store(mask(state), ordering: .relaxed)
    }

    /// Makes one state true or false and leaves the others as they are.
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

    /// No bit for a case that `allCases` leaves out: it has no series.
    private func mask(_ state: State) -> UInt64 {
        layout.masks[Int(labelByte(state))]
    }
}

/// A ``StateSet``, whatever its states.
public class StateInstrument: Instrument, @unchecked Sendable {
    let layout: StateLayout
    /// A bit for each state, in their order: all of one series change at once.
    let bits = Atomic<UInt64>(0)

    init(_ series: SeriesHead, layout: StateLayout) {
        self.layout = layout
        super.init(series)
    }
}

/// The states of a family of state sets.
final class StateLayout: Sendable {
    /// The most states that a state set may have.
    static let maximumCount = 64

    /// The type of the states.
    let type: ObjectIdentifier
    /// The label values, in the order of the cases.
    let names: [String]
    /// The bit of each state by the byte that represents it; 0 for bytes that represent none.
    let masks: [UInt64]

    /// Takes the cases of an enum.
    ///
    /// - Throws: ``MetricsError`` when there are none or too many, or two have the same name.
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
