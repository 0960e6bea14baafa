// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import AxiomHTTP

@Suite("The set of requests in flight")
struct DrainingSetTests {
    @Test("A wait for an empty set returns immediately")
    func empty() async {
        let set = DrainingSet<Int>()
        await set.waitUntilEmpty()
        set.insert(1)
        set.remove(1)
        await set.waitUntilEmpty()
        #expect(set.count == 0)
    }

    @Test("Every wait ends when the last element goes, and not before", .timeLimit(.minutes(10)))
    func last() async {
        let set = DrainingSet<Int>()
        for element in 0..<100 { set.insert(element) }
        await withTaskGroup { group in
            for _ in 0..<10 {
                group.addTask {
                    await set.waitUntilEmpty()
                    #expect(set.count == 0)
                }
            }
            for element in 0..<100 {
                await Task.yield()
                set.remove(element)
            }
        }
    }

    @Test("Giving up ends present and future waits and removes nothing", .timeLimit(.minutes(10)))
    func givingUp() async {
        let set = DrainingSet<Int>()
        set.insert(1)
        await withTaskGroup { group in
            for _ in 0..<10 { group.addTask { await set.waitUntilEmpty() } }
            await Task.yield()
            set.giveUpWaiting()
        }
        await set.waitUntilEmpty()
        #expect(set.count == 1)
    }

    @Test("Removing an absent element has no effect, and an element that was inserted twice is in the set once")
    func membership() {
        let set = DrainingSet<Int>()
        set.remove(7)
        set.insert(7)
        set.insert(7)
        var seen: [Int] = []
        set.visit { seen.append($0) }
        #expect(seen == [7])
        set.remove(7)
        #expect(set.count == 0)
    }
}
