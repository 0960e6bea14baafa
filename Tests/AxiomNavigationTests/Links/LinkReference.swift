// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A slow reader and matcher of links, written from the documentation and not from the code: recursive over segments.
struct LinkReference {
    typealias Scalars = ArraySlice<Unicode.Scalar>

    let scheme: String
    let parts: [String]
    let query: [(name: String, value: String)]

    /// Nil if `text` is no valid link.
    init?(_ text: String) {
        let all = Array(text.unicodeScalars)
        let head = String(String.UnicodeScalarView(all.prefix { $0 != "?" && $0 != "#" }))
        guard text.utf8.count <= 16_384, head.utf8.count <= 2_048,
            !all.contains(where: { $0.value <= 32 || $0.value == 127 || $0 == "\\" }),
            let colon = all.firstIndex(of: ":"), let first = all.first, Self.isLetter(first),
            all[..<colon].allSatisfy({
                Self.isLetter($0) || ("0"..."9").contains($0) || "+-.".unicodeScalars.contains($0)
            })
        else { return nil }
        scheme = Self.text(all[..<colon]).lowercased()
        let noFragment = all[(colon + 1)...].prefix { $0 != "#" }
        let noQuery = noFragment.prefix { $0 != "?" }
        var path = noQuery[...]
        var authority: Scalars = []
        if path.starts(with: "//".unicodeScalars) {
            authority = path.dropFirst(2).prefix { $0 != "/" }
            path = path.dropFirst(2 + authority.count)
        }
        guard let host = Self.host(authority, scheme), let segments = Self.segments(path),
            let query = Self.query(noFragment.dropFirst(noQuery.count + 1))
        else { return nil }
        parts = [host] + segments
        self.query = query
    }

    private static func text(_ scalars: Scalars) -> String {
        String(String.UnicodeScalarView(scalars))
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
    }

    /// Nil for a lone percent sign, for what is not UTF-8, and for NUL. Not Foundation's decoding: it drops a leading
    /// byte order mark, and repairs some text that is not UTF-8.
    private static func decoded(_ scalars: Scalars) -> String? {
        var bytes: [UInt8] = []
        var rest = scalars
        while let first = rest.popFirst() {
            if first == "%" {
                let digits = text(rest.prefix(2))
                guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit), let byte = UInt8(digits, radix: 16),
                    byte > 0
                else { return nil }
                bytes.append(byte)
                rest = rest.dropFirst(2)
            } else {
                bytes += Array(String(first).utf8)
            }
        }
        var (input, codec, result) = (bytes.makeIterator(), UTF8(), "")
        while true {
            switch codec.decode(&input) {
            case .scalarValue(let scalar): result.unicodeScalars.append(scalar)
            case .emptyInput: return result
            case .error: return nil
            }
        }
    }

    private static func segments(_ path: Scalars) -> [String]? {
        let raw = path.split(separator: "/")
        let decoded = raw.compactMap(decoded)
        guard raw.count <= 64, decoded.count == raw.count else { return nil }
        return decoded.reduce(into: []) { kept, segment in
            if segment == ".." { kept = Array(kept.dropLast()) } else if segment != "." { kept.append(segment) }
        }
    }

    private static func query(_ text: Scalars) -> [(name: String, value: String)]? {
        var items: [(name: String, value: String)] = []
        for item in text.split(separator: "&") {
            let item = item.map { $0 == "+" ? " " : $0 }[...]
            let key = item.prefix { $0 != "=" }
            guard let name = decoded(key), let value = decoded(item.dropFirst(key.count + 1)) else { return nil }
            if !name.isEmpty, !items.contains(where: { $0.name == name }) { items.append((name, value)) }
        }
        return items
    }

    private static func host(_ authority: Scalars, _ scheme: String) -> String? {
        guard !authority.contains("@") else { return nil }
        var (name, rest): (String, Scalars)
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            let address = authority[..<end].dropFirst()
            let isValid = address.allSatisfy { "0123456789abcdefABCDEF:.".unicodeScalars.contains($0) }
            guard isValid, address.contains(":") else { return nil }
            (name, rest) = ("[\(text(address))]", authority[(end + 1)...])
        } else {
            let raw = authority.prefix { $0 != ":" }
            guard let decoded = decoded(raw) else { return nil }
            let bad = decoded.unicodeScalars.contains {
                $0.value <= 32 || $0.value == 127 || "#%/:<>?@[\\]^|".unicodeScalars.contains($0)
            }
            guard !bad else { return nil }
            (name, rest) = (decoded, authority.dropFirst(raw.count))
        }
        name = String(
            String.UnicodeScalarView(
                name.unicodeScalars.map {
                    isLetter($0) ? $0.properties.lowercaseMapping.unicodeScalars.first ?? $0 : $0
                }
            )
        )
        return withPort(name, rest, scheme)
    }

    /// The host with its port, unless it is the scheme's; nil if the port is invalid.
    private static func withPort(_ name: String, _ rest: Scalars, _ scheme: String) -> String? {
        guard let colon = rest.first else { return name }
        guard colon == ":" else { return nil }
        if rest.count == 1 { return name }
        guard rest.count <= 6, rest.dropFirst().allSatisfy({ ("0"..."9").contains($0) }), !name.isEmpty,
            let port = UInt16(text(rest.dropFirst())), port > 0
        else { return nil }
        return port == ["http": 80, "https": 443][scheme] ? name : "\(name):\(port)"
    }
}

extension LinkReference {
    /// What a pattern of ``LinkGenerator`` captures, and how specific it is: smaller is more specific. Nil if it does
    /// not match.
    func match(_ pattern: String) -> (captures: [String: String], rest: [String], order: String)? {
        let halves = pattern.split(separator: "?", maxSplits: 1).map(String.init)
        let elements = halves[0].dropFirst("shop://".count).split(separator: "/", omittingEmptySubsequences: false)
        guard scheme == "shop", var found = Self.match(elements.map(String.init)[...], parts[...]) else { return nil }
        for item in halves.dropFirst().flatMap({ $0.split(separator: "&") }) {
            let pair = item.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            let value = query.first { $0.name == pair[0] }?.value
            if !pair[1].hasPrefix(":") {
                guard value == pair[1] else { return nil }
            } else if let value, !value.isEmpty {
                found.captures[pair[1].trimmingCharacters(in: [":", "?"])] = value
            } else if !pair[1].hasSuffix("?") {
                return nil
            }
        }
        return found
    }

    private static func match(
        _ pattern: ArraySlice<String>,
        _ parts: ArraySlice<String>
    ) -> (captures: [String: String], rest: [String], order: String)? {
        guard let element = pattern.first else { return parts.isEmpty ? ([:], [], "0") : nil }
        if element == "*" { return ([:], [], "3") }
        if element.hasPrefix("*") { return ([:], Array(parts), "3") }
        guard let part = parts.first, element.hasPrefix(":") ? !part.isEmpty : element == part,
            var found = match(pattern.dropFirst(), parts.dropFirst())
        else { return nil }
        if element.hasPrefix(":") { found.captures[String(element.dropFirst())] = part }
        found.order = (element.hasPrefix(":") ? "2" : "1") + found.order
        return found
    }
}
