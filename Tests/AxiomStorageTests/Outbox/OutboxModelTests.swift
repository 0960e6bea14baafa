// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import DequeModule
import Foundation
import HeapModule
import Testing

@testable import AxiomStorage

@Suite("The decisions of an outbox and its engine against a model", .timeLimit(.minutes(60)))
struct OutboxModelTests {
    @Test(
        "In random histories with crashes each change is applied once, in the order of its key (SYN-02, SYN-03, SYN-04)"
    )
    func histories() {
        let seed = TestSeed.drawn()
        var (applied, received, crashes, setAside) = (0, 0, 0, 0)
        for number in 0..<OutboxTest.count(100_000) {
            var history = OfflineHistory(seed: seed, stream: UInt64(number))
            history.run(steps: 60)
            applied += history.server.applied.count
            received += history.server.received
            crashes += history.crashes
            setAside += history.wereSetAside.count
        }
        print("\(applied) changes applied, \(received) received, \(setAside) set aside, \(crashes) crashes")
        #expect(received > applied && crashes > 0 && setAside > 0)
    }

    @Test("While the first change of a key waits, later changes of the key do not fill the queue (SYN-03)")
    func waitingKey() throws {
        var machine = OutboxMachine("q", OutboxOptions())
        let moment = Moment(now: Instant(nanoseconds: 0), secondsSinceEpoch: 1_000)
        func append() throws -> UUID {
            let change = PendingChange(id: UUID(), kind: "k", key: "a", payload: Data(), madeAt: 1_000)
            machine.apply(try machine.append(change, at: moment))
            return change.id
        }
        let first = try append()
        #expect(machine.take(at: moment)?.id == first)
        machine.apply(
            try #require(try machine.replace(first, after: .seconds(60), at: moment) { $0.countAttempt(at: moment) })
        )
        for _ in 0..<1_000 { machine.apply(try #require(machine.remove(try append()))) }
        #expect(machine.due.count <= 2)
        machine.hasten()
        #expect(machine.take(at: moment)?.id == first)
    }

    @Test("The numbers of a key stay in ascending order when any of them is removed or comes back (SYN-03)")
    func numberQueue() {
        var random = SeededGenerator(seed: TestSeed.drawn())
        for _ in 0..<OutboxTest.count(500) {
            var queue = Deque<UInt64>()
            var model: Set<UInt64> = []
            for _ in 0..<300 {
                let number = UInt64(random.index(below: 100))
                if model.remove(number) != nil {
                    queue.remove(number)
                } else if random.index(below: 4) == 0, let first = model.min() {
                    model.remove(first)
                    queue.remove(first)
                } else {
                    model.insert(number)
                    queue.insert(ascending: number)
                }
                #expect(Array(queue) == model.sorted() && queue.first == model.min())
            }
            #expect(queue.isEmpty == model.isEmpty)
        }
    }
}
