// SPDX-License-Identifier: Apache-2.0

import AxiomMetrics
import AxiomTestSupport
import Testing

@Suite("The times of threads")
struct SchedulerTimesTests {
    @Test("The file of the scheduler has the times in nanoseconds, and what is of another form is not read")
    func parsing() {
        let times = SchedulerTimes("1234567 89012 45\n", thread: 3)
        #expect(times == SchedulerTimes(ran: 1_234_567, waited: 89_012, thread: 3))
        for text in ["", "1 2", "1 2 3 4", "a 2 3", "-1 2 3", "99999999999999999999 2 3"] {
            #expect(SchedulerTimes(text, thread: 3) == nil, "\(text)")
        }
    }

    @Test("The sum grows by what the threads of each reading did, with threads that end and numbers that come again")
    func sums() {
        let seed = TestSeed.drawn()
        var random = SplitMix64(seed: seed)
        var (threads, total, earlier) = ([UInt32: SchedulerTimes](), SchedulerTimes(), [SchedulerTimes]())
        var expected = SchedulerTimes()
        for _ in 0..<200 {
            for thread in UInt32(0)..<8 where Int.random(in: 0..<6, using: &random) == 0 {
                threads[thread] = threads[thread] == nil ? SchedulerTimes(thread: thread) : nil
            }
            for thread in threads.keys {
                let (ran, waited) = (UInt64.random(in: 0..<9, using: &random), UInt64.random(in: 0..<9, using: &random))
                threads[thread]?.ran += ran
                threads[thread]?.waited += waited
                expected.ran += ran
                expected.waited += waited
            }
            let now = Array(threads.values)
            total.add(now, since: earlier)
            earlier = now
        }
        #expect(total == expected, "seed \(seed)")
    }

    @Test("A new thread with the number of an old one starts at zero")
    func again() {
        var total = SchedulerTimes()
        let (old, new) = (SchedulerTimes(ran: 90, waited: 50, thread: 1), SchedulerTimes(ran: 5, waited: 60, thread: 1))
        total.add([old], since: [])
        total.add([new], since: [old])
        #expect(total == SchedulerTimes(ran: 95, waited: 110))
    }

    #if os(Linux)
    @Test("The calling thread is among those of the process")
    func real() {
        // A system that tells nothing has none.
        let (threads, own) = (SchedulerTimes.ofThreads(), SchedulerTimes.of(SchedulerTimes.currentThread))
        #expect(threads.isEmpty == (own == nil))
        #expect(own == nil || threads.contains { $0.thread == SchedulerTimes.currentThread })
        #expect(SchedulerTimes.processors > 0)
    }
    #endif
}
