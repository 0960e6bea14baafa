// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomStorage

@Suite("Outboxes of one name in one storage", .timeLimit(.minutes(10)))
struct OutboxSharingTests {
    @Test("All changes that two users of one database append at the same time are stored")
    func append() async throws {
        let folder = try StorageFolder()
        let storages = (0..<2).map { _ in StorageKind.sqlite.make(folder, .quiet) }
        let outboxes = try storages.map { try Outbox("orders", in: $0) }
        for outbox in outboxes { try await outbox.load() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<101 {
                group.addTask { try await outboxes[number % 2].append("x", Data([UInt8(number)]), key: "\(number)") }
            }
            try await group.waitForAll()
        }
        let payloads = try await Outbox("orders", in: storages[0]).pendingChanges.compactMap(\.payload.first)
        #expect(payloads.sorted() == Array(0..<101))
        for storage in storages { await storage.end() }
    }

    @Test("The late answer of a stopped engine removes its own change and no other")
    func lateAnswer() async throws {
        let storage = CrashingStorage()
        let stopped = try Outbox("orders", in: storage)
        let old = try await stopped.append("x", Data([1]))
        #expect(await stopped.take() == old)
        let next = try Outbox("orders", in: storage)
        try await next.discard(old.id)
        // The outbox is empty, so its numbers begin at 1 again.
        let new = try await Outbox("orders", in: storage).append("x", Data([2]))
        try await stopped.remove(old.id)
        #expect(try await Outbox("orders", in: storage).pendingChanges == [new])
    }

    @Test("In random histories of several outboxes, a change is there until it is removed by its id")
    func histories() async throws {
        let seed = TestSeed.drawn()
        for number in 0..<OutboxTest.count(2_000) {
            var random = SeededGenerator(seed: seed, stream: UInt64(number))
            let storage = CrashingStorage()
            var outboxes = [try Outbox("orders", in: storage)]
            var present: Set<UUID> = []
            for _ in 0..<30 {
                let outbox = outboxes[random.index(below: outboxes.count)]
                switch random.index(below: 5) {
                case 0: outboxes.append(try Outbox("orders", in: storage))
                case 1, 2: present.insert(try await outbox.append("x", Data(), key: "\(random.next())").id)
                default:
                    try await outbox.load()
                    guard let change = await outbox.take() else { continue }
                    try await outbox.remove(change.id)
                    present.remove(change.id)
                }
            }
            let found = try await Outbox("orders", in: storage).pendingChanges.map(\.id)
            #expect(Set(found) == present && found.count == present.count, "history \(number)")
        }
    }

    @Test(
        "A second engine for an outbox, or for one of its name in its storage, does not start before the first stops"
    )
    func engines() async throws {
        let storage = CrashingStorage()
        let outbox = try Outbox("orders", in: storage)
        let first = try SyncEngine(outbox) { _ in .accepted }
        let same = try SyncEngine(outbox) { _ in .accepted }
        let second = try SyncEngine(try Outbox("orders", in: storage)) { _ in .accepted }
        let other = try SyncEngine(try Outbox("letters", in: storage)) { _ in .accepted }
        for engine in [first, first, other] { try await engine.start() }
        for engine in [same, second] {
            let error = await #expect(throws: OfflineError.self) { try await engine.start() }
            #expect(error?.message.contains("\"orders\"") == true)
        }
        await first.stop()
        try await second.start()
        await second.stop()
        await other.stop()
    }

    @Test("Records of a version that numbered the keys alone are sent in their order, and removed")
    func formerKeys() async throws {
        let changes = (1...3).map { PendingChange(id: UUID(), kind: "x", key: "", payload: Data([$0]), madeAt: 0) }
        let storage = CrashingStorage()
        for (number, change) in changes.enumerated() {
            let key = StorageKey("outbox/orders/0000000000000000000\(number + 1)")
            try await storage.transaction([.put(key, OutboxRecord(change).data)])
        }
        let outbox = try Outbox("orders", in: storage)
        let last = try await outbox.append("x", Data([4]))
        #expect(try await outbox.pendingChanges == changes + [last])
        for change in changes + [last] {
            #expect(await outbox.take() == change)
            try await outbox.remove(change.id)
        }
        #expect(storage.contents.isEmpty)
    }

    @Test("A key with the id of another change is listed as unreadable")
    func foreignKey() async throws {
        let change = PendingChange(id: UUID(), kind: "x", key: "", payload: Data(), madeAt: 0)
        let key = OutboxKeys("orders")[1, UUID()]
        let storage = CrashingStorage([key: try OutboxRecord(change).data])
        #expect(try await Outbox("orders", in: storage).unreadable == [key])
    }
}
