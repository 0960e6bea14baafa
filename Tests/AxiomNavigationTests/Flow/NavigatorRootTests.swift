// SPDX-License-Identifier: Apache-2.0

import AxiomNavigation
import Testing

@Suite("A navigator that returns to the root", .timeLimit(.minutes(10)))
@MainActor
struct NavigatorRootTests {
    @Test("It leaves the first screen only (NAV-02)")
    func root() async throws {
        let world = try await FlowWorld.open()
        let navigator = Navigator(world.flow)
        try await navigator.request(FlowRoute.item(1))
        try await navigator.request(FlowRoute.item(2))
        #expect(world.flow.routes == [.home, .item(1), .item(2)])
        try await navigator.toRoot()
        #expect(world.flow.routes == [.home])
    }
}
