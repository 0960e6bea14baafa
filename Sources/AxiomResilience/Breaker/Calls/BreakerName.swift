// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The name of a breaker as a number, so that a rejection carries no reference: counting one costs as much as all the
/// rest of a rejection.
///
/// Each name that was ever given to a breaker is kept once for as long as the program runs.
struct BreakerName: Hashable, Sendable {
    private struct Table {
        var names: [String] = []
        var numbers: [String: UInt32] = [:]
    }

    /// Both directions change together under this lock; names are only added.
    private static let table = Lock(Table())

    private let number: UInt32

    init(_ name: String) {
        number = Self.table.withLock { table in
            if let known = table.numbers[name] { return known }
            let number = UInt32(truncatingIfNeeded: table.names.count)
            table.names.append(name)
            table.numbers[name] = number
            return number
        }
    }

    var text: String {
        Self.table.withLock { $0.names[Int(number)] }
    }
}
