// SPDX-License-Identifier: Apache-2.0

/// The values of a context; see ``AppValues``. Reading one in the body of a presentation observes it: the presentation
/// is rendered again when that value changes, and only then.
@MainActor
public struct ContextValues {
    /// Nil for a context that no orchestrator made.
    private let scope: ValueScope?

    init(_ scope: ValueScope?) {
        self.scope = scope
    }

    /// The value of a key: that of the nearest context above that overrides it, or that of the orchestrator, or the
    /// fallback.
    public subscript<K: AppValues.Key>(_ key: K.Type) -> K.Value {
        scope?.read(.key(ObjectIdentifier(key))) as? K.Value ?? K.fallback
    }

    /// The value of a flag for `subject`, such as the id of a user; see ``FeatureFlags``.
    ///
    /// All evaluations of one action see the same sources, even if the sources are replaced between them.
    public func evaluate<V>(_ flag: FeatureFlag<V>, for subject: String? = nil) -> FlagEvaluation<V> {
        guard let scope else { return FlagEvaluation(flag.fallback, .default, source: nil) }
        scope.root.observe(.flag(flag.name))
        if let value = scope.overridden(flag.name) as? V {
            return scope.flags.count(FlagEvaluation(value, .override, source: "context"), of: flag)
        }
        return scope.flags.evaluate(flag, for: subject)
    }

    /// The value of a flag for `subject`.
    public subscript<V>(_ flag: FeatureFlag<V>, for subject: String? = nil) -> V {
        evaluate(flag, for: subject).value
    }
}
