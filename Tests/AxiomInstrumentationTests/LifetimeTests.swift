// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomMetrics
import AxiomSampleApp
import Testing

@Suite("Lifetimes and leak suspects")
@MainActor
struct LifetimeTests {
    @Test("How long a context and its presentation lived is observed when they end")
    func lifetime() async throws {
        let time = ManualTime()
        let app = try await SampleApp.started(clock: .manual(time))
        let host = try await app.mountedHost()
        time.advance(by: .seconds(5))
        await host.unmount()
        for (kind, name) in [
            ("context", "CounterContext"), ("context", "ReceiptContext"), ("presentation", "CounterView"),
        ] {
            let labels = ["kind": kind, "component": name]
            let histogram = try #require(app.metrics.series("axiom_component_lifetime_seconds", labels)?.histogram)
            #expect(histogram.sum == 5, "\(name)")
            // The bounds are 1 ms, 10 ms, 100 ms, 1 s, 10 s and so on.
            #expect(histogram.counts == [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0], "\(name)")
        }
    }

    @Test("Each component is counted once when it is created and once when it ends", arguments: [1, 3])
    func counts(_ mounts: Int) async throws {
        let app = try await SampleApp.started()
        for _ in 0..<mounts { try await app.runOnce() }
        var metrics = app.metrics
        for (kind, name) in [
            ("context", "CounterContext"), ("context", "ReceiptContext"), ("presentation", "CounterView"),
        ] {
            #expect(metrics.component("created_total", kind, name) == Double(mounts))
            #expect(metrics.component("destroyed_total", kind, name) == Double(mounts))
            #expect(metrics.component("live", kind, name) == 0)
        }
        let singletons = [("capability", "Vault"), ("client", "TillClient"), ("client", "MailClient")]
        for (kind, name) in singletons { #expect(metrics.component("live", kind, name) == 1, "\(name)") }
        await app.orchestrator.shutdown()
        metrics = app.metrics
        for (kind, name) in singletons {
            #expect(metrics.component("created_total", kind, name) == 1, "\(name)")
            #expect(metrics.component("destroyed_total", kind, name) == 1, "\(name)")
        }
        #expect(metrics.total("axiom_component_leak_suspects") == 0)
    }

    @Test("A context that is kept after its unmount is a suspect from the threshold until it is released")
    func keptContext() async throws {
        let time = ManualTime()
        let app = try await SampleApp.started(clock: .manual(time), leakThreshold: .seconds(30))
        let host = try await app.mountedHost()
        var planted = host.context
        // Time while it was mounted does not count.
        time.advance(by: .seconds(1000))
        #expect(app.metrics.total("axiom_component_leak_suspects") == 0)
        await host.unmount()
        time.advance(by: .nanoseconds(29_999_999_999))
        #expect(app.metrics.total("axiom_component_leak_suspects") == 0)
        time.advance(by: .nanoseconds(1))
        #expect(app.metrics.component("leak_suspects", "context", "CounterContext") == 1)
        // It keeps the context below it.
        #expect(app.metrics.component("leak_suspects", "context", "ReceiptContext") == 1)
        #expect(app.metrics.component("leak_suspects", "presentation", "CounterView") == 0)
        withExtendedLifetime(planted) {}
        planted = nil
        #expect(app.metrics.total("axiom_component_leak_suspects") == 0)
        #expect(app.metrics.component("live", "context", "CounterContext") == 0)
    }

    @Test("With a threshold of 0 s a kept context is suspected at once")
    func noThreshold() async throws {
        let app = try await SampleApp.started(clock: .manual(ManualTime()), leakThreshold: .zero)
        let host = try await app.mountedHost()
        let planted = host.context
        await host.unmount()
        #expect(app.metrics.component("leak_suspects", "context", "CounterContext") == 1)
        withExtendedLifetime(planted) {}
        let leaks = {
            app.metrics.value("axiom_budget_violations_total", ["budget": "leak_prevention", "component": $0])
        }
        #expect(leaks("CounterContext") == 1)
        try await app.runOnce()
        #expect(leaks("CounterContext") == 1, "one that ends at once is none")
    }

    @Test("After the shutdown all living components except the orchestrator are suspects at once")
    func afterShutdown() async throws {
        let time = ManualTime()
        let app = try await SampleApp.started(clock: .manual(time))
        var host: PresentationHost<CounterView>? = try await app.mountedHost()
        // A client that a test or a task of the application still retains.
        var planted = host?.context?.mail
        await app.orchestrator.shutdown()
        host = nil
        #expect(app.metrics.component("leak_suspects", "client", "MailClient") == 1)
        #expect(app.metrics.total("axiom_component_leak_suspects") == 1)
        #expect(app.metrics.component("live", "orchestrator", "Orchestrator") == 1)
        withExtendedLifetime(planted) {}
        planted = nil
        #expect(app.metrics.total("axiom_component_leak_suspects") == 0)
    }

    @Test("The phases of a context's life are timed")
    func phases() async throws {
        let time = ManualTime()
        let app = try await SampleApp.started(clock: .manual(time))
        try await app.runOnce()
        func observed(_ phase: String) -> Double? {
            let labels = ["context": "CounterContext", "phase": phase]
            return app.metrics.value("axiom_context_lifecycle_duration_seconds", labels)
        }
        for phase in ["create", "appear", "disappear", "background", "foreground"] {
            #expect(observed(phase) == 1, "\(phase)")
        }
    }

    @Test("A change of observed state is timed until the frame that shows it")
    func rendering() async throws {
        let app = try await SampleApp.started()
        let (pictures, drawn) = AsyncStream.makeStream(of: String.self)
        let host = PresentationHost(CounterView.self, app.orchestrator) { drawn.yield($0) }
        try await host.mount()
        var iterator = pictures.makeAsyncIterator()
        #expect(await iterator.next() == "0 sold")
        let labels = ["context": "CounterContext", "phase": "render"]
        #expect(app.metrics.value("axiom_context_lifecycle_duration_seconds", labels) == 0)
        host.context?.sales = 7
        #expect(await iterator.next() == "7 sold")
        #expect(app.metrics.value("axiom_context_lifecycle_duration_seconds", labels) == 1)
        await host.unmount()
    }
}
#endif
