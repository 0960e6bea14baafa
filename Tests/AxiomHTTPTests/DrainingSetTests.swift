// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import AxiomHTTP

@Suite("The set for whose emptiness a stop waits")
struct DrainingSetTests {
    @Test("The wait for an empty set is over at once")
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

    @Test("Giving up ends the waits that there are and those to come, and takes nothing out", .timeLimit(.minutes(10)))
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

    @Test("What is not in the set can be taken out of it, and an element that was entered twice is there once")
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
