// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomSampleApp
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomDashboard

@Suite("Actions on the page", .timeLimit(.minutes(10)))
@MainActor
struct ActionFeedTests {
    private struct Row: Decodable {
        let text: String
        let kind: String
        let panel: String?
        let component: Int?
        let ended: Double?
    }

    private struct Page: Decodable {
        struct App: Decodable { let allows: Bool? }

        let app: App
        let problems: [Row]
        let events: [Row]
        let components: [Component]
    }

    private struct Component: Decodable {
        let id: Int
        let name: String
    }

    private func page(_ dashboard: Dashboard) throws -> Page {
        try JSONDecoder().decode(Page.self, from: Data(dashboard.snapshot()))
    }

    @Test("An injected fault is a warning that names its end, and an event; at its end the problem is over")
    func feed() async throws {
        let time = ManualTime()
        let app = try await SampleApp.started(clock: .manual(time))
        let dashboard = Dashboard(telemetry: app.telemetry, name: "Shop", features: [.allowsActions])
        let body = #"{"component":"TillClient","set":"latency","value":2,"seconds":60}"#
        #expect(dashboard.perform(.fault, Array(body.utf8)).status == 200)
        time.advance(by: .seconds(1))
        dashboard.sample()
        var shown = try page(dashboard)
        let sentence = "Latency of 2 s injected into TillClient until 22:14:20 UTC"
        let problem = try #require(shown.problems.first { $0.text == sentence })
        #expect(problem.kind == "warn" && problem.panel == "detail" && problem.ended == nil)
        #expect(problem.component == shown.components.first { $0.name == "TillClient" }?.id)
        #expect(shown.events.contains { $0.kind == "action" && $0.text == sentence })
        #expect(shown.app.allows == true)
        time.advance(by: .seconds(60))
        dashboard.sample()
        time.advance(by: .seconds(1))
        dashboard.sample()
        _ = dashboard.events()
        shown = try page(dashboard)
        #expect(shown.problems.first { $0.text == sentence }?.ended != nil)
        #expect(shown.events.contains { $0.text == "Latency of 2 s injected into TillClient: its time is over" })
    }

    @Test("Without the option a page does not mention actions, and refuses them")
    func off() async throws {
        let app = try await SampleApp.started()
        let dashboard = Dashboard(telemetry: app.telemetry, name: "Shop")
        #expect(try page(dashboard).app.allows == nil)
        #expect(dashboard.listActions().status == 404)
        let answer = dashboard.perform(.breaker, Array(#"{"component":"TillClient","set":"reset"}"#.utf8))
        #expect(answer.status == 404)
        #expect(app.telemetry.readings.developerActions.uses.isEmpty)
    }

    @Test("The end of the dashboard ends every action")
    func stop() async throws {
        let app = try await SampleApp.started()
        let dashboard = Dashboard(telemetry: app.telemetry, name: "Shop", features: [.allowsActions])
        try app.telemetry.readings.developerActions.perform(.takeAway("Vault", for: .seconds(600)))
        dashboard.stop()
        #expect(app.telemetry.readings.developerActions.inForce.isEmpty)
    }
}
#endif
