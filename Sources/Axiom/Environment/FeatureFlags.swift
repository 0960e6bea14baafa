// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The sources of all feature flags of an application, in order.
///
/// What the application sets in ``Orchestrator/values`` comes first, then each source in its order; the first that has a
/// flag decides. An action of a context evaluates all flags on the sources that were in force when it evaluated the
/// first one, together with the clients that it calls. The same applies to each task that such code begins, unless it is
/// detached.
public final class FeatureFlags: Sendable {
    /// The sources in force at one time.
    struct Snapshot: Sendable {
        fileprivate(set) var overrides: [String: any Sendable] = [:]
        fileprivate(set) var sources: [any FlagSource] = []
        fileprivate(set) var generation = 0

        /// The first source that has the flag.
        func find(_ flag: String) -> (rule: FlagRule, source: String)? {
            for source in sources {
                if let rule = source.rule(for: flag) { return (rule, source.name) }
            }
            return nil
        }
    }

    private let inForce = Lock(Snapshot())
    private let pins = Lock(SnapshotPins())
    private let counts: FlagCounts
    private let faults = Lock(FlagFaults())
    /// Ends an error of a source at the orchestrator. Set once, when the orchestrator is made.
    @MainActor var report: (@MainActor (ConfigurationError) async -> Void)?
    /// Reports changes to what observes the flags. Set once, when the orchestrator is made.
    @MainActor weak var root: RootValues?

    init(_ bind: FlagCounts.Binding?) { counts = FlagCounts(bind) }

    /// How often the sources were replaced.
    package var generation: Int { inForce.withLock { $0.generation } }

    /// The value of a flag for `subject`, such as the id of a user.
    public func evaluate<V>(_ flag: FeatureFlag<V>, for subject: String? = nil) -> FlagEvaluation<V> {
        let snapshot = snapshot
        let evaluation = Self.evaluate(flag, for: subject, in: snapshot)
        if evaluation.reason == .error { reportFault(of: flag, in: snapshot) }
        return count(evaluation, of: flag)
    }

    /// Reports a value that is none of the flag, once for each flag and each change of the sources.
    private func reportFault<V>(of flag: FeatureFlag<V>, in snapshot: Snapshot) {
        guard let (rule, source) = snapshot.find(flag.name),
            faults.withLock({ $0.isNew(flag.name, generation: snapshot.generation) })
        else { return }
        let problem = ConfigurationError.Problem(
            key: "flags.\(flag.name)",
            value: "\"\(rule.value.prefix(100))\"",
            source: source,
            expected: "a value of \(V.self), a share of the subjects from 0% to 100%, or both as in VALUE@20%"
        )
        Task.onMainActor { await self.report?(.invalid([problem])) }
    }

    /// The value of a flag for `subject`.
    public subscript<V>(_ flag: FeatureFlag<V>, for subject: String? = nil) -> V {
        evaluate(flag, for: subject).value
    }

    /// Replaces the sources, the most important first. Actions that have evaluated a flag continue with the old ones.
    /// Presentations that read a flag whose rule changed are rendered again.
    @MainActor
    public func use(_ sources: [any FlagSource]) {
        let (old, new) = inForce.withLock { snapshot in
            let old = snapshot
            snapshot.sources = sources
            snapshot.generation += 1
            return (old, snapshot)
        }
        guard let root else { return }
        // A source's code runs here, and not under the lock.
        let changed = root.observedFlags.filter { old.find($0)?.rule != new.find($0)?.rule }
        root.report(changed.map { .flag($0) })
    }

    /// Takes the overrides from the application's values.
    @MainActor
    func override(with values: AppValues.Storage, _ changed: Set<AppValues.ID>) {
        for case .flag(let name) in changed {
            let value = values[.flag(name)]
            // The old value is released outside the lock: its deinit may run any code.
            _ = inForce.withLock { snapshot in
                let old = snapshot.overrides[name]
                snapshot.overrides[name] = value
                return old
            }
        }
    }

    /// Counts an evaluation.
    func count<V>(_ evaluation: FlagEvaluation<V>, of flag: FeatureFlag<V>) -> FlagEvaluation<V> {
        counts.add(flag.name, variant: evaluation.value.flagText, evaluation.reason)
        return evaluation
    }

    /// The snapshot of the action that runs in this task, which the first evaluation takes.
    private var snapshot: Snapshot {
        let latest = inForce.withLock { $0 }
        guard let trail = ErrorTrail.current else { return latest }
        return pins.withLock { $0.snapshot(of: trail, latest) }.used
    }

    private static func evaluate<V>(
        _ flag: FeatureFlag<V>,
        for subject: String?,
        in snapshot: Snapshot
    ) -> FlagEvaluation<V> {
        if let value = snapshot.overrides[flag.name] as? V {
            return FlagEvaluation(value, .override, source: "application")
        }
        guard let (rule, source) = snapshot.find(flag.name) else {
            return FlagEvaluation(flag.fallback, .default, source: nil)
        }
        if let value = rule.shareText.flatMap({ V(flagText: $0) }) {
            return FlagEvaluation(value, .static, source: source)
        }
        guard !rule.hasInvalidShare, let value = V(flagText: rule.value) else {
            return FlagEvaluation(flag.fallback, .error, source: source)
        }
        guard let percent = rule.percent else { return FlagEvaluation(value, .static, source: source) }
        guard let subject else { return FlagEvaluation(flag.fallback, .default, source: source) }
        let isIncluded = FlagRollout.includes(subject, flag: flag.name, percent: percent)
        return FlagEvaluation(isIncluded ? value : flag.fallback, .split, source: source)
    }
}

/// The flags whose value in the sources in force has been reported as invalid.
private struct FlagFaults {
    /// So many flags are reported after each change of the sources.
    private static let limit = 100

    private var generation = 0
    private var reported: Set<String> = []

    mutating func isNew(_ flag: String, generation: Int) -> Bool {
        // An action that began before the change continues with the old sources.
        guard generation >= self.generation else { return false }
        if generation > self.generation { (self.generation, reported) = (generation, []) }
        return reported.count < Self.limit && reported.insert(flag).inserted
    }
}

/// Counts the evaluations of flags. Each series is bound at its first evaluation.
final class FlagCounts: Sendable {
    private struct Series: Hashable {
        var flag: String
        var variant: String
        let reason: FlagReason
    }

    /// So many combinations have a series of their own. The rest is counted as flag and variant `other`.
    private static let limit = 100
    /// Binds a signal; nil if nothing observes the flags.
    typealias Binding = @Sendable (SignalFamily, [String]) -> (any Signal)?

    private static let family = SignalFamily(
        "axiom_feature_flag_evaluations_total",
        .counter,
        help: "Evaluations of feature flags, by the variant that was chosen and why.",
        labels: ["flag", "variant", "reason"]
    )

    private let bind: Binding?
    private let bound = Lock<[Series: any Signal]>([:])

    init(_ bind: Binding?) { self.bind = bind }

    func add(_ flag: String, variant: String, _ reason: FlagReason) {
        guard let bind else { return }
        var series = Series(flag: flag, variant: variant, reason: reason)
        let (known, isFull) = bound.withLock { ($0[series], $0.count >= Self.limit) }
        if let known { return known.add(1) }
        if isFull || flag.utf8.count > 64 || variant.utf8.count > 64 {
            (series.flag, series.variant) = ("other", "other")
        }
        if let other = bound.withLock({ $0[series] }) { return other.add(1) }
        // Not under the lock: the observer's code runs here. A second thread binds the same series again, which is the
        // same signal.
        guard let signal = bind(Self.family, [series.flag, series.variant, reason.rawValue]) else { return }
        bound.withLock { $0[series] = signal }
        signal.add(1)
    }
}
