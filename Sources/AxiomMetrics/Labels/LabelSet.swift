// SPDX-License-Identifier: Apache-2.0

/// The labels of one series, kept once, in the form that every text encoder copies: `client="Cart",action="add"`.
///
/// Two sets are equal when these bytes are, so that two equal series cannot stand on one page. (Swift's own equality
/// of strings takes different encodings of one character for the same; Prometheus does not.)
public struct LabelSet: Hashable, Sendable {
    /// Names and escaped values, separated by commas; labels with an empty value are left out.
    let rendered: [UInt8]

    /// The labels of an instrument that has none.
    public static let none = LabelSet(rendered: [])

    init(rendered: [UInt8]) {
        self.rendered = rendered
    }

    init(copying bytes: UnsafeBufferPointer<UInt8>) {
        rendered = [UInt8](bytes)
    }

    /// Renders values in the order of their names; the names are taken to be valid.
    init(template: LabelTemplate, values: [String]) {
        var writer = LabelWriter()
        for value in values { writer.append(value, template) }
        rendered = writer.finish { [UInt8]($0) }
    }

    /// These labels and, after them, others of other names.
    func appending(_ others: LabelSet) -> LabelSet {
        let separator = isEmpty || others.isEmpty ? [] : [UInt8(ascii: ",")]
        return LabelSet(rendered: rendered + separator + others.rendered)
    }

    /// Whether there is no label.
    public var isEmpty: Bool { rendered.isEmpty }

    /// The names and values, unescaped, in the order in which they are shown. Cost: one pass over the bytes.
    public var pairs: [(name: String, value: String)] {
        var pairs: [(name: String, value: String)] = []
        var rest = rendered[...]
        while let equals = rest.firstIndex(of: UInt8(ascii: "=")) {
            let name = String(decoding: rest[..<equals], as: UTF8.self)
            rest = rest[(equals + 2)...]
            pairs.append((name, Self.takeValue(&rest)))
            rest = rest.dropFirst()
        }
        return pairs
    }

    /// The value of one label; empty when the label is absent.
    public subscript(name: String) -> String {
        pairs.first { $0.name == name }?.value ?? ""
    }

    /// Takes an escaped value and its closing quote from the front of `rest`.
    private static func takeValue(_ rest: inout ArraySlice<UInt8>) -> String {
        var value: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            guard byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() else {
                value.append(byte)
                continue
            }
            value.append(escaped == UInt8(ascii: "n") ? UInt8(ascii: "\n") : escaped)
        }
        return String(decoding: value, as: UTF8.self)
    }
}

extension LabelSet: Comparable, CustomStringConvertible {
    /// The labels as a page shows them, in braces.
    public var description: String {
        "{" + String(decoding: rendered, as: UTF8.self) + "}"
    }

    /// The order of series on a page: by the bytes of their labels.
    public static func < (left: LabelSet, right: LabelSet) -> Bool {
        left.rendered.lexicographicallyPrecedes(right.rendered)
    }
}
