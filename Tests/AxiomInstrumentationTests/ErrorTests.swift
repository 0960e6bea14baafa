// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomInstrumentation
import AxiomMetrics
import AxiomResilience
import AxiomSampleApp
import Testing

@Suite("Errors")
@MainActor
struct ErrorTests {
    private func errors(_ app: SampleApp) -> [[String: String]: Double] {
        let family = app.metrics.family("axiom_errors_total").map(Array.init) ?? []
        return Dictionary(
            uniqueKeysWithValues: family.map { series in
                (Dictionary(uniqueKeysWithValues: series.labels.pairs.map { ($0.name, $0.value) }), series.value)
            }
        )
    }

    @Test("A client's error counts once, under the client, with its own code and severity")
    func clientError() async throws {
        let app = try await SampleApp.started()
        let host = try await app.mountedHost()
        await host.context?.send(.sell { throw PaperJam() })
        #expect(
            errors(app) == [["component": "TillClient", "code": "SHOP_PRINTER_001", "severity": "critical"]: 1]
        )
    }

    @Test("A context's own error counts under the context; an unknown type is its code")
    func contextError() async throws {
        let app = try await SampleApp.started()
        let host = try await app.mountedHost()
        await host.context?.send(.think { throw Refused() })
        await host.context?.send(.mail { throw Refused() })
        await host.context?.send(.mail { throw Refused() })
        #expect(
            errors(app) == [
                ["component": "CounterContext", "code": "Refused", "severity": "non_critical"]: 1,
                ["component": "MailClient", "code": "Refused", "severity": "non_critical"]: 2,
            ]
        )
    }

    @Test("An error that the context handled itself ended at no boundary: the client's failure is all that shows")
    func handledError() async throws {
        let app = try await SampleApp.started()
        let host = try await app.mountedHost()
        let context = try #require(host.context)
        await context.send(.sellAnyway { throw Refused(reason: 7) })
        #expect(context.caught as? Refused == Refused(reason: 7), "the context sees the client's own error")
        #expect(errors(app).isEmpty)
        #expect(app.metrics.outcomes(context: "CounterContext", "sellAnyway")["success"] == 1)
        #expect(app.metrics.outcomes(client: "TillClient", "sell")["failure"] == 1)
    }

    @Test("A cancelled action is no error")
    func cancelled() async throws {
        let app = try await SampleApp.started()
        let host = try await app.mountedHost()
        await host.context?.send(.sell { throw Cancellation.onPurpose })
        await host.context?.send(.think { throw Cancellation.onPurpose })
        #expect(errors(app).isEmpty)
        #expect(host.context?.errorBoundary.count == 0)
    }

    @Test("The counted errors are those that reached the boundary, from any component")
    func conservation() async throws {
        let app = try await SampleApp.started()
        let host = try await app.mountedHost()
        let context = try #require(host.context)
        for number in 0..<30 {
            switch number % 5 {
            case 0: await context.send(.sell { throw Refused(reason: number) })
            case 1: await context.send(.think { throw PaperJam() })
            case 2: await context.send(.refund(CardNumber()))
            case 3: await context.send(.mail { throw Cancellation.onPurpose })
            default: await context.send(.sell {})
            }
        }
        #expect(app.metrics.total("axiom_errors_total") == 18)
        #expect(context.errorBoundary.count == 18)
        #expect(app.metrics.total("axiom_context_actions_total", where: ["outcome": "failure"]) == 18)
    }

    @Test("An error at the start counts under the component that failed")
    func startErrors() async throws {
        let telemetry = try Telemetry()
        let orchestrator = Orchestrator(instrumentation: telemetry, limits: .endless)
        orchestrator.register(Vault.self, requirement: .optional) { Vault($0) }
        orchestrator.register(TillClient.self) { _ in throw PaperJam() }
        try await orchestrator.start()
        let labels = ["component": "TillClient", "code": "SHOP_PRINTER_001", "severity": "critical"]
        let metrics = telemetry.registry.collect()
        #expect(metrics.value("axiom_errors_total", labels) == 1)
        #expect(metrics.component("created_total", "client", "TillClient") == 0, "a factory that throws makes nothing")
        await orchestrator.shutdown()
    }
}
#endif
