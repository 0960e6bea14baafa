// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomMetrics
import Testing

@testable import AxiomInstrumentation

@Suite("The log of hangs")
final class HangLogTests {
    private var log = HangLog(interval: .milliseconds(50))
    private let sort = work(1, 1, span: 7)
    private let paint = work(1, 2, span: 8)

    private static func work(_ component: UInt64, _ name: UInt64, span: UInt64 = 0) -> RunningWork {
        RunningWork(component: component, name: name, span: span)
    }

    private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

    private func tick(_ now: Instant, _ work: RunningWork, _ times: SchedulerTimes? = nil) -> Int? {
        log.tick(at: now, work, times)
    }

    private func answered(_ number: Int, _ now: Instant) -> (delay: Int64, isHang: Bool)? {
        log.answered(number, at: now)
    }

    /// Sends a probe at 0 ms, sees `seen` at it and every 50 ms from then on, and answers it.
    private func hang(_ seen: [RunningWork], until end: Int64) throws -> HangLog.Entry? {
        let known = log.entries.count
        let number = try #require(tick(at(0), seen[0]))
        for (index, work) in seen.enumerated().dropFirst() {
            #expect(tick(at(Int64(index) * 50), work) == nil, "one probe at a time")
        }
        #expect(answered(number, at(end))?.delay == end * 1_000_000)
        return log.entries.count > known ? log.entries.last : nil
    }

    @Test("A delay of 100 ms is a hang, and a shorter one is none")
    func threshold() throws {
        #expect(try hang([.none, .none], until: 99) == nil)
        let entry = try #require(try hang([sort, sort, sort], until: 100))
        #expect(entry.hang.seconds == 0.1)
        #expect(entry.work == sort && entry.isSure)
    }

    @Test("The work that was seen most often held the main actor; it is certain if it was seen nearly all the time")
    func majority() throws {
        let mixed = try #require(try hang([paint, sort, sort, .none, sort], until: 240))
        #expect(mixed.work == sort && !mixed.isSure)
        let rare = try #require(try hang([sort, .none, .none, .none, .none], until: 240))
        #expect(rare.work == .none)
        #expect(rare.hang.cause == .application)
    }

    @Test("Runs of one action are one work, without a span")
    func runs() throws {
        let other = Self.work(1, 1, span: 9)
        let entry = try #require(try hang([sort, other, sort, other, paint], until: 240))
        #expect(entry.work == sort.kind)
    }

    @Test("If the watch did not run either, the process stood still, which is no hang")
    func process() throws {
        let number = try #require(tick(at(0), .none))
        #expect(answered(number, at(3_000))?.isHang == false)
        #expect(log.entries.last?.hang.cause == .process)
        #expect(log.entries.last?.hang.isSettled == true)
    }

    private func times(_ waited: UInt64, thread: UInt32 = 7) -> SchedulerTimes {
        SchedulerTimes(ran: 5_000_000, waited: waited * 1_000_000, thread: thread)
    }

    @Test("If its thread waited for a processor for more than half of the time, the operation did not hold it")
    func noProcessor() throws {
        for (waited, thread, isHang) in [(149, 7, true), (151, 7, false), (290, 8, true)] as [(UInt64, UInt32, Bool)] {
            let number = try #require(tick(at(0), sort, times(1_000)))
            for tick in 1...5 { _ = log.tick(at: at(Int64(tick) * 50), sort, times(1_000 + waited)) }
            let lasting = log.lasting(at: at(300))?.hang.cause
            let answer = log.answered(number, at: at(300), times(1_000 + waited, thread: thread))
            #expect(answer?.isHang == isHang, "\(waited) ms in thread \(thread)")
            #expect(log.entries.last?.hang.isSettled == !isHang)
            if !isHang { #expect(lasting == .process && log.entries.last?.hang.cause == .process) }
        }
    }

    @Test("Without the times of the thread nothing is known of processors")
    func unknownTimes() throws {
        for first in [nil, times(0)] {
            let number = try #require(tick(at(0), sort, first))
            for tick in 1...5 { _ = log.tick(at: at(Int64(tick) * 50), sort) }
            #expect(answered(number, at(300))?.isHang == true)
        }
    }

    @Test("A main actor that has never answered does not run, and is not held")
    func neverRun() throws {
        let number = try #require(tick(at(0), .none))
        for tick in 1...20 { _ = log.tick(at: at(Int64(tick) * 50), .none) }
        #expect(log.lasting(at: at(1_000)) == nil)
        #expect(log.worstDelay(since: at(0), at: at(1_000)) == nil)
        #expect(answered(number, at(1_001))?.isHang == true)
    }

    @Test("A hang that lasts is known after 100 ms, and keeps its number when it ends")
    func lasting() throws {
        #expect(try hang([.none], until: 1) == nil)
        let number = try #require(tick(at(50), sort))
        _ = log.tick(at: at(100), sort)
        #expect(log.lasting(at: at(149)) == nil)
        let lasting = try #require(log.lasting(at: at(150)))
        #expect(lasting.hang.isLasting && lasting.work == sort)
        #expect(log.worstDelay(since: at(100), at: at(150)) == 0.1)
        #expect(answered(number, at(350))?.isHang == true)
        #expect(log.entries.last?.hang.id == lasting.hang.id)
        #expect(log.lasting(at: at(400)) == nil)
    }

    @Test("An answer that comes after the watch has ended counts for nothing")
    func stopped() throws {
        let number = try #require(tick(at(0), .none))
        log.stop()
        #expect(answered(number, at(500)) == nil)
        let next = try #require(tick(at(500), .none))
        #expect(answered(number, at(501)) == nil)
        #expect(answered(next, at(501))?.delay == 1_000_000)
    }

    @Test("It keeps the latest hundred hangs")
    func capacity() throws {
        for _ in 0..<130 { _ = try hang([sort, sort], until: 120) }
        #expect(log.entries.count == HangLog.capacity)
        #expect(log.entries.first?.hang.id == 31)
    }
}
