// SPDX-License-Identifier: Apache-2.0

import AxiomMetrics
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomPush

@Suite("The addresses and the resource of OTLP", .timeLimit(.minutes(10)))
struct OTLPAddressTests {
    @Test(
        "The path of a signal is appended to a base URL, and not a second time",
        arguments: [
            ("", "/v1/metrics"), ("/", "/v1/metrics"), ("/otlp", "/otlp/v1/metrics"),
            ("/api/v1/otlp", "/api/v1/otlp/v1/metrics"), ("/api/v1/otlp/", "/api/v1/otlp/v1/metrics"),
            ("/v1/metrics", "/v1/metrics"), ("/otlp/v1/metrics/", "/otlp/v1/metrics"),
        ]
    )
    func paths(_ base: String, _ path: String) throws {
        let client = try OTLPClient(PushEndpoint("http://127.0.0.1:4318\(base)"), path: "/v1/metrics")
        #expect(client.url.description == "http://127.0.0.1:4318\(path)")
    }

    @Test("A process has an instance id by default, the same in all its resources, and a given one replaces it")
    func instance() throws {
        func text(_ attributes: KeyValuePairs<String, String>) throws -> String {
            String(decoding: try Resource(service: "shop", attributes: attributes).attributes, as: UTF8.self)
        }
        let first = try text([:])
        #expect(first.contains("service.instance.id") && first.contains(Resource.instance))
        #expect(Resource.instance.hasSuffix(":\(ProcessInfo.processInfo.processIdentifier)"))
        #expect(try text([:]) == first)
        let given = try text(["service.instance.id": "one"])
        #expect(given.contains("one") && !given.contains(Resource.instance))
    }
}
