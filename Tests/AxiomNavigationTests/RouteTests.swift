// SPDX-License-Identifier: Apache-2.0

import AxiomNavigation
import Testing

@Suite("Routes")
struct RouteTests {
    private enum Plain: Route {
        case only

        var identifier: String { "only" }
        static let samples: [Plain] = [.only]
    }

    @Test("A route needs an identifier and samples only: it is pushed, and requires nothing (NAV-03, NAV-04, NAV-05)")
    func defaults() {
        #expect(Plain.only.metadata == RouteMetadata())
        #expect(!RouteMetadata().requiresAuthentication && RouteMetadata().transition == .push)
        #expect(TransitionStyle.modal(.sheet).name == "modal" && TransitionStyle.replace.name == "replace")
    }
}
