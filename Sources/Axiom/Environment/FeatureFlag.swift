// SPDX-License-Identifier: Apache-2.0

/// A decision that is made outside of the code: which variant of a feature is used.
///
/// ```swift
/// extension FeatureFlag where Value == Bool {
///     static let expressCheckout = FeatureFlag("express-checkout", fallback: false)
/// }
/// if context.isEnabled(.expressCheckout, for: user.id) { … }
/// ```
public struct FeatureFlag<Value: FlagValue>: Sendable {
    /// The name, under which sources and metrics know the flag.
    public let name: String
    /// The value where no source has a usable one.
    public let fallback: Value

    /// Declares a flag. Declare it once and share it.
    public init(_ name: String, fallback: Value) {
        self.name = name
        self.fallback = fallback
    }
}

/// A value that a feature flag can have. Numbers, text and enumerations with text as raw values conform, the last by a
/// declaration alone: `enum Layout: String, FlagValue { case list, grid }`.
public protocol FlagValue: Sendable, Hashable {
    /// Reads a value from the text of a source; nil if it is not one.
    init?(flagText: String)

    /// The value as text, which names the variant in metrics.
    var flagText: String { get }
}

extension FlagValue where Self: LosslessStringConvertible {
    /// Reads the value's description.
    public init?(flagText: String) { self.init(flagText) }
    /// The value's description.
    public var flagText: String { description }
}

extension FlagValue where Self: RawRepresentable, RawValue == String {
    /// Reads the raw value.
    public init?(flagText: String) { self.init(rawValue: flagText) }
    /// The raw value.
    public var flagText: String { rawValue }
}

extension Bool: FlagValue {
    /// Reads `true`, `yes`, `on` or `1`, or the opposite.
    public init?(flagText: String) {
        switch flagText.lowercased() {
        case "true", "yes", "on", "1": self = true
        case "false", "no", "off", "0": self = false
        default: return nil
        }
    }
}

extension Int: FlagValue {}
extension Double: FlagValue {}
extension String: FlagValue {}

/// Why an evaluation of a flag has its value.
public enum FlagReason: String, Sendable, Hashable, CaseIterable {
    /// The application, a test or a context above set the value.
    case override
    /// A source has this value for everybody.
    case `static`
    /// A source has a rollout, which decided by the subject.
    case split
    /// No source has the flag, or its rollout needs a subject and there is none.
    case `default`
    /// The first source that has the flag has no valid value for it.
    case error
}

/// The result of evaluating a flag.
public struct FlagEvaluation<Value: FlagValue>: Sendable, Hashable {
    /// The value.
    public let value: Value
    /// Why it is that value.
    public let reason: FlagReason
    /// The source that decided; nil for the fallback of the flag.
    public let source: String?

    init(_ value: Value, _ reason: FlagReason, source: String?) {
        self.value = value
        self.reason = reason
        self.source = source
    }
}
