// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomMetrics
import AxiomSampleApp
import AxiomStatistics
import AxiomTestSupport
import Foundation

/// Windows of a running application under a manual clock: its actions take as long as a seeded generator says.
@MainActor
struct RegressionReplay {
    /// What is done in each window: an action of the stateful client, of the stateless client, and of a context.
    enum Operation: String, CaseIterable {
        case sell = "TillClient.sell"
        case send = "MailClient.send"
        case think = "CounterContext.think"
    }

    let app: SampleApp
    private let time: ManualTime
    private let context: CounterContext
    /// Keeps the context.
    private let host: PresentationHost<CounterView>
    private var generator: SplitMix64

    init(seed: UInt64, _ options: RegressionOptions?) async throws {
        time = ManualTime()
        app = try await SampleApp.started(clock: .manual(time), regressions: options)
        host = try await app.mountedHost()
        guard let context = host.context else { throw Refused() }
        self.context = context
        generator = SplitMix64(seed: seed)
    }

    var telemetry: Telemetry { app.telemetry }

    /// The verdict on one operation.
    func verdict(_ operation: Operation) -> RegressionVerdict? {
        telemetry.regressions.report.verdicts.first { "\($0.component).\($0.action)" == operation.rawValue }
    }

    /// Lets windows of ten seconds pass, in each of which every operation is done `requests` times, the named ones
    /// slower by their factors. Ends at the end of the last window.
    mutating func run(windows: Int, requests: Int = 24, slowing factors: [Operation: Double] = [:]) async throws {
        for _ in 0..<windows {
            let begin = time.now
            // Windows differ a little among themselves, as those of a real application do.
            let level = 0.01 * normal()
            for _ in 0..<requests {
                for operation in Operation.allCases {
                    try await perform(operation, 0.002 * (factors[operation] ?? 1) * exp(level + 0.2 * normal()))
                }
            }
            time.advance(by: .seconds(10) - time.now.duration(since: begin))
            // Closed before anything more is done, whether the telemetry's own task was quicker or not.
            _ = telemetry.regressions.report
        }
    }

    /// Advances time in one step, without actions and without a turn for other tasks.
    func pause(_ duration: Duration) {
        time.advance(by: duration)
        _ = telemetry.regressions.report
    }

    func shutdown() async {
        await host.unmount()
        await app.orchestrator.shutdown()
    }

    /// Does something once, in `seconds`.
    func perform(_ operation: Operation, _ seconds: Double) async throws {
        let work: Work = { [time] in time.advance(by: .seconds(seconds)) }
        switch operation {
        case .sell: try await context.till.process(.sell(work))
        case .send: try await context.mail.process(.send(work))
        case .think: await context.send(.think(work))
        }
    }

    /// Box and Muller.
    private mutating func normal() -> Double {
        let radius = (-2 * log(Double.random(in: 1e-12...1, using: &generator))).squareRoot()
        return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &generator))
    }

    /// A baseline of one operation that the sample application has, with one window.
    nonisolated static func baseline() -> BaselineFile {
        var file = BaselineFile()
        file.fingerprint = .current()
        file.liveProfiles = [LiveProfile(operation: "process/MailClient/send", group: "MailClient")]
        return file
    }
}
