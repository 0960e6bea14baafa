// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomBenchmarking
import AxiomStorage
import Foundation

/// What an outbox and its engine cost for each change, without a disk: the encoding, the actors and the decisions.
enum OutboxSuite {
    static let suite = BenchmarkSuite("outbox") { suite in
        suite.add("record.json") { iterations in
            let record = Record(id: UUID(), kind: "order.place", key: "key 1", payload: payload)
            for _ in 0..<iterations { blackHole(try JSONEncoder().encode(record)) }
        }
        var varying = BenchmarkOptions()
        varying.uncounted = "a change has a random identifier and the time, whose texts have other lengths in each run"
        suite.addAsync("append", options: varying) { iterations in
            let outbox = try Outbox("bench", in: PlainStorage(), options: unlimited)
            for index in 0..<iterations {
                try await outbox.append("order.place", payload, key: "key \(index % 100)")
            }
        }
        suite.addValue("drain", unit: "us/change") { try await drain(5_000) }
    }

    /// A part of what a record consists of: the floor of an append.
    private struct Record: Codable {
        let id: UUID
        let kind: String
        let key: String
        let payload: Data
    }

    private static let payload = Data(repeating: 7, count: 200)

    private static var unlimited: OutboxOptions {
        var options = OutboxOptions()
        (options.maximumChanges, options.maximumBytes) = (.max, .max)
        return options
    }

    /// The time to send and remove each of `count` changes of 100 keys, from the moment when the connection is there.
    private static func drain(_ count: Int) async throws -> Double {
        let outbox = try Outbox("bench", in: PlainStorage(), options: unlimited)
        let (states, connection) = AsyncStream.makeStream(of: Bool.self)
        let engine = try SyncEngine(outbox, connection: .states(states), send: { _ in .accepted })
        for index in 0..<count { try await outbox.append("order.place", payload, key: "key \(index % 100)") }
        try await engine.start()
        let start = TimeSource.live.now
        connection.yield(true)
        for await status in outbox.updates where status.pending == 0 { break }
        let seconds = TimeSource.live.now.seconds(since: start)
        await engine.stop()
        return seconds * 1e6 / Double(count)
    }
}

/// A storage in memory whose transactions do not copy the other values.
private final class PlainStorage: KeyValueStorage {
    private let values = Lock<[StorageKey: Data]>([:])

    func data(_ key: StorageKey) async -> Data? { values.withLock { $0[key] } }

    func keys(prefix: String) async -> [StorageKey] {
        values.withLock { $0.keys.filter { $0.hasPrefix(prefix) }.sorted() }
    }

    func transaction(_ changes: [StorageChange]) async {
        values.withLock { values in
            for change in changes {
                switch change {
                case .put(let key, let data): values[key] = data
                case .remove(let key): values[key] = nil
                }
            }
        }
    }
}
