// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

extension RecordedScenario {
    /// A Swift test that sends the actions again, with `AxiomTesting`.
    ///
    /// The test expects the error codes with which actions ended. Time passes as it did, if at least 100 ms passed between two
    /// actions. What could not be written as source is an editor placeholder, and listed at the top: the test does not compile
    /// until each is filled. Actions that the contexts sent while others ran are sent one after the other.
    ///
    /// - Parameters:
    ///   - name: The display name of the test.
    ///   - application: Source of an expression that makes the application under test, a `TestOrchestrator`, such as
    ///     `try Notes.underTest()`. By default that of ``Telemetry/recordScenario(application:)``, or one with a placeholder for
    ///     the registrations.
    /// - Returns: The text of a file.
    public func test(named name: String, application: String? = nil) -> String {
        let placeholder = "TestOrchestrator(exhaustivity: .off) { <#register the application's components with $0#> }"
        return ScenarioTest(self, name, application ?? self.application ?? placeholder).text
    }
}

/// Writes the file.
private struct ScenarioTest {
    /// Shorter times are those of machines.
    private static let pause = Duration.milliseconds(100)

    private let scenario: RecordedScenario
    private let name: String
    private let application: String
    /// The variable of each context.
    private let variables: [UInt64: String]

    init(_ scenario: RecordedScenario, _ name: String, _ application: String) {
        (self.scenario, self.name, self.application) = (scenario, name, application)
        var (counts, variables): ([String: Int], [UInt64: String]) = ([:], [:])
        for subject in scenario.subjects {
            let base = Self.variable(for: subject.type)
            counts[base, default: 0] += 1
            let number = counts[base, default: 1]
            variables[subject.instance] = number == 1 ? base : base + String(number)
        }
        self.variables = variables
    }

    /// `CartContext` becomes `cart`.
    private static func variable(for type: String) -> String {
        var name = type.split(separator: ".").last.map(String.init) ?? "context"
        if let generic = name.firstIndex(of: "<") { name = String(name[..<generic]) }
        if name.hasSuffix("Context"), name.count > 7 { name.removeLast(7) }
        let lowered = name.prefix(1).lowercased() + name.dropFirst()
        return ["app", "self", "default", "import", "switch", "case", "is", "in"].contains(lowered)
            ? lowered + "Context" : lowered
    }

    var text: String {
        let lines = notes + imports + head + sending + ending + ["    }", "}"]
        return lines.joined(separator: "\n") + "\n"
    }

    private var notes: [String] {
        var lines = ["// Recorded from a running application: \(scenario.count) actions."]
        if scenario.dropped > 0 {
            lines.append("// The recording was full: \(scenario.dropped) later actions are missing.")
        }
        let gaps = scenario.steps.flatMap(\.gaps)
        if !gaps.isEmpty {
            lines.append("// Fill the placeholders: \(gaps.count) values could not be written as source.")
            lines += gaps.map { "//   - \($0)" }
        }
        return lines + [""]
    }

    private var imports: [String] {
        let modules = Set(scenario.subjects.map(\.module)).subtracting([""]).sorted()
        let needed = scenario.steps.contains { step in ["Date(", "URL(", "UUID("].contains { step.action.contains($0) }
        }
        return ["import Axiom", "import AxiomTesting"] + (needed ? ["import Foundation"] : [])
            + ["import Testing", ""] + modules.map { "@testable import \($0)" } + [""]
    }

    private var head: [String] {
        [
            "@MainActor",
            "@Suite(\"Recorded scenarios\")",
            "struct RecordedScenarioTests {",
            "    @Test(\(SourceText.quoted(name)))",
            "    func replay() async throws {",
            "        let app = \(application)",
        ]
    }

    private var sending: [String] {
        var (lines, last): ([String], Instant?) = ([], nil)
        var unmade = Dictionary(scenario.subjects.map { ($0.instance, $0) }) { first, _ in first }
        for step in scenario.steps {
            if let last, step.at.duration(since: last) >= Self.pause {
                let milliseconds = Int(step.at.duration(since: last) / .milliseconds(1))
                lines.append("        await app.advance(by: .milliseconds(\(milliseconds)))")
            }
            last = step.at
            let variable = variables[step.context] ?? ""
            if let subject = unmade.removeValue(forKey: step.context) { lines.append(making(subject, variable)) }
            lines.append("        await \(variable).send(\(step.action))")
            lines += expectation(of: step, variable)
        }
        return lines
    }

    private func making(_ subject: RecordedScenario.Subject, _ variable: String) -> String {
        let input = subject.input.map { ", <#the \($0)#>" } ?? ""
        return "        let \(variable) = try await app.context(\(subject.type).self\(input))"
    }

    private func expectation(of step: RecordedScenario.Step, _ variable: String) -> [String] {
        switch (step.outcome, step.error) {
        case (.success, _): []
        case (nil, _): ["        // It had not ended."]
        case (.cancelled?, _): ["        // It was cancelled."]
        case (_, .code(let code)?):
            ["        await \(variable).expectError(ErrorCode(rawValue: \(SourceText.quoted(code))))"]
        case (_, .type(let type)?): ["        // It ended with an error: \(type)."]
        case (let outcome?, nil): ["        // Its outcome was \(outcome.rawValue)."]
        }
    }

    private var ending: [String] {
        scenario.subjects.map { "        await \(variables[$0.instance] ?? "").finish()" }
    }
}
