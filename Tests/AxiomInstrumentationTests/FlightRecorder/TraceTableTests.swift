// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import AxiomBase
import AxiomTestSupport
import Foundation
import Synchronization
import Testing

@testable import AxiomInstrumentation

@Suite("The table of open traces", .timeLimit(.minutes(10)))
struct TraceTableTests {
    private static let recorder: UInt64 = 7

    /// A span of a trace that is called like its link.
    private func span(of link: UInt64) -> SpanWords {
        var span = SpanRingTests.words(link | 1)
        span.trace = link
        return span
    }

    /// Threads that begin and end traces, beside threads that add spans to the trace of one of them: in time, late, and
    /// while it ends.
    @Test("While traces end and begin, no span gets into the record of another trace, and no record is lost")
    func hammer() throws {
        let (table, rounds) = (
            try TraceTable(bytes: 1 << 17, recorder: Self.recorder), max(50_000, TestScale.count(1_000_000, usual: 0.1))
        )
        let current = [Current(), Current()]
        let ended = DispatchSemaphore(value: 0)
        for own in current {
            Thread.detachNewThread {
                for _ in 0..<rounds { run(own, table) }
                own.link.store(0, ordering: .relaxed)
                ended.signal()
            }
            Thread.detachNewThread {
                while true {
                    let link = own.link.load(ordering: .relaxed)
                    if link == 0 { break }
                    // 1 is the time before the first trace.
                    if link != 1 { table.add(span(of: link), stamp: link, marks: .failed, to: link) }
                }
                ended.signal()
            }
        }
        for _ in 0..<(2 * current.count) { ended.wait() }
        #expect(table.openCount == 0)
        #expect(current.allSatisfy { $0.foreign.load(ordering: .relaxed) == 0 }, "spans of other traces were found")
        #expect(current.reduce(0) { $0 + $1.seen.load(ordering: .relaxed) } >= 2 * rounds)
    }

    /// The trace of one thread, to which others add spans.
    private final class Current: Sendable {
        let link = Atomic<UInt64>(1)
        let seen = Atomic(0)
        let foreign = Atomic(0)
    }

    /// Begins and ends a trace with one span of its own.
    private func run(_ own: Current, _ table: TraceTable) {
        let link = table.open()
        own.link.store(link, ordering: .relaxed)
        table.add(span(of: link), stamp: link, marks: [], to: link)
        table.close(link) { _, spans in
            spans.readEach { span, _ in
                if span == self.span(of: link) {
                    own.seen.wrappingAdd(1, ordering: .relaxed)
                } else {
                    own.foreign.wrappingAdd(1, ordering: .relaxed)
                }
            }
        }
    }

    @Test("A span that is added while the root ends is left out, and so is one after it")
    func closed() throws {
        let table = try TraceTable(bytes: 1 << 17, recorder: Self.recorder)
        let link = table.open()
        table.add(span(of: link), stamp: 2, marks: [], to: link)
        table.close(link) { marks, spans in
            #expect(marks.isDisjoint(with: [.failed, .requested, .overBudget]))
            table.add(span(of: link), stamp: 4, marks: .failed, to: link)
            table.mark(.requested, link)
            #expect(table.openCount == 1)
            var stamps: [UInt64] = []
            spans.readEach { stamps.append($1) }
            #expect(stamps == [2])
        }
        table.add(span(of: link), stamp: 6, marks: .failed, to: link)
        #expect(table.openCount == 0)
        let next = table.open()
        table.close(next) { marks, spans in
            #expect(marks.isDisjoint(with: [.failed, .requested, .overBudget]))
            spans.readEach { span, _ in Issue.record("\(span) is of the trace before") }
        }
    }

    @Test("A record is free when the last writer that reserved a slot in time has filled it, and holds no old span")
    func slowWriter() throws {
        let table = try TraceTable(bytes: 1 << 17, recorder: Self.recorder)
        let old = table.open()
        for _ in 0..<5 { table.add(span(of: old), stamp: 2, marks: [], to: old) }
        table.close(old) { _, _ in }
        // The same record.
        let link = table.open()
        let slow = try #require(table.reserve(link, stamp: 4, marks: []))
        table.close(link) { _, spans in
            spans.readEach { span, _ in Issue.record("\(span) is of the trace before, or not written") }
        }
        #expect(table.openCount == 1, "the record is in use")
        #expect(table.reserve(link, stamp: 6, marks: []) == nil, "the trace is closed")
        let next = table.open()
        #expect(next >> 16 & 0xffff != link >> 16 & 0xffff)
        table.fill(slow, span(of: link), stamp: 4)
        #expect(table.openCount == 1)
        #expect(table.reserve(link, stamp: 6, marks: []) == nil)
        table.close(next) { _, spans in spans.readEach { span, _ in Issue.record("\(span) is of another trace") } }
        #expect(table.openCount == 0)
    }

    @Test("A link of another recorder, and one without a record, are of no trace")
    func foreignLinks() throws {
        let table = try TraceTable(bytes: 1 << 17, recorder: Self.recorder)
        let link = table.open()
        table.add(span(of: link), stamp: 2, marks: .failed, to: link ^ 3)
        table.mark(.requested, link ^ 3)
        table.mark(.requested, Self.recorder)
        table.close(link) { marks, spans in
            #expect(marks.isDisjoint(with: [.failed, .requested, .overBudget]))
            spans.readEach { span, _ in Issue.record("\(span) is of another recorder") }
        }
    }
}
#endif
