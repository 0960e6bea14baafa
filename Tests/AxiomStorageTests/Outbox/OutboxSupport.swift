// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomStorage
import AxiomTestSupport
import Foundation

enum OutboxTest {
    /// The number of random cases: `full` times AXIOM_TEST_SCALE, and a twentieth of it without the variable.
    static func count(_ full: Int) -> Int {
        TestScale.count(full)
    }

    struct Refused: Error {}
}

/// A storage in memory whose transactions can be refused, counted, and ended by a crash.
final class CrashingStorage: KeyValueStorage {
    private struct State {
        var values: [StorageKey: Data] = [:]
        var transactions = 0
        var refuses: @Sendable ([StorageChange]) -> Bool = { _ in false }
        var hasCrashed = false
        var isReadable = true
    }

    private let state: Lock<State>

    init(_ values: [StorageKey: Data] = [:]) {
        state = Lock(State(values: values))
    }

    var contents: [StorageKey: Data] { state.withLock { $0.values } }
    var transactions: Int { state.withLock { $0.transactions } }

    func refuse(_ rule: @escaping @Sendable ([StorageChange]) -> Bool) { state.withLock { $0.refuses = rule } }
    func setReadable(_ isReadable: Bool) { state.withLock { $0.isReadable = isReadable } }

    /// From now on nothing is stored: what a process does after its end.
    ///
    /// - Returns: What the next process finds.
    func crash() -> CrashingStorage {
        CrashingStorage(
            state.withLock { state in
                state.hasCrashed = true
                return state.values
            }
        )
    }

    func data(_ key: StorageKey) async throws -> Data? {
        guard state.withLock({ $0.isReadable }) else { throw OutboxTest.Refused() }
        return contents[key]
    }

    func keys(prefix: String) async throws -> [StorageKey] {
        contents.keys.filter { $0.hasPrefix(prefix) }.sorted()
    }

    func transaction(_ changes: [StorageChange]) async throws {
        let refuses = state.withLock { $0.refuses }
        if refuses(changes) { throw OutboxTest.Refused() }
        try state.withLock { state in
            if state.hasCrashed { throw OutboxTest.Refused() }
            state.transactions += 1
            for change in changes {
                switch change {
                case .put(let key, let data): state.values[key] = data
                case .remove(let key): state.values[key] = nil
                }
            }
        }
    }
}
