// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import Testing

/// A component with tests of its own architecture, which an ``ArchitectureTestHarness`` runs.
///
/// ```swift
/// extension CartClient: TestableComponent {
///     func runArchitectureTests() async throws -> TestResult {
///         var result = TestResult(component: Self.componentName)
///         result.check(await state.items.isEmpty, "A new cart is empty.")
///         return result
///     }
/// }
/// ```
public protocol TestableComponent: Component {
    /// Checks what is special to the component.
    ///
    /// - Throws: What stopped the checks. The harness counts it as a failed one.
    func runArchitectureTests() async throws -> TestResult
}

/// The result of some checks of one component.
public struct TestResult: Sendable, Hashable, Codable {
    /// The component, or the name of the checks.
    public let component: String
    /// How many checks have passed.
    public private(set) var passed: Int
    /// How many checks have failed.
    public private(set) var failed: Int
    /// What was found.
    public private(set) var violations: [ArchitectureViolation]

    /// Makes a result.
    public init(component: String, passed: Int = 0, failed: Int = 0, violations: [ArchitectureViolation] = []) {
        (self.component, self.passed, self.failed, self.violations) = (component, passed, failed, violations)
    }

    /// Counts one check; if it fails, adds a violation.
    ///
    /// - Parameters:
    ///   - isMet: Whether the check passes.
    ///   - message: What has to be, in a sentence.
    ///   - rule: The name of the rule.
    ///   - fix: What to change; nil for no advice.
    public mutating func check(_ isMet: Bool, _ message: String, rule: String = "component", fix: String? = nil) {
        if isMet {
            passed += 1
        } else {
            add([ArchitectureViolation(rule: rule, message: message, suggestedFix: fix, path: [component])])
        }
    }

    /// Adds violations, each a failed check. Without any, one check has passed.
    mutating func add(_ found: [ArchitectureViolation]) {
        if found.isEmpty { passed += 1 }
        failed += found.count
        violations += found
    }
}

/// The results of the tests of one component, or of a whole application.
public struct TestReport: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The results: of the component itself, of the constraints, and of the integration.
    public let results: [TestResult]

    /// How many checks have passed.
    public var passed: Int { results.reduce(0) { $0 + $1.passed } }
    /// How many checks have failed.
    public var failed: Int { results.reduce(0) { $0 + $1.failed } }
    /// Whether no check has failed.
    public var isPassed: Bool { failed == 0 }
    /// What was found.
    public var violations: [ArchitectureViolation] { results.flatMap(\.violations) }

    /// The counts, and each violation in a line.
    public var description: String {
        (["\(passed) checks passed, \(failed) failed."] + violations.map(\.description)).joined(separator: "\n")
    }
}

/// Checks the architecture of a running application: the rules of the graph, how each component is connected, and the
/// tests that components bring.
///
/// ```swift
/// let harness = ArchitectureTestHarness(app.orchestrator)
/// try await harness.expectValid()
/// ```
/// A dependency is known when it was resolved for the first time, so show the contexts before.
@MainActor
public final class ArchitectureTestHarness {
    private let orchestrator: Orchestrator
    private let options: ArchitectureValidator.Options
    private let reporter: FailureReporter

    /// Makes a harness.
    ///
    /// - Parameters:
    ///   - orchestrator: The application, which runs.
    ///   - options: What the validation permits.
    ///   - reporter: Takes the failures.
    public init(
        _ orchestrator: Orchestrator,
        options: ArchitectureValidator.Options = ArchitectureValidator.Options(),
        reporter: FailureReporter = .testing
    ) {
        (self.orchestrator, self.options, self.reporter) = (orchestrator, options, reporter)
    }

    /// Checks one component: its own tests, the rules in which it is involved, and its integration.
    public func runTests(for component: any Component) async -> TestReport {
        let descriptor = component.identity.descriptor
        var results: [TestResult] = []
        if let testable = component as? any TestableComponent { results.append(await ownTests(of: testable)) }
        var constraints = TestResult(component: "Constraints of \(descriptor.name)")
        constraints.add(violations.filter { $0.path.contains(descriptor.name) })
        results.append(constraints)
        results.append(integration(of: [descriptor], "Integration of \(descriptor.name)"))
        return TestReport(results: results)
    }

    /// Checks the whole graph.
    public func runTests() -> TestReport {
        var constraints = TestResult(component: "Constraints")
        constraints.add(violations)
        return TestReport(results: [constraints, integration(of: orchestrator.graph.nodes, "Integration")])
    }

    /// Records a failure for each violation in the whole graph, and in the own tests of `components`.
    public func expectValid(
        _ components: any Component...,
        sourceLocation location: SourceLocation = #_sourceLocation
    ) async {
        var found = runTests().violations
        for component in components {
            guard let testable = component as? any TestableComponent else { continue }
            found += await ownTests(of: testable).violations
        }
        for violation in found { reporter.fail("\(violation)", at: location) }
    }

    private var violations: [ArchitectureViolation] {
        ArchitectureValidator(orchestrator, options).validate()
    }

    private func ownTests(of component: any TestableComponent) async -> TestResult {
        do {
            return try await component.runArchitectureTests()
        } catch {
            var result = TestResult(component: component.identity.descriptor.name)
            result.check(false, "The tests of the component threw \(error).", fix: "Return a result instead.")
            return result
        }
    }

    /// The orchestrator has to know each component.
    private func integration(of components: [ComponentDescriptor], _ name: String) -> TestResult {
        let graph = orchestrator.graph
        let known = Set(graph.nodes)
        var result = TestResult(component: name)
        for component in components {
            result.check(
                known.contains(component),
                "The orchestrator does not know the \(component).",
                rule: "integration",
                fix: "Register it, and start the orchestrator of the harness."
            )
        }
        return result
    }
}
