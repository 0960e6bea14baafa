// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomNavigation
import Testing

@Suite("The errors of flows")
struct NavigationErrorTests {
    /// The cycle of a turn that waits for itself.
    private func waitCycle() throws -> WaitCycle {
        var table = TurnTable()
        let subject = TurnSubject(.navigation, of: ComponentDescriptor(kind: .orchestrator, name: "Orchestrator"))
        let turn = table.begin(subject, at: TimeSource.live.now, within: nil)
        return try #require(throws: WaitCycle.self) { try table.beginWait(of: turn, for: turn) }
    }

    @Test("Each error has a code of the catalogue, its severity and action, a message and a remedy (NAV-24)")
    func catalogue() throws {
        let cycle = try waitCycle()
        let errors: [NavigationError] = [
            .redirectCircle(["a", "b", "a"]), .tooManyRedirects(["a", "b"], limit: 1), .historyFull("a", limit: 2),
            .waitsForItself("main", cycle), .nextCalledTwice("a"),
            .flowEnded("main", "the application does not run"), .emptyHistory, .routeInHistory("a"),
        ]
        let codes: [ErrorCode] = [
            .redirectCircle, .tooManyRedirects, .historyFull, .navigationWaitsForItself, .nextCalledTwice, .flowEnded,
            .emptyHistory, .routeInHistory,
        ]
        #expect(errors.map(\.code) == codes)
        for error in errors {
            let entry = try #require(ErrorCatalog.entry(for: error.code))
            #expect(error.severity == entry.severity && error.suggestedAction == entry.suggestedAction)
            #expect(!error.message.isEmpty && error.recoverySuggestion == entry.remedy)
        }
    }
}
