// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomResilience
import AxiomStorage
import AxiomTestSupport
import Testing

@Suite("A bag of resources", .timeLimit(.minutes(10)))
struct ResourceBagTests {
    private struct Stuck: Error {}

    private let released = Journal<Int>()

    private func fill(_ bag: ResourceBag, _ numbers: Range<Int>, failing: Set<Int> = []) async throws {
        for number in numbers {
            _ = try await bag.acquire("r\(number)") {
                number
            } release: { [released] value in
                released.write(value)
                if failing.contains(value) { throw Stuck() }
            }
        }
    }

    @Test("All resources are released in the reverse order, each exactly once, also by concurrent releases (CLI-14)")
    func order() async throws {
        let bag = ResourceBag("import")
        try await fill(bag, 0..<5)
        #expect(bag.count == 5)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { try? await bag.release() } }
        }
        try await bag.release()
        #expect(released.entries == [4, 3, 2, 1, 0] && bag.count == 0)
    }

    @Test("Errors of releases are collected, none is skipped, and each release of the bag throws them (CLI-14)")
    func failures() async throws {
        let bag = ResourceBag("import")
        try await fill(bag, 0..<4, failing: [1, 3])
        for _ in 0..<2 {
            let error = await #expect(throws: PoolError.self) { try await bag.release() }
            #expect(error?.code == .releaseFailed && error?.cause is Stuck)
            #expect(error?.message.contains("2 resources") == true)
            #expect(error?.message.contains("r3: ") == true && error?.message.contains("r1: ") == true)
        }
        #expect(released.entries == [3, 2, 1, 0])
    }

    @Test("A resource that is acquired while the bag is released is released at once (CLI-14)")
    func late() async throws {
        let bag = ResourceBag("import")
        try await fill(bag, 0..<1)
        let gate = OneShot<Void>()
        let entered = OneShot<Void>()
        let late = Task { [released] in
            try await bag.acquire("late") {
                entered.settle(())
                await gate.value
                return 7
            } release: { value in
                released.write(value)
            }
        }
        await entered.value
        try await bag.release()
        gate.settle(())
        let error = await #expect(throws: PoolError.self) { try await late.value }
        #expect(error?.code == .bagReleased)
        #expect(released.entries == [0, 7])
        await #expect(throws: PoolError.self) { try await fill(bag, 8..<9) }
        #expect(released.entries == [0, 7], "make does not run for a bag that was released")
    }

    @Test("A body with a bag releases it on success, on an error, and if it is cancelled (CLI-14)")
    func body() async throws {
        let count = try await ResourceBag.with("import") { bag in
            try await fill(bag, 0..<2)
            return bag.count
        }
        #expect(count == 2 && released.entries == [1, 0])
        await #expect(throws: CancellationError.self) {
            try await ResourceBag.with("import") { bag in
                try await fill(bag, 2..<3)
                throw CancellationError()
            }
        }
        let both = await #expect(throws: PoolError.self) {
            try await ResourceBag.with("import") { bag in
                try await fill(bag, 3..<4, failing: [3])
                throw CancellationError()
            }
        }
        #expect(both?.cause is CancellationError && both?.message.contains("r3: ") == true)
        #expect(released.entries == [1, 0, 2, 3])
    }

    @Test("A release that releases its own bag, also by way of another one, does not wait for itself (CLI-14)")
    func ownBag() async throws {
        let (bag, other) = (ResourceBag("a"), ResourceBag("b"))
        _ = try await bag.acquire("other") {
            1
        } release: { [released] in
            try await bag.release()
            try await other.release()
            released.write($0)
        }
        _ = try await other.acquire("bag") {
            2
        } release: { [released] in
            try await bag.release()
            released.write($0)
        }
        try await bag.release()
        #expect(released.entries == [2, 1] && bag.count == 0 && other.count == 0)
    }

    @Test("Releases run to their end although the caller is cancelled (CLI-14)")
    func cancelled() async throws {
        let bag = ResourceBag("import")
        let wasCancelled = Journal<Bool>()
        _ = try await bag.acquire("r") {
            1
        } release: { _ in
            wasCancelled.write(Task.isCancelled)
        }
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await bag.release()
        }
        try await task.value
        #expect(wasCancelled.entries == [false])
    }
}
