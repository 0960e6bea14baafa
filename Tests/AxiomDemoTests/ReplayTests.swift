// SPDX-License-Identifier: Apache-2.0

import Axiom
import Testing

@testable import axiom_demo

@MainActor
@Suite("Replays of a recording", .timeLimit(.minutes(10)))
struct ReplayTests {
    @Test("A replay fails where an action succeeded in the recording, and the server now refuses its request")
    func broken() async throws {
        let failure = NetworkError.server("POST /sessions", status: 503)
        let text = "Expected no error at the UserContext, but \(failure) ended there."
        try await withKnownIssue {
            try await Shop.$firstFailure.withValue(failure) { try await RecordedScenarioTests().replay() }
        } matching: {
            $0.comments.first?.rawValue == text
        }
    }
}
