// SPDX-License-Identifier: Apache-2.0

public import AxiomBase
// The functions of the kit take the location of their call, which is a macro of Testing. With this, a file that calls them
// does not have to import Testing.
@_exported public import Testing

/// Where the failures of a test go: to Swift Testing, unless a test gives another one.
///
/// ```swift
/// TestOrchestrator(reporter: FailureReporter { text, location in XCTFail("\(location): \(text)") })
/// ```
public struct FailureReporter: Sendable {
    private let report: @Sendable (String, SourceLocation) -> Void

    /// Makes a reporter.
    ///
    /// - Parameter report: Takes the text of a failure, and the location of the assertion. May be called on any thread.
    public init(_ report: @escaping @Sendable (_ text: String, _ location: SourceLocation) -> Void) {
        self.report = report
    }

    /// Records issues of Swift Testing.
    public static let testing = FailureReporter { Issue.record(Comment(rawValue: $0), sourceLocation: $1) }

    func fail(_ text: String, at location: SourceLocation) { report(text, location) }

    /// Whether a number is not negative. A negative one is a failure that names the call, as in `fail(next: -1)`.
    func accepts<Number: Comparable & AdditiveArithmetic>(
        _ number: Number,
        of call: String,
        at location: SourceLocation
    ) -> Bool {
        if number >= .zero { return true }
        fail("\(call) has no effect, because the number is negative. Give 0 or more.", at: location)
        return false
    }
}

/// Whether a test has to assert everything that happens. Fixed when the test orchestrator is made.
public enum Exhaustivity: Sendable, Hashable {
    /// Unasserted changes, states, errors, running actions, sleeping tasks and contexts that stay alive are failures.
    case on
    /// They are not. What the test asserts is still compared.
    ///
    /// - Parameter showSkipped: Whether to print what would be a failure to the standard output.
    case off(showSkipped: Bool)

    /// Nothing has to be asserted, and nothing is printed.
    public static let off = Exhaustivity.off(showSkipped: false)
}

/// Records the failures of one test.
struct FailureRecorder: Sendable {
    let exhaustivity: Exhaustivity
    let reporter: FailureReporter
    /// Takes what a test that is not exhaustive skips.
    var output: @Sendable (String) -> Void = { print($0) }

    /// Records an assertion that does not hold.
    func fail(_ message: String, at location: SourceLocation) {
        reporter.fail(message, at: location)
    }

    /// Records something that the test does not assert.
    func unasserted(_ message: String, at location: SourceLocation) {
        switch exhaustivity {
        case .on: fail(message, at: location)
        case .off(showSkipped: true): output("Skipped at \(location.fileID):\(location.line): \(message)")
        case .off(showSkipped: false): break
        }
    }
}

/// A mistake of a test.
public struct TestError: MessageError, CustomStringConvertible {
    /// What is wrong, in a sentence.
    public let message: String
    /// The message.
    public var description: String { message }

    init(_ message: String) { self.message = message }
}
