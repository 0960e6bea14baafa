// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import Testing

@testable import AxiomInstrumentation

/// An error without a code.
struct BlankError: Error {}

private struct HiddenError: Error {}

private struct CodedError: AxiomError {
    var code: ErrorCode { "TEST_CODED" }
    var message: String { "It failed." }
    var recoverySuggestion: String { "Try again." }
}

@Suite("The text of a recorded test")
struct ScenarioTextTests {
    /// The lines of the test, without indentation, of a recording with these contexts that were sent `go` once each.
    private func lines(
        _ types: [String],
        module: String = "AxiomInstrumentationTests",
        _ outcome: ActionOutcome? = .success,
        _ error: (any Error)? = nil
    ) -> [String] {
        var scenario = RecordedScenario(application: "try Shop.underTest()")
        for (index, type) in types.enumerated() {
            let instance = UInt64(index)
            scenario.subjects.append(.init(instance: instance, type: type, module: module, input: nil))
            let time = TimeSource.manual(ManualTime()).now
            scenario.steps.append(
                .init(
                    context: instance,
                    action: ".go",
                    at: time,
                    gaps: [],
                    outcome: outcome,
                    error: error.map(ScenarioError.init)
                )
            )
        }
        return scenario.test(named: "A test").split(separator: "\n").map { String($0.drop { $0 == " " }) }
    }

    /// What the test expects after an action with this end.
    private func expectation(_ outcome: ActionOutcome?, _ error: (any Error)?, module: String) throws -> String {
        let lines = lines(["CartContext"], module: module, outcome, error)
        let sent = try #require(lines.firstIndex(of: "await cart.send(.go)"))
        return lines[sent + 1]
    }

    @Test(
        "Each end of an action that a replay can have again is expected",
        arguments: [
            (.success, nil, "await cart.expectNoError()"),
            (.failure, CodedError(), #"await cart.expectError(ErrorCode(rawValue: "TEST_CODED"))"#),
            (.failure, BlankError(), "await cart.expectError(BlankError.self)"),
            (.failure, HiddenError(), "await cart.expectError((any Error).self)  // HiddenError"),
            (.rejected, CodedError(), #"await cart.expectError(ErrorCode(rawValue: "TEST_CODED"))"#),
            (.cancelled, nil, "// It was cancelled."),
            (nil, nil, "// It had not ended."),
        ] as [(ActionOutcome?, (any Error)?, String)]
    )
    func ends(outcome: ActionOutcome?, error: (any Error)?, expected: String) throws {
        #expect(try expectation(outcome, error, module: "AxiomInstrumentationTests") == expected)
    }

    @Test("An error of a module that the test does not import is expected without its type")
    func foreign() throws {
        let expected = "await cart.expectError((any Error).self)  // BlankError"
        #expect(try expectation(.failure, BlankError(), module: "Shop") == expected)
    }

    @Test(
        "A variable is not a word of Swift",
        arguments: ["Return", "Repeat", "Default", "Func", "Where", "Try", "Self", "App"]
    )
    func keywords(word: String) {
        let variable = word.lowercased() + "Context"
        let lines = lines(["\(word)Context"])
        #expect(lines.contains("let \(variable) = try await app.context(\(word)Context.self)"))
        #expect(lines.contains("await \(variable).finish()"))
    }

    @Test("No two variables are equal")
    func variables() {
        let made = lines(["CartContext", "CartContext", "Cart2Context"]).filter { $0.hasPrefix("let cart") }
        #expect(made.map { $0.prefix { $0 != "=" } } == ["let cart ", "let cart2 ", "let cart22 "])
    }
}
