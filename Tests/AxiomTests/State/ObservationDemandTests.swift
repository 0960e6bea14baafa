// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import Axiom

/// A history of subscribers, phases and a runner, beside what the hooks have to do.
private struct DemandHistory {
    var demand = ObservationDemand()
    var random: SeededGenerator
    var subscribers = 0
    var (isOpen, isClosed) = (false, false)
    /// Whether a runner runs, and whether a hook of it is under way.
    var (isRunning, isCalling) = (false, false)
    var calls: [ObservationDemand.Call] = []

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private var isWanted: Bool { isOpen && !isClosed && subscribers > 0 }
    private var isNotified: Bool { calls.last == .observed }

    mutating func step() {
        switch Int.random(in: 0..<10, using: &random) {
        case 0 where !isOpen:
            isOpen = true
            expectStart(demand.open())
        case 1 where isOpen && Int.random(in: 0..<8, using: &random) == 0: close()
        case 2...4:
            subscribers += 1
            expectStart(demand.change(hasSubscribers: true))
        case 5...6 where subscribers > 0:
            subscribers -= 1
            expectStart(demand.change(hasSubscribers: subscribers > 0))
        default: run()
        }
    }

    mutating func close() {
        isClosed = true
        expectStart(demand.close())
    }

    /// The runner takes its next call, or the end of the call under way.
    mutating func run() {
        guard isRunning else { return }
        isCalling = false
        let call = demand.next()
        #expect(call == (isWanted == isNotified ? nil : isWanted ? .observed : .unobserved))
        guard let call else {
            isRunning = false
            return
        }
        #expect(call != calls.last, "the calls alternate")
        #expect(calls.isEmpty ? call == .observed : true)
        calls.append(call)
        isCalling = true
    }

    private mutating func expectStart(_ starts: Bool) {
        #expect(starts == (!isRunning && isWanted != isNotified), "one runner, and only if there is a call to make")
        if starts { isRunning = true }
    }

    mutating func finish() {
        while isRunning { run() }
        #expect(isNotified == isWanted, "a runner ends only when the client knows whether it is observed")
    }
}

@Suite("The demand for observation")
struct ObservationDemandTests {
    @Test("Over random histories the hooks alternate, never overlap, and end in agreement (C13)")
    func matchesReference() async {
        for seed in 0..<Histories.count {
            if seed.isMultiple(of: 100) { await Task.yield() }
            var history = DemandHistory(seed: seed)
            for _ in 0..<30 { history.step() }
            history.finish()
            if seed.isMultiple(of: 2) {
                history.close()
                history.finish()
                #expect(history.calls.last != .observed, "seed \(seed)")
            }
        }
    }
}
