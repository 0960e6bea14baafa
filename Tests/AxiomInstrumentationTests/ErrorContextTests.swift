// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import Foundation
import Synchronization
import Testing

@testable import AxiomInstrumentation

@Suite("The context of errors")
struct ErrorContextTests {
    private struct Fault: Error {}

    private static let client = ComponentDescriptor(kind: .client, name: "TillClient")

    private func end(_ telemetry: Telemetry) {
        telemetry.ended(EndedError(Fault(), origin: Self.client, boundary: Self.client))
    }

    @Test("Each error keeps the context of the moment at which it ended (ERM-02)")
    func samples() throws {
        let telemetry = try Telemetry()
        let number = Atomic(0)
        end(telemetry)
        telemetry.provideErrorContext {
            let current = number.add(1, ordering: .relaxed).newValue
            return ErrorContext(user: "u\(current)", session: "s", device: "d", appVersion: "1.2")
        }
        end(telemetry)
        end(telemetry)
        let group = try #require(telemetry.errors.report.groups.first)
        #expect(group.sample.context?.user == "u2" && group.sample.context?.appVersion == "1.2")
        #expect(group.occurrences.entries.map(\.sample.context?.user) == [nil, "u1", "u2"])
    }

    @Test(
        "An attribute whose key names a secret is left out (ERM-02)",
        arguments: ["password", "API-Key", "api_key", "accessToken", "X-Authorization", "Set-Cookie", "clientSecret"]
    )
    func secrets(_ key: String) throws {
        let context = ErrorContext(attributes: [key: "hunter2", "screen": "cart"])
        #expect(context.attributes == ["screen": "cart"])
        let json = Data("{\"attributes\":{\"\(key)\":\"hunter2\"}}".utf8)
        #expect(try JSONDecoder().decode(ErrorContext.self, from: json).attributes.isEmpty)
    }

    @Test("A context is bounded: 16 attributes, keys of 64 and values of 128 bytes (ERM-02)")
    func bounded() {
        let long = String(repeating: "ä", count: 1_000)
        let attributes = Dictionary(uniqueKeysWithValues: (10..<99).map { ("\($0)\(long)", long) })
        let context = ErrorContext(user: long, attributes: attributes)
        #expect(context.user?.utf8.count == 128)
        #expect(context.attributes.count == ErrorContext.attributeLimit)
        #expect(context.attributes.allSatisfy { $0.key.utf8.count <= 64 && $0.value.utf8.count <= 128 })
        #expect(context.bytes <= 4 * 128 + 16 * (64 + 128))
    }

    @Test("A context is written and read as JSON (ERM-02)")
    func codable() throws {
        let context = ErrorContext(user: "7", attributes: ["screen": "cart"])
        #expect(try JSONDecoder().decode(ErrorContext.self, from: JSONEncoder().encode(context)) == context)
    }
}
