// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomStorage

@Suite("An outbox with damaged records", .timeLimit(.minutes(10)))
struct OutboxDamageTests {
    private let folder: StorageFolder

    init() throws { folder = try StorageFolder() }

    @Test(
        "One damaged byte of a record: the record is listed, the others are sent, and changes are added",
        arguments: StorageKind.onDisk
    )
    func record(kind: StorageKind) async throws {
        var random = SeededGenerator(seed: TestSeed.drawn())
        for round in 0..<OutboxTest.count(200) {
            let name = "round\(round)"
            var storage = kind.make(folder)
            let outbox = try Outbox(name, in: storage)
            var changes: [PendingChange] = []
            for number in 0..<4 {
                changes.append(try await outbox.append("x", Data([UInt8(number)]), key: "\(number)"))
            }
            let index = random.index(below: 4)
            let key = OutboxKeys(name)[UInt64(index) + 1, changes[index].id]
            await storage.end()
            try kind.damage(key, in: folder, &random)
            storage = kind.make(folder)
            try await checkSent(name, storage, damaged: key, changes.filter { $0 != changes[index] })
            await storage.end()
        }
    }

    private func checkSent(
        _ name: String,
        _ storage: any KeyValueStorage,
        damaged: StorageKey,
        _ changes: [PendingChange]
    ) async throws {
        let outbox = try Outbox(name, in: storage)
        let sent = Lock<Set<UUID>>([])
        let errors = Lock<[ErrorCode]>([])
        let engine = try SyncEngine(outbox) { error in
            errors.withLock { $0.append(ErrorCode(of: error)) }
        } send: { change in
            sent.withLock { _ = $0.insert(change.id) }
            return .accepted
        }
        try await engine.start()
        #expect(try await outbox.unreadable == [damaged])
        let added = try await outbox.append("x", Data())
        for await status in outbox.publisher.updates where status.pending == 0 { break }
        await engine.stop()
        #expect(sent.withLock { $0 } == Set(changes.map(\.id) + [added.id]))
        #expect(errors.withLock { $0 } == ["AXIOM_OFFLINE_005"])
        #expect(try await storage.keys(prefix: "outbox/\(name)/") == [damaged], "it stays in the storage")
    }

    @Test("An error of the whole storage is thrown, also while records are read")
    func whole() async throws {
        let storage = CrashingStorage()
        try await Outbox("orders", in: storage).append("x", Data())
        storage.setReadable(false)
        await #expect(throws: OutboxTest.Refused.self) { try await Outbox("orders", in: storage).load() }
    }

    @Test(
        "A damaged answer of a capability is no answer, and is replaced by the next one",
        arguments: StorageKind.onDisk
    )
    func answer(kind: StorageKind) async throws {
        var random = SeededGenerator(seed: TestSeed.drawn())
        var storage = kind.make(folder)
        let cache = CapabilityCache<[String: Int]>(maximumAge: .seconds(3_600))
        cache.store(["cup": 1])
        try await cache.save("prices", to: storage)
        await storage.end()
        try kind.damage("prices", in: folder, &random)
        storage = kind.make(folder)
        let next = CapabilityCache<[String: Int]>(maximumAge: .seconds(3_600))
        try await next.load("prices", from: storage)
        #expect(next.current == nil)
        try await cache.save("prices", to: storage)
        try await next.load("prices", from: storage)
        #expect(next.current?.0 == ["cup": 1])
        await storage.end()
    }
}
