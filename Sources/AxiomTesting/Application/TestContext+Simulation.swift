// SPDX-License-Identifier: Apache-2.0

internal import Axiom
public import Testing

// What happens to a context from outside.
extension TestContext {
    /// Whether the last error that was settled here was recovered.
    public var lastErrorHandled: Bool { held?.errorBoundary.history.last?.resolution.isRecovered == true }

    /// Lets the context disappear as if another presentation covered it.
    public func simulateDisappear(sourceLocation location: SourceLocation = #_sourceLocation) async {
        guard open(at: location) != nil else { return }
        guard !presented.isShownElsewhere else { return failNavigating("leave", at: location) }
        await follow("the disappearance of \(C.self)", at: location) { await self.presented.cover() }
    }

    /// Lets the context appear again, after ``simulateDisappear(sourceLocation:)``.
    public func simulateAppear(sourceLocation location: SourceLocation = #_sourceLocation) async {
        guard open(at: location) != nil else { return }
        guard !presented.isShownElsewhere else { return failNavigating("show", at: location) }
        await follow("the appearance of \(C.self)", at: location) { await self.presented.uncover() }
    }

    /// Runs an operation of the context that throws `error`, first and in each retry. The context's `recovery(for:)`
    /// decides, as for its own errors; ``errorCount`` counts the runs.
    public func simulateError(_ error: any Error, sourceLocation location: SourceLocation = #_sourceLocation) async {
        guard let context = open(at: location) else { return }
        await follow("the operation that throws \(error)", at: location) {
            await context.contain { [weak self] in
                self?.errorCount += 1
                throw error
            }
        }
    }

    /// Runs an operation of the context that succeeds.
    public func simulateSuccess(sourceLocation location: SourceLocation = #_sourceLocation) async {
        guard let context = open(at: location) else { return }
        await follow("the operation that succeeds", at: location) {
            await context.contain { [weak self] in self?.successCount += 1 }
        }
    }

    private func follow(
        _ name: String,
        at location: SourceLocation,
        _ body: @escaping @MainActor () async -> Void
    ) async {
        await app.settle(at: location)
        works.removeAll(where: \.hasEnded)
        works.append(app.begin(name, body))
        await app.settle(at: location)
    }

    private func failNavigating(_ verb: String, at location: SourceLocation) {
        failures.fail("The application shows the \(C.self). To \(verb) it, navigate.", at: location)
    }
}
