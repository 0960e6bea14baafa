// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

extension RecordedScenario {
    /// A Swift test that sends the actions again, with `AxiomTesting`.
    ///
    /// The test expects no error after an action that succeeded. After one that failed it expects the error by its code, or by
    /// its type; or any error if the test cannot name the type. After an action that was cancelled, or had not ended, it expects
    /// nothing: a comment says so. Time passes as it did, if at least 100 ms passed between two actions. What could not be
    /// written as source is an editor placeholder, and listed at the top: the test does not compile until each is filled.
    /// Actions that the contexts sent while others ran are sent one after the other.
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
        var (names, variables) = (VariableNames(), [UInt64: String]())
        for subject in scenario.subjects { variables[subject.instance] = names.name(for: subject.type) }
        self.variables = variables
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
        let needed = scenario.steps.contains { step in ["Date(", "URL(", "UUID("].contains { step.action.contains($0) }
        }
        return ["import Axiom", "import AxiomTesting"] + (needed ? ["import Foundation"] : [])
            + ["import Testing", ""] + modules.sorted().map { "@testable import \($0)" } + [""]
    }

    /// The modules of the contexts, which the test imports.
    private var modules: Set<String> { Set(scenario.subjects.map(\.module)).subtracting([""]) }

    private var head: [String] {
        [
            "@MainActor",
            "@Suite(\"Recorded scenarios\")",
            "struct RecordedScenarioTests {",
            "    @Test(\(ValueReader.quoted(name)))",
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
        case (.success?, _): ["        await \(variable).expectNoError()"]
        case (nil, _): ["        // It had not ended."]
        case (.cancelled?, _): ["        // It was cancelled."]
        case (_, .code(let code)?):
            ["        await \(variable).expectError(ErrorCode(rawValue: \(ValueReader.quoted(code))))"]
        case (_, .type(let name, let module)?):
            ["        await \(variable).expectError(" + type(name, in: module)]
        case (let outcome?, nil): ["        // Its outcome was \(outcome.rawValue)."]
        }
    }

    /// The argument for the type of an error: any error if the test cannot name the type.
    private func type(_ name: String, in module: String?) -> String {
        guard let module, module == "Swift" || modules.contains(module) else { return "(any Error).self)  // \(name)" }
        return name + ".self)"
    }

    private var ending: [String] {
        scenario.subjects.map { "        await \(variables[$0.instance] ?? "").finish()" }
    }
}

/// Names the variable of each context of a recorded test, so that no two are equal and none is a word of the language.
struct VariableNames {
    /// The words that Swift reserves, and the variable of the application.
    private static let reserved: Set = [
        "Any", "Self", "app", "as", "associatedtype", "await", "break", "case", "catch", "class", "continue", "default",
        "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func",
        "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup",
        "private", "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct", "subscript",
        "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]

    private var used: Set<String> = []

    /// `CartContext` becomes `cart`, and the second one `cart2`.
    mutating func name(for type: String) -> String {
        let base = Self.base(for: type)
        var (name, number) = (base, 1)
        while !used.insert(name).inserted {
            number += 1
            name = base + String(number)
        }
        return name
    }

    private static func base(for type: String) -> String {
        var name = type.split(separator: ".").last.map(String.init) ?? "context"
        if let generic = name.firstIndex(of: "<") { name = String(name[..<generic]) }
        if name.hasSuffix("Context"), name.count > 7 { name.removeLast(7) }
        let lowered = name.prefix(1).lowercased() + name.dropFirst()
        return reserved.contains(lowered) ? lowered + "Context" : lowered
    }
}
