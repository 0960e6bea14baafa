// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// The signals of the operating system as phases of the application.
///
/// | signal | phase |
/// | --- | --- |
/// | SIGTERM, SIGINT | ``AppPhase/terminating``, which is reached through the background |
/// | SIGTSTP (Control-Z) | ``AppPhase/background`` |
/// | SIGCONT (`fg`) | ``AppPhase/active`` |
///
/// While at least one iterator exists whose task is not cancelled, the signals do not end or stop the process. When the
/// last one is gone, they have their former effect again. ``AppLifecycle/follow(_:)`` carries the phases out.
public struct SignalPhases: AsyncSequence, Sendable {
    /// A phase for each signal.
    public typealias Element = AppPhase
    /// It never fails.
    public typealias Failure = Never

    private let signals: [CInt: AppPhase]

    /// Creates a sequence. Each iterator receives the signals from its creation on.
    ///
    /// - Parameter suspension: Whether SIGTSTP and SIGCONT count too, as for an interactive program. Default: false.
    public init(suspension: Bool = false) {
        var signals: [CInt: AppPhase] = [SIGTERM: .terminating, SIGINT: .terminating]
        if suspension { signals.merge([SIGTSTP: .background, SIGCONT: .active]) { first, _ in first } }
        self.signals = signals
    }

    /// Begins to receive signals. The iterator ends when its task is cancelled.
    ///
    /// Of signals that were not taken, the latest 8 are kept. After one that ends the process, only such signals count.
    public func makeAsyncIterator() -> AsyncStream<AppPhase>.Iterator {
        // Bounded, because a receiver that does not read must not cost memory for each signal.
        let (phases, continuation) = AsyncStream.makeStream(of: AppPhase.self, bufferingPolicy: .bufferingNewest(8))
        let id = SignalTable.add(SignalTable.Receiver(signals: signals, continuation: continuation))
        continuation.onTermination = { _ in SignalTable.remove(id) }
        return phases.makeAsyncIterator()
    }

    /// Stops the process until SIGCONT, as SIGTSTP would have without a handler.
    static func stopProcess() { raise(SIGSTOP) }
}

extension AppLifecycle {
    /// Moves to the phase of each signal, and returns when the application has terminated or the task is cancelled.
    ///
    /// ```swift
    /// await lifecycle.move(to: .active)
    /// await lifecycle.follow(SignalPhases())
    /// ```
    /// A signal that arrives during a change replaces its target, as every request does. After SIGTSTP the process is
    /// stopped when the background has been reached.
    public func follow(_ signals: SignalPhases) async {
        for await phase in signals {
            let move = Task.onMainActor {
                await self.move(to: phase)
                if phase == .background, self.phase == .background { SignalPhases.stopProcess() }
            }
            guard phase == .terminating else { continue }
            return await move.value
        }
    }
}
