// SPDX-License-Identifier: Apache-2.0

/// A type whose values the dashboard never shows: it renders them as `<redacted>`, wherever they occur in a state.
///
/// ```swift
/// struct CardNumber: RedactedState, Hashable, Sendable { let digits: String }
/// ```
/// The conformance concerns the inspection of states. It does not change what the type's own `description` returns. Use
/// ``Redacted`` for a property whose type is not yours.
public protocol RedactedState {}

/// Hides a property of a state: the dashboard, descriptions, `dump` and mirrors show `<redacted>`.
///
/// ```swift
/// struct SessionState: OwnedState {
///     var user = ""
///     @Redacted var token = ""
/// }
/// ```
/// The property itself works as before: it is compared and hashed by its value. Encoding writes the value, so that a
/// state with such a property can be stored; do not encode it for a log.
@propertyWrapper
public struct Redacted<Value>: RedactedState {
    /// The hidden value.
    public var wrappedValue: Value

    /// Hides a value.
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}

extension Redacted: Sendable where Value: Sendable {}
extension Redacted: Equatable where Value: Equatable {}
extension Redacted: Hashable where Value: Hashable {}

extension Redacted: Encodable where Value: Encodable {
    /// Encodes the value as if it were not wrapped.
    public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension Redacted: Decodable where Value: Decodable {
    /// Decodes the value as if it were not wrapped.
    public init(from decoder: any Decoder) throws {
        try self.init(wrappedValue: Value(from: decoder))
    }
}

extension Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `<redacted>`
    public var description: String { RedactedText.text }
    /// `<redacted>`
    public var debugDescription: String { RedactedText.text }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What is shown in place of a hidden value.
package enum RedactedText {
    package static let text = "<redacted>"
}

/// The size of a hidden value is not secret: estimates of memory read the value.
package protocol HiddenValue {
    var hidden: Any { get }
}

extension Redacted: HiddenValue {
    package var hidden: Any { wrappedValue }
}
