// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomTestSupport
import Testing

@testable import AxiomDashboard

@Suite("Slow calls and violations of budgets name their traces", .timeLimit(.minutes(10)))
struct SlowTraceTests {
    private func rows(_ list: String, of app: TracedApp) throws -> [[String: JSONItem]] {
        app.time.advance(by: .seconds(1))
        app.dashboard.sample()
        return try JSONItem(app.dashboard.snapshot()).object[list]?.list.map(\.object) ?? []
    }

    @Test("A slow call names the trace that was kept because of it, and one whose trace was not kept names none")
    func slowest() async throws {
        let app = try TracedApp()
        let failed = await app.trace("root", [.init(who: .client(0, 1), nanoseconds: 7_000_123)], end: .broken)
        // Three traces of this name are kept as the slowest of the minute; the call is in a faster one.
        for _ in 0..<3 {
            _ = await app.trace("other", [.init(who: .named("wait"), nanoseconds: 90_000_000)])
        }
        _ = await app.trace("other", [.init(who: .client(1, 2), nanoseconds: 6_000_321)])
        let slowest = try rows("slowest", of: app)
        let kept = try #require(slowest.first { $0["action"]?.string == "sand" })
        #expect(kept["trace"]?.string == failed?.description)
        let other = try #require(slowest.first { $0["action"]?.string == "glue" })
        #expect(other["trace"]?.string == nil)
    }

    @Test("The worst violations of a budget name their traces")
    func worst() async throws {
        let app = try TracedApp()
        let id = await app.trace("root", [.init(who: .client(2, 0), nanoseconds: 1_500_000_007)])
        let budgets = try rows("budgets", of: app)
        let worst = budgets.compactMap { $0["worst"]?.list.map(\.object) }.joined()
        let example = try #require(worst.first { $0["action"]?.string == "cut" })
        #expect(id != nil && example["trace"]?.string == id?.description)
    }
}
#endif
