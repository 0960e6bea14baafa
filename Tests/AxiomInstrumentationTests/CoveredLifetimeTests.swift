// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomMetrics
import AxiomSampleApp
import Testing

@MainActor
@Suite("The telemetry of covered contexts", .timeLimit(.minutes(10)))
struct CoveredLifetimeTests {
    private func phases(_ phase: String, _ app: SampleApp) -> Double? {
        let labels = ["context": "CounterContext", "phase": phase]
        let histogram = app.metrics.series("axiom_context_lifecycle_duration_seconds", labels)?.histogram
        return histogram.map { Double($0.count) }
    }

    @Test("Covering is a disappearance and uncovering an appearance, and no error (CTX-08)")
    func phases() async throws {
        let app = try await SampleApp.started()
        let host = try await app.mountedHost()
        #expect(phases("appear", app) == 1 && phases("disappear", app) == 0)
        await host.cover()
        #expect(phases("appear", app) == 1 && phases("disappear", app) == 1)
        await host.uncover()
        #expect(phases("appear", app) == 2 && phases("disappear", app) == 1)
        await host.unmount()
        #expect(phases("appear", app) == 2 && phases("disappear", app) == 2)
        #expect(app.metrics.total("axiom_errors_total") == 0)
    }

    @Test("A covered context is live for as long as it is mounted, and no suspect of a leak (CTX-08)")
    func lifetimes() async throws {
        let time = ManualTime()
        let app = try await SampleApp.started(clock: .manual(time), leakThreshold: .seconds(1))
        let hosts = [try await app.mountedHost(), try await app.mountedHost()]
        await hosts[0].cover()
        time.advance(by: .seconds(1_000))
        for (destroyed, live) in [(0.0, 2.0), (1, 1), (2, 0)] {
            if destroyed > 0 { await hosts[Int(destroyed) - 1].unmount() }
            time.advance(by: .seconds(10))
            for name in ["CounterContext", "ReceiptContext"] {
                #expect(app.metrics.component("created_total", "context", name) == 2)
                #expect(app.metrics.component("destroyed_total", "context", name) == destroyed)
                #expect(app.metrics.component("live", "context", name) == live)
            }
            #expect(app.metrics.total("axiom_component_leak_suspects") == 0)
        }
    }
}
#endif
