// SPDX-License-Identifier: Apache-2.0

#if Instrumented && os(Linux)
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomProfiler
import AxiomStatistics
import CPlantedCode
import Foundation
import Testing

// One profiler runs in a process at a time.
extension ProfilerTests {
    /// The baseline has more than the eight blocks of twelve windows with which gross growth is found though durations follow something,
    /// as those of a test beside other processes do.
    private static var policy: LivePolicy {
        var policy = LivePolicy()
        (policy.windowLength, policy.minimumRequests, policy.percentiles) = (1, 5, [0.5])
        (policy.horizon, policy.minimumWindows, policy.lookInterval, policy.persistence) = (60, 12, 2, 4)
        (policy.falseAlarmRate, policy.minimumEffect) = (0.01, 0.3)
        return policy
    }

    /// How many rounds of a planted function take a millisecond of processor time: as the fastest of ten trials, once for all calls.
    private static let millisecond: UInt64 = {
        let ticks = (0..<10).map { _ in
            let start = clock()
            planted_keep(planted_action_burn(9, 20_000_000))
            return UInt64(max(1, clock() - start))
        }
        return 20_000_000 * UInt64(CLOCKS_PER_SEC) / 1_000 / (ticks.min() ?? 1)
    }()

    /// Calls for some seconds that spend so many milliseconds in each of two functions.
    private func work(_ app: CallingApp, seconds: Int, _ first: UInt64, _ second: UInt64) async throws {
        let rounds = Self.millisecond
        let end = ContinuousClock.now.advanced(by: .seconds(seconds))
        while ContinuousClock.now < end {
            _ = try await app.client.process(
                SpanAction {
                    planted_keep(planted_action_burn(1, first * rounds))
                    planted_keep(planted_action_burn(2, second * rounds))
                }
            )
            try await Task.sleep(for: .milliseconds(15))
        }
    }

    @Test(
        "The function that takes longer is named in the regression of a real application",
        .enabled(if: ProcessInfo.processInfo.environment["AXIOM_MEASURE"] != nil, "set AXIOM_MEASURE=1")
    )
    func namedRegression() async throws {
        let recording = try Telemetry(regressions: .recording(Self.policy))
        try await work(.started(recording), seconds: 110, 2, 2)
        let baseline = try recording.recordProfile()
        let judging = try Telemetry(regressions: .judging(against: baseline, Self.policy))
        let profiler = try await Profiler.start(judging)
        defer { profiler.stop() }
        let app = try await CallingApp.started(judging)
        try await work(app, seconds: 60, 2, 2)
        try await work(app, seconds: 50, 2, 8)
        let verdicts = judging.regressions.report.regressed
        print("MEASURED \(verdicts.map(\.description))")
        let words = try #require(verdicts.first?.functions, "\(judging.regressions.report.verdicts)")
        #expect(words.hasSuffix("in planted_action_2"), "\(words)")
    }
}
#endif
