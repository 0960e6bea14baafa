// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomInstrumentation
import AxiomTestSupport
import Testing

@testable import AxiomDashboard

@Suite("The bodies of requests for actions")
struct ActionDecoderTests {
    private func decode(_ subject: ActionSubject, _ text: String) throws(QueryError) -> DeveloperAction {
        try ActionDecoder.action(subject, Array(text.utf8))
    }

    @Test("Every action is decoded")
    func actions() throws {
        let cases: [(ActionSubject, String, DeveloperAction)] = [
            (.breaker, #"{"component":"A","set":"open","seconds":60}"#, .openBreaker("A", for: .seconds(60))),
            (.breaker, #"{"component":"A","set":"shadow","seconds":1}"#, .shadowBreaker("A", for: .seconds(1))),
            (.breaker, #"{"component":"A","set":"reset"}"#, .resetBreaker("A")),
            (
                .fault, #" { "set" : "latency", "component":"\u0041\n", "value":2.5, "seconds":6e2 } "#,
                .delay("A\n", by: .milliseconds(2_500), for: .seconds(600))
            ),
            (
                .fault, #"{"component":"A","set":"errors","value":0,"seconds":60}"#,
                .fail("A", ratio: 0, for: .seconds(60))
            ),
            (.fault, #"{"component":"A","set":"none"}"#, .endFaults("A")),
            (.capability, #"{"component":"A","set":"away","seconds":60}"#, .takeAway("A", for: .seconds(60))),
            (.capability, #"{"component":"A","set":"back"}"#, .bringBack("A")),
        ]
        for (subject, text, action) in cases { #expect(try decode(subject, text) == action) }
    }

    @Test(
        "A mistake names the member and what is permitted",
        arguments: [
            (#"{"component":"A","set":"latency","value":11,"seconds":60}"#, "value", "above 0 to 10"),
            (#"{"component":"A","set":"latency","value":0,"seconds":60}"#, "value", "above 0 to 10"),
            (#"{"component":"A","set":"latency","value":-1,"seconds":60}"#, "value", "above 0 to 10"),
            (#"{"component":"A","set":"latency","seconds":60}"#, "value", "missing"),
            (#"{"component":"A","set":"latency","value":"1","seconds":60}"#, "value", "give a number"),
            (#"{"component":"A","set":"errors","value":1.01,"seconds":60}"#, "value", "from 0 to 1"),
            (#"{"component":"A","set":"errors","value":1}"#, "seconds", "from 1 to 600"),
            (#"{"component":"A","set":"errors","value":1,"seconds":601}"#, "seconds", "from 1 to 600"),
            (#"{"component":"A","set":"errors","value":1,"seconds":0}"#, "seconds", "from 1 to 600"),
            (#"{"component":"A","set":"errors","value":1,"seconds":1e400}"#, "body", "up to 1e308"),
            (#"{"component":"A","set":"none","seconds":60}"#, "seconds", "leave it out"),
            (#"{"component":"A","set":"none","value":1}"#, "value", "leave it out"),
            (#"{"component":"A","set":"open","seconds":60}"#, "set", "latency, errors, none"),
            (#"{"component":"A","set":1}"#, "set", "latency, errors, none"),
            (#"{"component":"A"}"#, "set", "missing"),
            (#"{"component":"","set":"none"}"#, "component", "the name of a component"),
            (#"{"component":7,"set":"none"}"#, "component", "the name of a component"),
            (#"{"set":"none"}"#, "component", "missing"),
            (#"{"component":"A","set":"none","force":1}"#, "force", "unknown"),
            (#"{"component":"A","set":"none","set":"none"}"#, "set", "twice"),
            (#"{"component":"A","set":"none","value":null}"#, "value", "another type"),
            (#"{"component":"A","set":"none","value":[1]}"#, "value", "another type"),
            (#"{"component":"A","set":"none"} x"#, "body", "not a JSON object"),
            (#"{"component":"A","set":"none",}"#, "body", "not a JSON object"),
            (#"["component"]"#, "body", "not a JSON object"), ("", "body", "not a JSON object"),
            ("{", "body", "not a JSON object"), (#"{"a\"#, "body", "not a JSON object"),
        ]
    )
    func mistakes(_ text: String, _ member: String, _ reason: String) {
        let error = #expect(throws: QueryError.self) { try decode(.fault, text) }
        #expect(error?.parameter == member)
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "none")")
    }

    @Test("Random and damaged bodies are refused or decoded within the limits, and never trap")
    func fuzz() throws {
        let seed = TestSeed.drawn()
        var random = SeededGenerator(seed: seed)
        let pieces = [
            "{", "}", "[", "]", ":", ",", "\"", "\\", "\\u00", "\"component\"", "\"set\"", "\"value\"", "\"seconds\"",
            "\"errors\"", "\"latency\"", "\"A\"", "0", "-", "1e", "9.5", "600", "null", "true", " ", "\u{7F}", "é",
        ]
        let valid = #"{"component":"A","set":"errors","value":0.5,"seconds":60}"#
        for round in 0..<20_000 {
            var bytes = Array(valid.utf8)
            if round.isMultiple(of: 2) {
                bytes = (0..<random.index(below: 24)).flatMap { _ in
                    Array(pieces[random.index(below: pieces.count)].utf8)
                }
            }
            for _ in 0..<random.index(below: 3) where !bytes.isEmpty {
                bytes[random.index(below: bytes.count)] = UInt8(random.index(below: 256))
            }
            guard let action = try? ActionDecoder.action(.fault, bytes) else { continue }
            switch action {
            case .fail(_, let ratio, let duration):
                #expect((0...1).contains(ratio) && duration >= .seconds(1) && duration <= .seconds(600), "seed \(seed)")
            case .delay(_, let latency, let duration):
                #expect(latency > .zero && latency <= .seconds(10) && duration <= .seconds(600), "seed \(seed)")
            default: break
            }
        }
    }
}
