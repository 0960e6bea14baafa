// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import axiom_demo

@Suite("The upstream's weather")
struct WeatherTests {
    private func forecasts(_ mode: FaultMode, at elapsed: Duration, seed: UInt64 = 1) -> [Weather.Forecast] {
        let time = ManualTime()
        let weather = Weather(mode, seed: seed, clock: .manual(time))
        time.advance(by: elapsed)
        return (0..<2_000).map { _ in weather.next() }
    }

    @Test("The schedule turns faults on and off", arguments: [FaultMode.mild, .storm])
    func schedule(_ mode: FaultMode) {
        let (on, period, share) = mode.schedule
        for cycle in 0..<3 {
            let faults = forecasts(mode, at: period * cycle).count { $0.fault != nil }
            #expect(abs(Double(faults) / 2_000 - share) < 0.05)
            #expect(forecasts(mode, at: period * cycle).allSatisfy { $0.isStormy })
            #expect(forecasts(mode, at: period * cycle + on).allSatisfy { $0.fault == nil && !$0.isStormy })
        }
    }

    @Test("Calm weather has no faults, and a storm has all of them")
    func modes() {
        #expect(forecasts(.none, at: .zero).allSatisfy { $0.fault == nil && !$0.isStormy })
        #expect(Set(forecasts(.storm, at: .zero).compactMap(\.fault)) == Set(Fault.allCases))
    }

    @Test("An answer comes long before the network's deadline, with a tail that is seeded")
    func latency() {
        let latencies = forecasts(.storm, at: .zero).map(\.latency)
        #expect(latencies.allSatisfy { $0 > .zero && $0 * 2 < HTTPNetwork.deadline })
        #expect(latencies == forecasts(.storm, at: .zero).map(\.latency))
        #expect(latencies != forecasts(.storm, at: .zero, seed: 2).map(\.latency))
    }
}
