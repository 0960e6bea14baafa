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

    /// The labels of a family's overflow series.
    static func overflow(of names: [String]) -> LabelSet {
        LabelSet(template: LabelTemplate(names: names), values: names.map { _ in MetricOptions.overflowValue })
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
        forEachRendered { name, _, value in
            pairs.append((Self.unescaped(name), Self.unescaped(value)))
        }
        return pairs
    }

    /// The value of one label; empty when the label is absent.
    public subscript(name: String) -> String {
        pairs.first { ByteName($0.name) == ByteName(name) }?.value ?? ""
    }

    /// Hands out each label as it was rendered: the escaped name and whether it stands in quotes, and the escaped value.
    func forEachRendered(_ body: (_ name: ArraySlice<UInt8>, _ isQuoted: Bool, _ value: ArraySlice<UInt8>) -> Void) {
        var rest = rendered[...]
        while let first = rest.first {
            let isQuoted = first == UInt8(ascii: "\"")
            let name = isQuoted ? Self.takeQuoted(&rest) : rest.prefix { $0 != UInt8(ascii: "=") }
            rest = isQuoted ? rest.dropFirst() : rest[name.endIndex...].dropFirst()
            body(name, isQuoted, Self.takeQuoted(&rest))
            rest = rest.dropFirst()
        }
    }

    /// Takes a text in quotes from the front of `rest`, and returns what is between the quotes.
    private static func takeQuoted(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let start = rest.startIndex + 1
        var end = start
        while end < rest.endIndex, rest[end] != UInt8(ascii: "\"") {
            end += rest[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        defer { rest = rest[min(end + 1, rest.endIndex)...] }
        return rest[min(start, rest.endIndex)..<min(end, rest.endIndex)]
    }

    /// The text that was escaped.
    static func unescaped(_ escaped: ArraySlice<UInt8>) -> String {
        guard escaped.contains(UInt8(ascii: "\\")) else { return String(decoding: escaped, as: UTF8.self) }
        var text: [UInt8] = []
        var rest = escaped
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let next = rest.popFirst() else {
                text.append(byte)
                continue
            }
            text.append(next == UInt8(ascii: "n") ? UInt8(ascii: "\n") : next)
        }
        return String(decoding: text, as: UTF8.self)
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
