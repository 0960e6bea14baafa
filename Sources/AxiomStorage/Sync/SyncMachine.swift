// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomResilience
internal import Foundation

/// When an engine sends, and what follows from the end of an attempt. A pure state machine.
struct SyncMachine: Sendable {
    /// How an attempt ended.
    enum Ending: Sendable {
        case answered(SyncAnswer)
        case resolved(ConflictResolution)
        case failed(any Error)
    }

    /// What follows for the change.
    enum Verdict: Sendable, Hashable {
        case accepted
        case tookRemote
        case keptLocal(Data)
        case setAside(String)
        /// The resolver decides.
        case resolve(remote: Data)
        /// A failure that counts as an attempt.
        case postpone(Duration)
        /// A failure that does not count; nil for no wait of this change.
        case release(Duration?)
    }

    let options: SyncOptions
    let interval: Duration
    private(set) var isRunning = false
    private(set) var isOnline = false
    /// How often the connection came back.
    private(set) var returns = 0
    /// How many changes are being sent.
    private(set) var sending = 0
    /// When the next regular round begins.
    private(set) var nextRound = Instant(nanoseconds: .max)
    /// The breaker rejects calls until then.
    private(set) var pausedUntil: Instant?
    /// The breaker did not say for how long: the end of a call that it admitted also ends the pause.
    private var isPauseOpen = false
    /// How often each change failed in a row, also in ways that do not count as attempts. For the waits.
    private var failures: [UUID: Int] = [:]

    init(_ options: SyncOptions, every interval: Duration) {
        self.options = options
        self.interval = interval
    }

    mutating func start(at now: Instant) {
        isRunning = true
        nextRound = now.advanced(by: interval)
    }

    /// Nothing is sent any more. What is being sent ends.
    mutating func stop() { (isRunning, isOnline) = (false, false) }

    /// - Returns: Whether the connection came back, so that every change is sent at once.
    mutating func connected(_ isConnected: Bool) -> Bool {
        guard isRunning, isOnline != isConnected else { return false }
        isOnline = isConnected
        if isConnected { (pausedUntil, failures, returns) = (nil, [:], returns &+ 1) }
        return isConnected
    }

    /// - Returns: Whether the time of a regular round has come.
    mutating func beginRound(at now: Instant) -> Bool {
        guard isRunning, now >= nextRound else { return false }
        nextRound = now.advanced(by: interval)
        return true
    }

    mutating func maySend(at now: Instant) -> Bool {
        if let pause = pausedUntil, pause <= now { pausedUntil = nil }
        return isRunning && isOnline && pausedUntil == nil && sending < options.maximumConcurrentSends
    }

    mutating func began() { sending += 1 }

    mutating func ended() { sending = max(0, sending - 1) }

    /// When to look for changes again if nothing happens before.
    ///
    /// - Parameter due: When the next change is due; nil if none waits.
    func wake(nextDue due: Instant?) -> Instant {
        guard isOnline, let due, sending < options.maximumConcurrentSends else { return nextRound }
        return min(nextRound, max(due, pausedUntil ?? due))
    }

    /// Decides about a change whose attempt has ended.
    ///
    /// - Parameters:
    ///   - failing: When the first attempt of the change failed; nil if none did.
    ///   - begun: The value of ``returns`` when the attempt began; nil for the present one.
    mutating func verdict(
        _ change: PendingChange,
        _ ending: Ending,
        failingSince failing: Instant?,
        begunAfter begun: Int? = nil,
        at now: Instant,
        using generator: inout some RandomNumberGenerator
    ) -> Verdict {
        if case .failed(let error) = ending {
            let isOfEarlier = begun.map { $0 != returns } ?? false
            return verdict(change, error, failing, isOfEarlierConnection: isOfEarlier, at: now, using: &generator)
        }
        failures[change.id] = nil
        endOpenPause()
        return switch ending {
        case .answered(.accepted): .accepted
        case .answered(.conflict(let remote)): .resolve(remote: remote)
        case .answered(.rejected(let reason)): .setAside("the server rejected it: \(reason)")
        case .resolved(.takeRemote): .tookRemote
        case .resolved(.setAside(let reason)): .setAside(reason)
        case .resolved(.keepLocal(let payload)):
            change.attempts + 1 >= options.maximumAttempts
                ? .setAside("the server answered every attempt with a conflict") : .keptLocal(payload)
        case .failed: .release(nil)
        }
    }

    private mutating func verdict(
        _ change: PendingChange,
        _ error: any Error,
        _ failing: Instant?,
        isOfEarlierConnection: Bool,
        at now: Instant,
        using generator: inout some RandomNumberGenerator
    ) -> Verdict {
        // After the stop, the attempt was cancelled. While the engine runs, `send` threw the error itself, and failed.
        if error is CancellationError, !isRunning { return .release(nil) }
        if let open = error as? CircuitOpenError {
            isPauseOpen = open.remaining == nil
            pausedUntil = open.remaining.map { now.advanced(by: $0) } ?? nextRound
            return .release(nil)
        }
        endOpenPause()
        let delay = delay(change, using: &generator)
        guard isOnline, !options.isOutage(error) else {
            // When the connection came back, the waits of all changes ended, except of those that were being sent.
            return .release(isOfEarlierConnection ? nil : delay)
        }
        let decision = options.onError(error)
        // A server that says when to try again is busy. Not sooner than the backoff: such failures have no limit.
        if let requested = decision.requestedDelay(using: &generator) { return .release(max(requested, delay)) }
        let isLast = isLast(change, failing, at: now)
        if decision == .stop || isLast { failures[change.id] = nil }
        if decision == .stop { return .setAside(String(clause: error)) }
        if isLast { return .setAside("attempt \(change.attempts + 1) failed: \(String(clause: error))") }
        return .postpone(delay)
    }

    private mutating func endOpenPause() {
        if isPauseOpen { (pausedUntil, isPauseOpen) = (nil, false) }
    }

    /// The wait of a change after a failure of any kind.
    mutating func delay(_ change: PendingChange, using generator: inout some RandomNumberGenerator) -> Duration {
        let count = failures[change.id] ?? change.attempts
        failures[change.id] = count + 1
        return options.backoff.delay(beforeRetry: count, using: &generator)
    }

    /// Whether no further attempt follows: attempts and time decide together. The wall clock has no part in it: it may be
    /// set during an attempt.
    private func isLast(_ change: PendingChange, _ failing: Instant?, at now: Instant) -> Bool {
        let seconds = now.seconds(since: failing ?? now)
        return change.attempts + 1 >= options.maximumAttempts && seconds >= options.minimumFailureTime.inSeconds
    }
}

/// The signals of one sync engine. Bound once.
struct SyncSignals: Sendable {
    /// What became of an attempt to send a change.
    enum Outcome: String, Sendable, CaseIterable {
        /// The server accepted the change.
        case sent
        /// The attempt failed; the change is sent again.
        case failed
        /// A conflict: the change is sent again with another payload.
        case keptLocal = "kept_local"
        /// A conflict: the change was given up.
        case tookRemote = "took_remote"
        /// The change is not sent any more.
        case setAside = "set_aside"
        /// The attempt did not end at its time limit. Its change is counted again when it ends.
        case overdue
    }

    static let changes = SignalFamily(
        "axiom_sync_changes_total",
        .counter,
        help: "Attempts to send a change of an outbox, by what became of the change.",
        labels: ["queue", "outcome"]
    )
    static let duration = SignalFamily(
        "axiom_sync_duration_seconds",
        .seconds,
        help: "Time of one attempt to send a change, until the server answered or the attempt failed.",
        labels: ["queue"]
    )

    private let outcomes: [Outcome: any Signal]
    private let duration: (any Signal)?

    init(_ identity: ComponentIdentity?, queue: String) {
        outcomes = Self.changes.signals(after: [queue]) { identity?.signal($0, $1) }
        duration = identity?.signal(Self.duration, [queue])
    }

    func ended(_ outcome: Outcome) { outcomes[outcome]?.increment() }
    func took(nanoseconds: Int64) { duration?.observe(nanoseconds: nanoseconds) }
}

extension SyncMachine.Verdict {
    /// What is counted; nil for a change that was not attempted or whose fate is still open.
    var outcome: SyncSignals.Outcome? {
        switch self {
        case .accepted: .sent
        case .tookRemote: .tookRemote
        case .keptLocal: .keptLocal
        case .setAside: .setAside
        case .postpone, .release(.some): .failed
        case .resolve, .release(.none): nil
        }
    }
}
