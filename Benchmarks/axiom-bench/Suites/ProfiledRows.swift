// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomBenchmarking
import AxiomInstrumentation
import AxiomProfiler
import Observation

#if Instrumented
/// What a profiler costs the calls of a client: that each binds its span, and the samples.
enum ProfiledRows {
    static func add(to suite: inout BenchmarkSuite) {
        let goal = BenchmarkGoal.atMost(1.01, "the processor time of a call without samples; both bind their spans")
        suite.addValue("client.profiled", unit: "x unsampled", kind: .information, options: .goal(goal)) {
            try await sampled()
        }
        let words = "atomic additions beyond the call of a telemetry without a profiler"
        let binding = BenchmarkGoal.atMost(60, words).held(at: 166)
        suite.addValue("client.profiled.added", unit: "x atomic", kind: .information, options: .goal(binding)) {
            let (bound, plain) = (try await Clients.make(isBound: true), try await Clients.make(isBound: false))
            let total = Total()
            let times = try await Turns.times(
                rounds: 101,
                iterations: 5_000,
                [
                    { await call(bound, $0) },
                    { await call(plain, $0) },
                    { for _ in 0..<$0 { total.add() } },
                ]
            )
            return (times[0] - times[1]) / times[2]
        }
    }

    /// The quotient of the processor times of a call, in rounds of a third of a second with and without samples: the median.
    private static func sampled() async throws -> Double {
        var iterations = 10_000
        let (clients, telemetry) = (try await Clients.make(isBound: true), try Telemetry())
        let (start, time) = (ProcessorTime.seconds, 0.3)
        await call(clients, iterations)
        iterations = max(iterations, Int(Double(iterations) * time / (ProcessorTime.seconds - start)))
        var quotients: [Double] = []
        for _ in 0..<Repetitions.count(21) {
            let off = await seconds(clients, iterations)
            let profiler: Profiler
            do throws(ProfilerError) {
                profiler = try await Profiler.start(telemetry)
            } catch {
                return .nan
            }
            // The threads get their timers.
            try await Task.sleep(for: .milliseconds(150))
            quotients.append(await seconds(clients, iterations) / off)
            profiler.stop()
        }
        return quotients.sorted()[quotients.count / 2]
    }

    private static func seconds(_ clients: Clients, _ iterations: Int) async -> Double {
        let start = ProcessorTime.seconds
        await call(clients, iterations)
        return ProcessorTime.seconds - start
    }

    private static func call(_ clients: Clients, _ iterations: Int) async {
        for _ in 0..<iterations { try? await clients.client.process(.increment) }
    }

    /// Takes the place of a profiler, so that calls bind their spans.
    private final class NoProfile: ProfileSource {
        func profile(_ query: ProfileQuery) -> Profile {
            Profile(start: TimeSource.live.now, end: TimeSource.live.now, rate: 1)
        }

        func file(of profile: Profile, format: String) -> [UInt8]? { nil }
    }

    private struct Clients: Sendable {
        let telemetry: Telemetry
        /// Lives as long as what it made.
        let orchestrator: Orchestrator
        let client: any Client<TallyClient.State, TallyClient.Action>

        @MainActor
        static func make(isBound: Bool) async throws -> Clients {
            let telemetry = try Telemetry()
            if isBound { _ = telemetry.attach(NoProfile()) }
            let orchestrator = Orchestrator(instrumentation: telemetry)
            orchestrator.register(TallyClient.self) { TallyClient($0) }
            orchestrator.register(ProbeContext.self) { try ProbeContext($0) }
            try await orchestrator.start()
            let client = try orchestrator.makeContext(ProbeContext.self).client
            try await client.processFirst(.increment)
            return Clients(telemetry: telemetry, orchestrator: orchestrator, client: client)
        }
    }
}
#endif
