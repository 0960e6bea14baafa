// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Axiom

@Suite("Redacted values")
struct RedactedTests {
    private static let canary = "c4n4ry-4711"

    private struct Session: OwnedState, Codable {
        var user = "ann"
        @Redacted var token = RedactedTests.canary
        @Redacted var codes: [String]? = [RedactedTests.canary]
    }

    private enum Login: OwnedState {
        case open(Session)
        case closed
    }

    @Test("No description, dump or mirror of a state contains them, however deep they are")
    func texts() {
        let values: [Any] = [
            Session(), Optional(Session()) as Any, [Session()], ["a": Session()], Login.open(Session()),
            Redacted(wrappedValue: Self.canary), Redacted(wrappedValue: Session()), (Session(), 1),
        ]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            let texts = [
                String(describing: value), String(reflecting: value), dumped, "\(Mirror(reflecting: value).children)",
            ]
            for text in texts { #expect(!text.contains(Self.canary)) }
        }
        #expect("\(Redacted(wrappedValue: 1))" == "<redacted>")
        #expect(Mirror(reflecting: Redacted(wrappedValue: Self.canary)).children.isEmpty)
    }

    @Test("They are compared, hashed, changed and stored as before")
    func values() throws {
        var session = Session()
        #expect(session == Session() && session.hashValue == Session().hashValue)
        session.token = "other"
        #expect(session != Session())
        let stored = try JSONEncoder().encode(session)
        #expect(try JSONDecoder().decode(Session.self, from: stored) == session)
    }
}
