// SPDX-License-Identifier: Apache-2.0

import Axiom

/// Keeps the values of signals.
final class SignalJournal: Instrumentation {
    private struct Recorder: Signal {
        let name: String
        let values: Journal<(String, Double)>

        func add(_ amount: Int) { values.write((name, Double(amount))) }
        func set(_ value: Double) { values.write((name, value)) }
    }

    let values = Journal<(String, Double)>()

    func signal(_ family: SignalFamily, _ labels: [String]) -> (any Signal)? {
        Recorder(name: "\(family.name) \(labels.joined(separator: " "))", values: values)
    }

    func all(_ name: String) -> [Double] { values.entries.filter { $0.0 == name }.map(\.1) }
}
