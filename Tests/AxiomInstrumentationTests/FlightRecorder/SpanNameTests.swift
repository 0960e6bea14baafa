// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import Testing

@testable import AxiomInstrumentation

@Suite("Names and errors of spans", .timeLimit(.minutes(10)))
struct SpanNameTests {
    @Test("Names that the application makes up do not take those of components that are bound later")
    func names() {
        let names = SpanNames()
        let early = names.number(ofAction: "early")
        let numbers = Set((0..<10_000).map { names.number(of: "user \($0)") })
        #expect(numbers.count == SpanNames.limit + 1)
        #expect(names.number(of: "early") == early)
        let late = (0..<10_000).map { names.number(ofAction: "late \($0)") }
        #expect(Set(late).count == 10_000 && numbers.isDisjoint(with: late))
        #expect(names.number(of: "late 7") == late[7])
        #expect(names.number(of: "one more") == names.number(of: SpanNames.other))
    }

    @Test("No payload of an action or an error is in a span")
    func payload() async throws {
        let telemetry = try Telemetry()
        enum Secret: Error, CustomStringConvertible {
            case denied(String)
            var description: String { "password-17" }
        }
        struct Described: Error, CustomStringConvertible {
            let description = "password-17"
        }
        for error in [Secret.denied("password-17"), Described()] as [any Error] {
            _ = try? telemetry.span("work") { throw error }
        }
        let spans = telemetry.activity(latest: 10)
        #expect(spans.map { $0.error?.code } == [nil, "denied"])
        #expect(!"\(spans)".contains("password"))
    }
}
#endif
