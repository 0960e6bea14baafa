// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import Foundation
import Testing

@testable import AxiomStorage

@Suite("An outbox", .timeLimit(.minutes(10)))
struct OutboxTests {
    private let storage = CrashingStorage()

    private func code(_ body: () async throws -> Void) async -> ErrorCode? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? OfflineError)?.code
        }
    }

    @Test("An appended change is durable, and a later process finds it in its order with its id (SYN-02)")
    func durable() async throws {
        let outbox = try Outbox("orders", in: storage)
        let first = try await outbox.append("place", Data([1]), key: "a")
        let key = "outbox/orders/00000000000000000001-\(first.id.uuidString.lowercased())"
        #expect(storage.contents.keys.map(\.name) == [key])
        let second = try await outbox.append("place", Data([2]), key: "b")
        let restarted = try Outbox("orders", in: storage.crash())
        #expect(try await restarted.pendingChanges == [first, second])
        #expect(restarted.status.pending == 2)
        let third = try await restarted.append("place", Data([3]), key: "a")
        #expect(try await restarted.pendingChanges == [first, second, third])
    }

    @Test("Outboxes of different names do not see each other's changes (SYN-02)")
    func names() async throws {
        try await Outbox("a", in: storage).append("x", Data())
        let other = try Outbox("ab", in: storage)
        #expect(try await other.pendingChanges.isEmpty)
        for name in ["", "a/b", String(repeating: "n", count: 101)] {
            #expect(await code { _ = try Outbox(name, in: storage) } == "AXIOM_OFFLINE_001")
        }
        var options = OutboxOptions()
        options.maximumChanges = 0
        #expect(await code { _ = try Outbox("a", in: storage, options: options) } == "AXIOM_OFFLINE_001")
        options = OutboxOptions()
        options.maximumBytes = 0
        #expect(await code { _ = try Outbox("a", in: storage, options: options) } == "AXIOM_OFFLINE_001")
    }

    @Test("A full outbox refuses a change with an error, and drops nothing (SYN-02)")
    func full() async throws {
        var options = OutboxOptions()
        (options.maximumChanges, options.maximumBytes) = (2, 100)
        let outbox = try Outbox("orders", in: storage, options: options)
        #expect(await code { try await outbox.append("x", Data(count: 100)) } == "AXIOM_OFFLINE_002")
        try await outbox.append("x", Data(count: 60))
        #expect(await code { try await outbox.append("x", Data(count: 60)) } == "AXIOM_OFFLINE_002")
        try await outbox.append("x", Data())
        #expect(await code { try await outbox.append("x", Data()) } == "AXIOM_OFFLINE_002")
        #expect(outbox.status.pending == 2 && storage.contents.count == 2)
        try await outbox.discard(try #require(try await outbox.pendingChanges.first).id)
        try await outbox.append("x", Data(count: 60))
    }

    @Test("A change whose storage fails is not added, and its room is free again (SYN-02)")
    func refused() async throws {
        var options = OutboxOptions()
        options.maximumChanges = 1
        let outbox = try Outbox("orders", in: storage, options: options)
        storage.refuse { _ in true }
        let id = UUID()
        await #expect(throws: OutboxTest.Refused.self) { try await outbox.append("x", Data(), id: id) }
        #expect(outbox.status == OutboxStatus())
        storage.refuse { _ in false }
        try await outbox.append("x", Data(), id: id)
        #expect(await code { try await outbox.append("x", Data(), id: id) } == "AXIOM_OFFLINE_003")
    }

    @Test("A change that was not added is not sent by a later process, although the storage kept it (SYN-02)")
    func kept() async throws {
        let storage = FaultyStorage()
        storage.plan(.failAfterwards, at: 1)
        // The first attempt to remove it fails too.
        storage.plan(.fail, at: 2)
        let outbox = try Outbox("orders", in: storage)
        await #expect(throws: FaultyStorage.Failure.self) { try await outbox.append("x", Data([1])) }
        #expect(storage.memory.contents.count == 1)
        try await outbox.append("x", Data([2]))
        #expect(try await Outbox("orders", in: storage).pendingChanges.map(\.payload) == [Data([2])])
    }

    @Test("Of several changes in one transaction, only the one that the storage refuses fails (SYN-02)")
    func batches() async throws {
        let outbox = try Outbox("orders", in: storage)
        try await outbox.load()
        // A transaction with the forbidden change is refused, whatever else is in it.
        storage.refuse { changes in
            changes.contains { if case .put(_, let data) = $0 { data.count > 10_000 } else { false } }
        }
        let added = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<100 {
                group.addTask {
                    (try? await outbox.append("x", Data(count: index == 50 ? 20_000 : 1), key: "\(index)")) != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(added == 99 && outbox.status.pending == 99 && storage.contents.count == 99)
    }

    @Test("An append continues when its task is cancelled (SYN-02)")
    func cancelled() async throws {
        let outbox = try Outbox("orders", in: storage)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await outbox.append("x", Data())
        }
        let change = try await task.value
        #expect(try await outbox.pendingChanges == [change])
    }

    @Test("Records that cannot be read stay in the storage and are listed; the others are sent (SYN-02)")
    func unreadable() async throws {
        let outbox = try Outbox("orders", in: storage)
        try await outbox.append("x", Data([1]))
        let newer = Data(#"{"format":2}"#.utf8)
        try await storage.transaction([
            .put("outbox/orders/00000000000000000007", newer), .put("outbox/orders/7", Data([1])),
        ])
        let next = try Outbox("orders", in: storage)
        #expect(try await next.unreadable == ["outbox/orders/00000000000000000007", "outbox/orders/7"])
        let last = try await next.append("x", Data([2]))
        #expect(next.status.pending == 2)
        #expect(storage.contents["outbox/orders/00000000000000000007"] == newer, "it is not overwritten")
        #expect(storage.contents[OutboxKeys("orders")[8, last.id]] != nil)
    }

    @Test("The attempts of a stored change can be counted further, whatever their number is (SYN-02)")
    func attempts() async throws {
        let change = PendingChange(id: UUID(), kind: "x", key: "", payload: Data(), madeAt: 0, attempts: .max)
        try await storage.transaction([.put("outbox/orders/00000000000000000001", OutboxRecord(change).data)])
        let outbox = try Outbox("orders", in: storage)
        try await outbox.load()
        let taken = try #require(await outbox.take())
        try await outbox.postpone(taken.id, for: .zero)
        #expect(try await outbox.pendingChanges.first?.attempts == Int(Int32.max) + 1)
        var options = SyncOptions()
        options.minimumFailureTime = .zero
        let engine = try SyncEngine(outbox, options: options) { _ in throw OutboxTest.Refused() }
        try await engine.start()
        for await status in outbox.publisher.updates where status.setAside == 1 { break }
        await engine.stop()
    }

    @Test("An outbox whose storage cannot be read fails, and loads at the next use (SYN-02)")
    func load() async throws {
        try await Outbox("orders", in: storage).append("x", Data())
        storage.setReadable(false)
        let outbox = try Outbox("orders", in: storage)
        await #expect(throws: OutboxTest.Refused.self) { try await outbox.load() }
        storage.setReadable(true)
        #expect(try await outbox.pendingChanges.count == 1)
    }

    @Test("A change that is set aside blocks its key or lets it pass, and can be retried or discarded (SYN-02)")
    func setAside() async throws {
        for policy in [OutboxOptions.AfterSetAside.blockKey, .letPass] {
            var options = OutboxOptions()
            options.afterSetAside = policy
            var outbox = try Outbox("\(policy)", in: storage, options: options)
            let poison = try await outbox.append("x", Data([1]), key: "a")
            let next = try await outbox.append("x", Data([2]), key: "a")
            let other = try await outbox.append("x", Data([3]), key: "b")
            #expect(await outbox.take() == poison)
            try await outbox.setAside(poison.id, because: "bad")
            outbox = try Outbox("\(policy)", in: storage, options: options)
            let listed = try await outbox.setAsideChanges
            #expect(
                listed.map(\.id) == [poison.id] && listed.first?.reason == "bad" && listed.first?.change.attempts == 1
            )
            #expect(outbox.status.pending == 2 && outbox.status.setAside == 1)
            #expect(await outbox.take() == (policy == .letPass ? next : other))
            #expect(await outbox.take() == (policy == .letPass ? other : nil))
            await outbox.release(next.id)
            try await outbox.retry(poison.id)
            #expect(await outbox.take() == poison, "a retried change comes before the later ones of its key")
            #expect(await code { try await outbox.discard(poison.id) } == "AXIOM_OFFLINE_004")
            try await outbox.setAside(poison.id, because: "bad")
            try await outbox.discard(poison.id)
            #expect(await outbox.take() == next)
            #expect(await code { try await outbox.retry(poison.id) } == "AXIOM_OFFLINE_004")
            #expect(outbox.status.setAside == 0)
        }
    }

    @Test("A wait after a failed attempt survives a restart, and is at most an hour after the clock was set (SYN-02)")
    func waits() async throws {
        let time = ManualTime()
        let outbox = try Outbox("orders", in: storage, clock: .manual(time))
        let change = try await outbox.append("x", Data())
        _ = await outbox.take()
        try await outbox.postpone(change.id, for: .seconds(10))
        #expect(await outbox.take() == nil)
        let later = ManualTime(start: Instant(nanoseconds: 5), secondsSinceEpoch: 1_700_000_004)
        let restarted = try Outbox("orders", in: storage, clock: .manual(later))
        try await restarted.load()
        later.advance(by: .milliseconds(5_999))
        #expect(await restarted.take() == nil)
        later.advance(by: .milliseconds(1))
        #expect(await restarted.take()?.attempts == 1)
        let earlier = ManualTime(secondsSinceEpoch: 1_600_000_000)
        let past = try Outbox("orders", in: storage, clock: .manual(earlier))
        try await past.load()
        earlier.advance(by: .seconds(3_600))
        #expect(await past.take()?.id == change.id)
    }

    @Test("The status counts changes and tells the age of the oldest, also after a restart (SYN-01)")
    func status() async throws {
        let time = ManualTime()
        let outbox = try Outbox("orders", in: storage, clock: .manual(time))
        var updates = outbox.publisher.updates.makeAsyncIterator()
        #expect(await updates.next() == OutboxStatus())
        let change = try await outbox.append("x", Data())
        #expect(await updates.next() == OutboxStatus(pending: 1, setAside: 0, oldest: Instant(nanoseconds: 0)))
        time.advance(by: .seconds(9))
        try await outbox.append("x", Data())
        let later = ManualTime(start: Instant(nanoseconds: 100), secondsSinceEpoch: 1_700_000_020)
        let restarted = try Outbox("orders", in: storage, clock: .manual(later))
        try await restarted.load()
        #expect(restarted.status.oldest == Instant(nanoseconds: 100 - 20_000_000_000))
        try await restarted.discard(change.id)
        #expect(restarted.status.oldest == Instant(nanoseconds: 100 - 11_000_000_000))
    }
}
