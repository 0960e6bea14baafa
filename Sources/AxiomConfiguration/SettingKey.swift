// SPDX-License-Identifier: Apache-2.0

public import Configuration

/// A typed setting: its name, its value where no source has it, and which values are allowed.
///
/// ```swift
/// static let timeout = SettingKey("http.timeout", fallback: 5.0, allowed: 0.1...60)
/// static let token = SettingKey("http.token", fallback: "", isRequired: true, isSecret: true)
/// ```
/// The name has parts with dots between them. In a file they are nested objects; in the environment the name is
/// `HTTP_TIMEOUT`, in the arguments `--http-timeout`.
public struct SettingKey<Value: SettingValue>: Sendable {
    /// The name.
    public let name: String
    /// The value where no source has one.
    public let fallback: Value
    /// Whether a source must have a value. If none has, the settings are refused.
    public let isRequired: Bool
    /// Whether errors and reports leave out the value.
    public let isSecret: Bool
    /// What is allowed, as in `a number from 1 to 60`.
    public let expected: String
    private let isAllowed: @Sendable (Value) -> Bool

    /// Declares a setting.
    ///
    /// - Parameters:
    ///   - isRequired: Whether a source must have a value.
    ///   - isSecret: Whether errors and reports leave out the value.
    ///   - expected: What is allowed, for the error, as in `an even number`.
    ///   - isAllowed: Whether a value may be used. By default every value of the type may be used.
    public init(
        _ name: String,
        fallback: Value,
        isRequired: Bool = false,
        isSecret: Bool = false,
        expected: String = Value.expected,
        where isAllowed: @escaping @Sendable (Value) -> Bool = { _ in true }
    ) {
        self.name = name
        self.fallback = fallback
        self.isRequired = isRequired
        self.isSecret = isSecret
        self.expected = expected
        self.isAllowed = isAllowed
    }

    func allows(_ value: Value) -> Bool { isAllowed(value) }
}

extension SettingKey where Value: Comparable {
    /// Declares a setting with a range.
    public init(
        _ name: String,
        fallback: Value,
        allowed: ClosedRange<Value>,
        isRequired: Bool = false,
        isSecret: Bool = false
    ) {
        let expected = "\(Value.expected) from \(allowed.lowerBound) to \(allowed.upperBound)"
        self.init(name, fallback: fallback, isRequired: isRequired, isSecret: isSecret, expected: expected) {
            allowed.contains($0)
        }
    }
}

/// A value that a setting can have.
public protocol SettingValue: Sendable, Hashable {
    /// How a source reads it.
    static var type: ConfigType { get }
    /// What it is, for errors, as in `a number`.
    static var expected: String { get }

    /// Converts what a source has read; nil if it is not such a value.
    init?(_ content: ConfigContent)
}

extension Bool: SettingValue {
    /// A boolean value.
    public static var type: ConfigType { .bool }
    /// What it is.
    public static var expected: String { "true or false" }
    /// Takes a boolean value.
    public init?(_ content: ConfigContent) {
        guard case .bool(let value) = content else { return nil }
        self = value
    }
}

extension Int: SettingValue {
    /// A whole number.
    public static var type: ConfigType { .int }
    /// What it is.
    public static var expected: String { "a whole number" }
    /// Takes a whole number.
    public init?(_ content: ConfigContent) {
        guard case .int(let value) = content else { return nil }
        self = value
    }
}

extension Double: SettingValue {
    /// A number.
    public static var type: ConfigType { .double }
    /// What it is.
    public static var expected: String { "a number" }
    /// Takes a finite number.
    public init?(_ content: ConfigContent) {
        guard case .double(let value) = content, value.isFinite else { return nil }
        self = value
    }
}

extension String: SettingValue {
    /// Text.
    public static var type: ConfigType { .string }
    /// What it is.
    public static var expected: String { "text" }
    /// Takes text.
    public init?(_ content: ConfigContent) {
        guard case .string(let value) = content else { return nil }
        self = value
    }
}

extension Array: SettingValue where Element == String {
    /// A list of texts.
    public static var type: ConfigType { .stringArray }
    /// What it is.
    public static var expected: String { "a list of texts" }
    /// Takes a list of texts.
    public init?(_ content: ConfigContent) {
        guard case .stringArray(let value) = content else { return nil }
        self = value
    }
}

extension SettingValue where Self: RawRepresentable & CaseIterable, RawValue == String {
    /// Text.
    public static var type: ConfigType { .string }
    /// The raw values.
    public static var expected: String { "one of " + allCases.map(\.rawValue).joined(separator: ", ") }
    /// Takes a raw value.
    public init?(_ content: ConfigContent) {
        guard case .string(let value) = content else { return nil }
        self.init(rawValue: value)
    }
}
