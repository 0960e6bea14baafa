// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@Suite("Queues")
struct QueueTests {
    @Test("A queue from whose middle elements are removed needs memory only for those that wait (CLI-16)")
    func memory() {
        var queue = FIFO<Int>()
        let first = queue.append(0)
        for number in 1...100_000 {
            let ticket = queue.append(number)
            let removed = [queue.remove(ticket), queue.remove(ticket)]
            #expect(removed == [number, nil])
        }
        #expect(queue.count == 1 && queue.capacityInUse <= 4)
        let last = queue.remove(first)
        let none = queue.popFirst()
        #expect(last == 0 && none == nil)
    }

    @Test("Elements come out in the order in which they went in, without those that were removed")
    func order() {
        var queue = FIFO<Int>()
        let tickets = (0..<100).map { queue.append($0) }
        for (number, ticket) in tickets.enumerated() where number % 3 == 0 {
            let removed = queue.remove(ticket)
            #expect(removed == number)
        }
        let taken = (0..<33).map { _ in queue.popFirst()?.element }
        #expect(taken == (0..<50).filter { $0 % 3 != 0 })
        let rest = queue.removeAll()
        #expect(rest == (50..<100).filter { $0 % 3 != 0 })
        let none = queue.popFirst()
        #expect(queue.count == 0 && none == nil)
    }

    @Test("The newest element comes out first at the other end, and its ticket is never given again")
    func newest() {
        var queue = FIFO<Int>()
        let tickets = (0..<10).map { queue.append($0) }
        for number in [0, 4, 8, 9] { _ = queue.remove(tickets[number]) }
        let taken = [queue.popLast(), queue.popFirst()?.element, queue.popLast()]
        #expect(taken == [7, 1, 6])
        let ticket = queue.append(10)
        let absent = tickets[6...].map { queue.remove($0) }
        #expect(ticket > tickets[9] && absent == [nil, nil, nil, nil] && queue.elements == [2, 3, 5, 10])
        let rest = (0..<5).map { _ in queue.popLast() }
        #expect(rest == [10, 5, 3, 2, nil] && queue.count == 0 && queue.capacityInUse == 0)
    }

    @Test("A bounded queue drops and counts what does not fit, and begins one consumer at a time")
    func bounded() {
        var queue = BoundedQueue<Int>(capacity: 2)
        let beginsEmpty = queue.begin()
        let added = [1, 2, 3].map { queue.append($0) }
        let begins = [queue.begin(), queue.begin()]
        #expect(!beginsEmpty && added == [true, true, false] && begins == [true, false])
        #expect(queue.dropped == 1)
        let first = queue.next()
        queue.append(4)
        let others = [queue.next(), queue.next()]
        #expect(first == 1 && others == [2, 4] && queue.isDelivering)
        let end = queue.next()
        #expect(end == nil && !queue.isDelivering)
        queue.append(5)
        let beginsAgain = queue.begin()
        #expect(beginsAgain)
    }

    @Test("A stream gets the values since it began, misses the oldest if it is slow, and ends when the broadcast ends")
    func broadcast() async {
        let broadcast = Broadcast<Int>(keeping: 2)
        #expect(broadcast.publish(0) == 0)
        let slow = broadcast.stream()
        let fast = broadcast.stream(keeping: 4)
        let missed = (1...3).map { broadcast.publish($0) }
        #expect(missed == [0, 0, 1] && broadcast.count == 2)
        broadcast.finish()
        var values = [await slow.reduce(into: []) { $0.append($1) }]
        values.append(await fast.reduce(into: []) { $0.append($1) })
        #expect(values == [[2, 3], [1, 2, 3]] && broadcast.isEmpty)
        for await value in broadcast.stream() { Issue.record("\(value) came after the end") }
        broadcast.reopen()
        var reader: AsyncStream<Int>? = broadcast.stream()
        #expect(broadcast.count == 1 && reader != nil)
        reader = nil
        #expect(broadcast.isEmpty)
    }

    @Test("A stream of a broadcast with a latest value begins with it")
    func latest() async {
        let broadcast = Broadcast(keeping: 1, beginningWith: 1)
        broadcast.publish(2)
        #expect(broadcast.latest == 2)
        var stream = broadcast.stream().makeAsyncIterator()
        #expect(await stream.next() == 2)
        broadcast.publish(3)
        broadcast.publish(4)
        #expect(await stream.next() == 4)
    }

    @Test("An alarm acts at its instant, and not if it is cancelled before", .timeLimit(.minutes(10)))
    func alarm() async {
        let time = ManualTime()
        let clock = TimeSource.manual(time)
        let (rings, ring) = AsyncStream.makeStream(of: Int.self)
        let cancelled = Alarm(after: .seconds(1), on: clock) { ring.yield(1) }
        let alarms = [2, 3].map { seconds in Alarm(after: .seconds(seconds), on: clock) { ring.yield(seconds) } }
        await time.waitForSleepers(3)
        cancelled.cancel()
        time.advance(by: .seconds(2))
        var heard = rings.makeAsyncIterator()
        #expect(await heard.next() == 2)
        time.advance(by: .seconds(1))
        #expect(await heard.next() == 3)
        for alarm in alarms { alarm.cancel() }
    }
}
