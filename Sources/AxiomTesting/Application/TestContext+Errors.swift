// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import Testing

extension TestContext {
    /// Compares the next error that the context's boundary settled.
    ///
    /// - Parameters:
    ///   - code: The code of the error.
    ///   - remedy: The strategy that recovered from it, such as `retry`; nil if the error ended here.
    public func expectError(
        _ code: ErrorCode,
        recoveredBy remedy: String? = nil,
        sourceLocation location: SourceLocation = #_sourceLocation
    ) async {
        await expectError("the code \(code.rawValue)", recoveredBy: remedy, at: location) {
            ($0 as? any AxiomError)?.code == code
        }
    }

    /// Compares the next error that the context's boundary settled.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - remedy: The strategy that recovered from it, such as `retry`; nil if the error ended here.
    public func expectError<E: Error & Equatable>(
        _ error: E,
        recoveredBy remedy: String? = nil,
        sourceLocation location: SourceLocation = #_sourceLocation
    ) async {
        await expectError("\(error)", recoveredBy: remedy, at: location) { $0 as? E == error }
    }

    /// Compares the type of the next error that the context's boundary settled: for errors without a code.
    ///
    /// - Parameters:
    ///   - type: The type of the error. `(any Error).self` stands for every type.
    ///   - remedy: The strategy that recovered from it, such as `retry`; nil if the error ended here.
    public func expectError<E: Error>(
        _ type: E.Type,
        recoveredBy remedy: String? = nil,
        sourceLocation location: SourceLocation = #_sourceLocation
    ) async {
        await expectError("the type \(type)", recoveredBy: remedy, at: location) { $0 is E }
    }

    /// Expects that since the last action, or the last expected error, no error ended at the context or was passed on, whether
    /// the test is exhaustive or not. None are an error that a strategy recovered from, and one in spite of which the last
    /// action succeeded, such as that of a context downstream. An action that waits has no error yet.
    public func expectNoError(sourceLocation location: SourceLocation = #_sourceLocation) async {
        await app.settle(at: location)
        guard let context = open(at: location) else { return }
        let errors = unassertedErrors(of: context.errorBoundary).filter {
            !$0.resolution.isRecovered && !errorsOfSuccess.contains($0.id)
        }
        for entry in errors {
            failures.fail("Expected no error at the \(C.self), but \(entry.summary).", at: location)
        }
        if let last = errors.last { assertedErrors = last.id + 1 }
    }

    private func expectError(
        _ expected: String,
        recoveredBy remedy: String?,
        at location: SourceLocation,
        _ matches: (any Error) -> Bool
    ) async {
        await app.settle(at: location)
        guard let context = open(at: location) else { return }
        guard let entry = unassertedErrors(of: context.errorBoundary).first else {
            let text = "Expected an error with \(expected) at the \(C.self), but none was settled."
            return failures.fail(text, at: location)
        }
        assertedErrors = entry.id + 1
        let isSettledSo = remedy.map { entry.resolution == .recovered(by: $0) } ?? !entry.resolution.isRecovered
        guard !matches(entry.error) || !isSettledSo else { return }
        let wish = "\(expected)\(remedy.map { ", recovered by \($0)" } ?? ", not recovered")"
        failures.fail("Expected an error with \(wish), but \(entry.summary).", at: location)
    }

    private func unassertedErrors(of boundary: ErrorBoundary) -> [ErrorBoundary.Entry] {
        boundary.history.filter { $0.id >= assertedErrors && $0.resolution != .cancelled }
    }

    func checkErrors(of boundary: ErrorBoundary, at location: SourceLocation) {
        for entry in unassertedErrors(of: boundary) {
            failures.unasserted("The test does not expect an error at the \(C.self): \(entry.summary).", at: location)
        }
        assertedErrors = boundary.settledCount
    }
}

extension ErrorBoundary {
    /// How many errors were settled: the number of the next one.
    var settledCount: Int { historyDropped + history.count }
}

extension ErrorBoundary.Entry {
    /// The error and how it was settled, as a clause.
    var summary: String {
        switch resolution {
        case .ended: "\(error) ended there"
        case .recovered(let name): "\(error) was recovered by \(name)"
        case .propagated: "\(error) was passed on"
        case .cancelled: "\(error) was cancelled"
        }
    }
}
