// SPDX-License-Identifier: Apache-2.0

/// The name of a label and the type of its values, which the compiler checks wherever the family is used.
///
/// ```swift
/// Label<String>("client"), Label<Outcome>("outcome")
/// ```
public struct Label<Value: LabelValue>: Hashable, Sendable {
    /// The name: a letter or underscore, then letters, digits and underscores. Checked when the family is registered.
    package let name: String

    /// Creates a label with values of the type `Value`.
    public init(_ name: String) { self.name = name }
}

/// A type of label values: strings, integers, Booleans, and enums with string raw values.
///
/// ```swift
/// enum Outcome: String, LabelValue { case success, failure }
/// ```
///
/// Keep the number of distinct values small: each combination of values is one series, which exists until it is removed.
public protocol LabelValue: Sendable {
    /// The text of the label. Any text is allowed: encoders escape it.
    ///
    /// An empty text means that the label is absent, as in Prometheus: `x{a=""}` is the series `x`.
    var labelValue: String { get }
}

extension String: LabelValue {
    /// The string itself.
    public var labelValue: String { self }
}

extension Int: LabelValue {
    /// The integer in decimal.
    public var labelValue: String { description }
}

extension Bool: LabelValue {
    /// `true` or `false`.
    public var labelValue: String { self ? "true" : "false" }
}

extension LabelValue where Self: RawRepresentable, RawValue == String {
    /// The raw value.
    public var labelValue: String { rawValue }
}

/// The declared labels of a family.
struct LabelDeclarations {
    /// The names, in the order of the values.
    private(set) var names: [String] = []
    /// The labels whose cases are known; as many as there are names if all are.
    private(set) var enumerated: [EnumeratedLabel] = []

    /// Whether each series has its own label names.
    private(set) var areOpen = false

    static let none = LabelDeclarations()
    /// Each series has its own label names.
    static let open = LabelDeclarations(areOpen: true)

    private init(areOpen: Bool = false) { self.areOpen = areOpen }

    /// Labels with string values.
    init(names: [String]) { self.names = names }

    init<each Value: LabelValue>(_ labels: repeat Label<each Value>) {
        for label in repeat each labels {
            names.append(label.name)
            if let known = Self.enumerated(label) { enumerated.append(known) }
        }
    }

    private static func enumerated<Value: LabelValue>(_ label: Label<Value>) -> EnumeratedLabel? {
        EnumeratedLabel(Value.self)
    }
}

/// The cases of a label's type. They are known if the type is `CaseIterable` and takes at most one byte, as enums without
/// associated values do.
struct EnumeratedLabel: Sendable {
    /// The type. The bytes have a meaning only together with it.
    let type: ObjectIdentifier
    /// The byte that represents each case, and its label value.
    let cases: [(byte: UInt8, value: String)]

    /// Nil if the type's cases are not known.
    init?<Value: LabelValue>(_ type: Value.Type) {
        guard MemoryLayout<Value>.size <= 1, let enumerable = type as? any (CaseIterable & LabelValue).Type else {
            return nil
        }
        self.type = ObjectIdentifier(type)
        cases = Self.cases(of: enumerable)
        if cases.isEmpty { return nil }
    }

    private static func cases<Value: CaseIterable & LabelValue>(of type: Value.Type) -> [(byte: UInt8, value: String)] {
        type.allCases.map { (labelByte($0), $0.labelValue) }
    }
}

/// The byte that represents a value of a type that takes at most one byte; 255 for other types.
@inlinable
@inline(__always)
func labelByte<Value>(_ value: Value) -> UInt8 {
    if MemoryLayout<Value>.size == 1 { return unsafeBitCast(value, to: UInt8.self) }
    return MemoryLayout<Value>.size == 0 ? 0 : 255
}

/// Reads the texts of label values that form a tuple.
@usableFromInline
struct LabelReader: Sendable {
    /// Where the value is in the tuple, as the layout of tuples defines it.
    private let offset: Int
    private let end: Int
    /// Whether the value is a string.
    let isString: Bool
    private let text: @Sendable (UnsafeRawPointer) -> String

    init<Value: LabelValue>(_ type: Value.Type, after other: LabelReader?) {
        let alignment = MemoryLayout<Value>.alignment
        offset = ((other?.end ?? 0) + alignment - 1) & -alignment
        end = offset + MemoryLayout<Value>.size
        isString = type is String.Type
        text = { $0.assumingMemoryBound(to: Value.self).pointee.labelValue }
    }

    func read(_ values: UnsafeRawPointer) -> String {
        text(values + offset)
    }
}

extension String {
    /// Passes the bytes in UTF-8 to `body`.
    @inline(__always)
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        // Strings of Swift are contiguous; others are copied.
        utf8.withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer($0)) } ?? Array(utf8).withUnsafeBytes(body)
    }
}
