// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import Observation

/// The state of a view that shows one presentation: mounted while the view is visible.
///
/// A view calls ``appear(_:)`` when it becomes visible and ``disappear()`` when it is no longer visible, as often as it
/// likes: the latest call determines what is shown in the end.
@MainActor
@Observable
public final class PresentationModel<P: Presentation> {
    /// What the view draws.
    public enum Phase {
        /// Nothing yet, or nothing any more.
        case waiting
        /// The output of the presentation.
        case shown(P.Output)
        /// The presentation could not be mounted. The only option is to try again: call ``appear(_:)``.
        case failed(ErrorPresentation)
    }

    /// What the view draws.
    public private(set) var phase = Phase.waiting

    @ObservationIgnored private let orchestrator: Orchestrator
    @ObservationIgnored private let labels: ErrorLabels
    @ObservationIgnored private var host: PresentationHost<P>?
    /// Whether the view is visible, according to the latest call.
    @ObservationIgnored private var isVisible = false

    /// Creates the state of a view that is not visible yet.
    ///
    /// - Parameters:
    ///   - orchestrator: Makes the context of the presentation.
    ///   - labels: The words of an error of the mount.
    public init(_ type: P.Type = P.self, _ orchestrator: Orchestrator, labels: ErrorLabels = .fallback) {
        self.orchestrator = orchestrator
        self.labels = labels
    }

    /// The context of the presentation; nil while it is not mounted.
    public var context: P.ContextType? { host?.context }

    /// The output of the presentation; nil if there is none.
    public var output: P.Output? {
        if case .shown(let output) = phase { output } else { nil }
    }

    /// Mounts the presentation, and returns when its context has appeared. Does nothing if the view is visible already,
    /// unless the last mount failed: then it tries again.
    public func appear(_ input: P.ContextType.Input) async {
        if case .failed = phase { isVisible = false }
        guard !isVisible else { return }
        isVisible = true
        phase = .waiting
        let host = host ?? PresentationHost(P.self, orchestrator) { [weak self] in self?.received($0) }
        self.host = host
        do {
            try await host.mount(input)
        } catch {
            failed(error)
        }
    }

    /// Unmounts the presentation, and returns when its context has disappeared.
    public func disappear() async {
        isVisible = false
        phase = .waiting
        await host?.unmount()
    }

    private func received(_ output: P.Output) {
        // A mount that waited for its turn may render after the view disappeared. Its unmount follows.
        guard isVisible else { return }
        phase = .shown(output)
    }

    private func failed(_ error: any Error) {
        guard isVisible, output == nil else { return }
        if ActionOutcome(ofError: error) == .cancelled {
            isVisible = false
        } else {
            phase = .failed(ErrorPresentation(error, options: [.retry()], labels: labels))
        }
    }
}

extension PresentationModel where P.ContextType.Input == Void {
    /// Mounts a presentation whose context takes no input.
    public func appear() async { await appear(()) }
}
