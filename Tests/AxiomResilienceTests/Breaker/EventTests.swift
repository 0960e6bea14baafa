// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import AxiomResilience

@Suite("Events of a circuit breaker")
struct EventTests {
    @Test("Every subscriber gets every transition in order, and the sequence ends with the breaker")
    func subscribers() async throws {
        var test: BreakerUnderTest? = try BreakerUnderTest { $0.minimumCalls = 1 }
        var first = try #require(test?.breaker.events).makeAsyncIterator()
        var second = try #require(test?.breaker.events).makeAsyncIterator()
        test?.call(.failure)
        test?.advance(.seconds(5))
        test?.call()
        test = nil
        for _ in 0..<2 {
            var seen: [CircuitTransition] = []
            while let event = await first.next(isolation: #isolation) { seen.append(event) }
            #expect(seen.map(\.to) == [.open, .halfOpen, .closed])
            #expect(seen.map(\.reason) == [.failureRate, .openTimeOver, .probesPassed])
            #expect(seen.map(\.instant.nanoseconds) == [0, 5_000_000_000, 5_000_000_000])
            #expect(seen.map(\.generation) == [2, 3, 4])
            #expect(seen.allSatisfy { $0.breaker == "shop" && !$0.isShadow })
            swap(&first, &second)
        }
    }

    @Test("For a slow subscriber the latest 256 transitions are buffered, and dropped ones are counted")
    func bounded() async throws {
        let test = try BreakerUnderTest()
        var events = test.breaker.events.makeAsyncIterator()
        for _ in 0..<500 {
            test.breaker.forceOpen()
            test.breaker.reset()
        }
        #expect(test.summary.droppedEvents == 1_000 - 256)
        test.breaker.disable()
        #expect(test.summary.droppedEvents == 1_000 - 255)
        for _ in 0..<255 { #expect(await events.next(isolation: #isolation)?.to != .disabled) }
        #expect(await events.next(isolation: #isolation)?.to == .disabled)
    }

    @Test("An order in shadow mode ends the chain of shadow mode, before the transition that it makes")
    func shadowOrder() async throws {
        let test = try BreakerUnderTest {
            $0.minimumCalls = 1
            $0.mode = .shadow
        }
        var events = test.breaker.events.makeAsyncIterator()
        test.call(.failure)
        test.breaker.disable()
        test.breaker.reset()
        let expected: [(CircuitState, CircuitState, Bool)] = [
            (.closed, .open, true), (.open, .closed, true), (.shadow, .disabled, false), (.disabled, .shadow, false),
        ]
        for (from, to, isShadow) in expected {
            let event = try #require(await events.next(isolation: #isolation))
            #expect((event.from, event.to) == (from, to) && event.isShadow == isShadow)
        }
    }

    @Test("A released iterator ends its subscription")
    func unsubscribed() async throws {
        let test = try BreakerUnderTest()
        do {
            let events = test.breaker.events.makeAsyncIterator()
            #expect(test.breaker.publisher.subscriberCount == 1)
            withExtendedLifetime(events) {}
        }
        #expect(test.breaker.publisher.subscriberCount == 0)
    }

    @Test("An observer may use the breaker, and receives the transitions that it causes")
    func observer() throws {
        let test = try BreakerUnderTest()
        let breaker = test.breaker
        let seen = Lock<[CircuitState]>([])
        breaker.onTransition { [weak breaker] transition in
            seen.withLock { $0.append(transition.to) }
            if transition.to == .forcedOpen { breaker?.reset() }
        }
        breaker.forceOpen()
        #expect(seen.withLock { $0 } == [.forcedOpen, .closed])
        #expect(breaker.state == .closed)
    }

    @Test("Observers receive transitions in the order in which they were made, whichever threads made them")
    func order() async throws {
        let test = try BreakerUnderTest()
        let seen = Lock<[CircuitTransition]>([])
        test.breaker.onTransition { transition in seen.withLock { $0.append(transition) } }
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<100 {
                        test.breaker.forceOpen()
                        test.breaker.reset()
                    }
                }
            }
        }
        let all = seen.withLock { $0 }
        let pairs = zip(all, all.dropFirst())
        #expect(pairs.allSatisfy { $0.generation < $1.generation })
        // If the thread that delivers them is halted, some are dropped, and their neighbours do not fit together.
        #expect(pairs.count { $0.to != $1.from } <= test.summary.droppedEvents)
        let made = test.summary.transitions.reduce(0) { $0 + $1.count }
        #expect(all.count + test.summary.droppedEvents == made)
    }
}
