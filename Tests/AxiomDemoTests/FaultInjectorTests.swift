// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import ShopLoad
import Testing

@testable import axiom_demo

@Suite("The faults of the shop's server")
struct FaultInjectorTests {
    private func plans(_ mode: FaultMode, at elapsed: Duration, seed: UInt64 = 1) -> [FaultInjector.Plan] {
        let time = ManualTime()
        let injector = FaultInjector(mode, seed: seed, clock: .manual(time))
        time.advance(by: elapsed)
        return (0..<2_000).map { _ in injector.next() }
    }

    @Test("The schedule turns faults on and off", arguments: [FaultMode.mild, .storm])
    func schedule(_ mode: FaultMode) {
        let (on, period, share) = mode.schedule
        for cycle in 0..<3 {
            let faults = plans(mode, at: period * cycle).count { $0.fault != nil }
            #expect(abs(Double(faults) / 2_000 - share) < 0.05)
            #expect(plans(mode, at: period * cycle).allSatisfy { $0.isStormy })
            #expect(plans(mode, at: period * cycle + on).allSatisfy { $0.fault == nil && !$0.isStormy })
        }
    }

    @Test("The mode none has no faults, and the mode storm has all of them")
    func modes() {
        #expect(plans(.none, at: .zero).allSatisfy { $0.fault == nil && !$0.isStormy })
        #expect(Set(plans(.storm, at: .zero).compactMap(\.fault)) == Set(Fault.allCases))
    }

    @Test("An answer comes long before the network's deadline, and its latency depends on the seed")
    func latency() {
        let latencies = plans(.storm, at: .zero).map(\.latency)
        #expect(latencies.allSatisfy { $0 > .zero && $0 * 2 < HTTPNetwork.deadline })
        #expect(latencies == plans(.storm, at: .zero).map(\.latency))
        #expect(latencies != plans(.storm, at: .zero, seed: 2).map(\.latency))
    }
}
