// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// Lets links wait until the application can show them: until the orchestrator runs and, if there is an ``AppLifecycle``,
/// its launch has restored the histories. A link that came earlier would be lost, or replaced by a restored history.
///
/// One link waits at most: a later one takes its place. There is one gate for each orchestrator.
@MainActor
final class LaunchGate {
    private enum Verdict: Sendable {
        case opens
        case replaced
        case ended
        case late
        case cancelled
    }

    /// How long a link waits at most.
    static let limit = Duration.seconds(60)
    private static nonisolated let key = ObjectIdentifier(LaunchGate.self)

    private weak var orchestrator: Orchestrator?
    private let clock: TimeSource
    /// The launch of the application; nil if it has no life cycle.
    weak var launch: (any ApplicationLaunch)?
    /// Whether the application has been shut down, and not been started again.
    private var hasEnded = false
    /// The link that waits.
    private var waiting: OneShot<Verdict>?
    /// How many links have waited. For tests.
    private(set) var arrivals = 0

    private init(_ orchestrator: Orchestrator) {
        self.orchestrator = orchestrator
        clock = orchestrator.clock
    }

    /// The gate of an orchestrator.
    static func of(_ orchestrator: Orchestrator) -> LaunchGate {
        if let known = orchestrator.attachments[key] as? LaunchGate { return known }
        let gate = LaunchGate(orchestrator)
        orchestrator.attachments[key] = gate
        orchestrator.extensions.add(gate, under: LaunchGate.self)
        return gate
    }

    /// Whether links are opened at once.
    var isOpen: Bool { orchestrator?.isRunning == true && launch?.isLaunching != true }

    /// Opens the link that waits, if links can be opened now.
    func update() {
        guard isOpen else { return }
        waiting?.settle(.opens)
    }

    /// Waits until links can be opened.
    ///
    /// - Returns: Nil if the link is to be opened; otherwise the reason why it is refused.
    /// - Throws: `CancellationError` if the caller is cancelled; ``NavigationError`` if the launch waits for the caller, the
    ///   application is shut down, or the limit expires.
    func wait(for flow: String) async throws -> String? {
        guard !isOpen else { return nil }
        guard !hasEnded else { throw NavigationError.flowEnded(flow, "the application has been shut down") }
        switch try await verdict(flow) {
        case .opens: return nil
        case .replaced: return "a later link replaced it before the application had been launched"
        case .ended: throw NavigationError.flowEnded(flow, "the application was shut down before its launch had ended")
        case .late: throw NavigationError.flowEnded(flow, "the application was not launched within \(Self.limit)")
        case .cancelled: throw CancellationError()
        }
    }

    private func verdict(_ flow: String) async throws -> Verdict {
        guard let turn = launch?.launchTurn else { return await enter() }
        var verdict = Verdict.cancelled
        do {
            try await Turns.wait(for: turn) { verdict = await enter() }
        } catch {
            throw NavigationError.waitsForItself(flow, error)
        }
        return verdict
    }

    private func enter() async -> Verdict {
        let place = OneShot<Verdict>()
        waiting?.settle(.replaced)
        waiting = place
        arrivals += 1
        defer { if waiting === place { waiting = nil } }
        let deadline = clock.now.advanced(by: Self.limit)
        return await place.value(until: deadline, on: clock, late: .late, ifCancelled: .cancelled)
    }
}

/// The launch of an application, as the gate sees it.
@MainActor
protocol ApplicationLaunch: AnyObject {
    /// Whether the application has not been launched yet.
    var isLaunching: Bool { get }
    /// The turn of the launch under way; nil if there is none.
    var launchTurn: TurnID? { get }
}

extension LaunchGate: OrchestratorExtension {
    func mistakes(contexts: Set<ObjectIdentifier>) -> [CompositionError] { [] }
    var warnings: [ArchitectureViolation] { [] }

    func runBegan() {
        hasEnded = false
        update()
    }

    func runWillEnd() {
        hasEnded = true
        waiting?.settle(.ended)
    }

    func runEnded() {}
}
