// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
public import Testing

extension TestOrchestrator {
    /// Starts the application. Errors that end at the orchestrator during the start, such as that of a client that could
    /// not be made, are failures, as far as the test is exhaustive.
    ///
    /// It returns when the application has started, or when the start waits for the time or for a simulated capability.
    /// Such a start continues with ``advance(by:sourceLocation:)`` or ``Simulation/release()``; call `start` again for its
    /// errors, or ask for a context. A start that failed can be started again.
    ///
    /// - Throws: As `Orchestrator.start()`.
    public func start(sourceLocation location: SourceLocation = #_sourceLocation) async throws {
        switch startPhase {
        case .pending: await begin(at: location)
        case .underWay: await settle(at: location)
        case .ended, .checked: break
        }
        guard case .ended(let result) = startPhase else { return }
        startPhase = .pending
        try result.get()
        startPhase = .checked
        checkErrors("during the start", at: location)
    }

    /// Starts the application for something that needs it to run.
    ///
    /// - Parameter remedy: What the test can do about a start that waits, as a sentence.
    /// - Throws: ``TestError`` while the start waits; as ``start(sourceLocation:)``.
    func startFully(or remedy: String, at location: SourceLocation) async throws {
        try await start(sourceLocation: location)
        if case .checked = startPhase { return }
        let names = unready.isEmpty ? "" : "; not ready: \(unready.joined(separator: ", "))"
        throw TestError("The start waits for the time or a simulated capability\(names). \(remedy)")
    }

    private func begin(at location: SourceLocation) async {
        startPhase = .underWay
        await follow("the start", at: location) {
            do {
                if !self.orchestrator.isRunning { try await self.orchestrator.start() }
                try await self.runStartHooks()
                self.startPhase = .ended(.success(()))
            } catch {
                self.startPhase = .ended(.failure(error))
            }
        }
    }

    /// Runs each hook until it succeeds once. The hooks stay, because they keep the flows that the test may not keep.
    private func runStartHooks() async throws {
        while endedStartHooks < startHooks.count {
            try await startHooks[endedStartHooks]()
            endedStartHooks += 1
        }
    }

    /// Checks that the error of a start was thrown to the test.
    func checkStart(at location: SourceLocation) {
        guard case .ended(.failure(let error)) = startPhase else { return }
        startPhase = .pending
        failures.unasserted(
            "The start failed after start() had returned, and the test did not call it again for its error: \(error)",
            at: location
        )
    }

    /// The capabilities that are not initialised; once all are, the clients that are not active.
    private var unready: [String] {
        let inspection = orchestrator.inspect()
        let capabilities = inspection.capabilities.filter { $0.phase == "constructed" }.map(\.name)
        return capabilities.isEmpty
            ? inspection.clients.filter { $0.phase == "registered" }.map(\.name) : capabilities
    }
}

/// How far the start of an application under test is.
enum StartPhase {
    case pending
    /// It runs, or waits for the test.
    case underWay
    case ended(Result<Void, any Error>)
    /// It has succeeded, and its errors were checked.
    case checked
}
