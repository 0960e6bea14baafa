// SPDX-License-Identifier: Apache-2.0

import AxiomBase

/// Makes random URLs from a grammar, mutates them, and makes random patterns.
struct LinkGenerator {
    var random: SeededGenerator

    private static let schemes = ["shop", "shop", "SHOP", "https", "http", "x+y.z-1", "", "1bad", "sh%6fp"]
    private static let separators = ["://", "://", "://", "://", ":///", ":/", ":", "//", ""]
    private static let hosts = [
        "a", "b", "A", "", "a:443", "a:80", "a:", "a:0", "b:8080", "a:99999", "u@a", "u:p@a", "[::1]", "[::1]:80",
        "[::1", "ä",
        "%61", "%2F", "%C3%A4", "a%00", "%", "x", ":a", "*",
    ]
    private static let segments = [
        "a", "b", "A", "x", "a", "b", "", ".", "..", "%2e", "%2E%2e", "%2F", "%252F", "%61", "%", "%4", "%zz", "%FF",
        "%C3%A9",
        "é", "e\u{301}", "🎉", "%F0%9F%8E%89", "\u{0}", "%00", " ", "+", ";", "a=b", ":a", "*", "%2A", "\u{200d}",
        "\u{feff}",
    ]
    private static let items = [
        "m=1", "m=2", "m=", "m", "k=a", "k=", "k=%61+b", "=x", "", "z=1", "m=1=2", "%6d=1", "k=%", "k=%FF", "é=🎉",
        "k=%00",
    ]

    mutating func url() -> String {
        if random.one(in: 2) { return plain() }
        var text = random.pick(Self.schemes) + random.pick(Self.separators) + random.pick(Self.hosts)
        for _ in 0..<random.index(below: random.one(in: 200) ? 80 : 5) { text += "/" + random.pick(Self.segments) }
        if random.one(in: 3) {
            text += "?" + (0..<random.index(below: 4)).map { _ in random.pick(Self.items) }.joined(separator: "&")
        }
        if random.one(in: 8) { text += "#" + random.pick(Self.segments) }
        if random.one(in: 500) { text += String(repeating: random.pick(Self.segments), count: 3_000) }
        return random.one(in: 3) ? mutated(text) : text
    }

    /// A URL that is likely to match a pattern.
    private mutating func plain() -> String {
        var text = "shop://" + random.pick(["a", "b", ""])
        for _ in 0..<random.index(below: 5) { text += "/" + random.pick(["a", "b", "x"]) }
        if random.one(in: 2) { text += "?" + random.pick(["m=1", "m=2", "k=a", "m=1&k=b", "m="]) }
        return text
    }

    private mutating func mutated(_ text: String) -> String {
        var bytes = Array(text.utf8)
        for _ in 0...random.index(below: 4) {
            let index = random.index(below: bytes.count + 1)
            switch random.index(below: 4) {
            case 0: bytes.insert(UInt8(random.index(below: 256)), at: index)
            case 1: bytes.insert(random.pick(Array("%/:?#@[]&=.*+\\".utf8)), at: index)
            case 2: if index < bytes.count { bytes.remove(at: index) }
            default: bytes.insert(contentsOf: bytes[index...].prefix(random.index(below: 8)), at: index)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A pattern over a small alphabet.
    mutating func pattern() -> String {
        var text = "shop://" + random.pick(["a", "b", "", ":h"])
        let count = random.index(below: 4)
        for index in 0..<count { text += "/" + random.pick(["a", "b", "a", "b", ":p\(index)"]) }
        if random.one(in: 5) { text += random.pick(["/*", "/*r"]) }
        if random.one(in: 4) {
            text +=
                "?" + random.pick(["m=1", "m=2", "m=", "m=:m", "m=:m?", "k=:k", "m=1&k=:k", "m=2&k=:k?", "k=a&m=:m"])
        }
        return text
    }

    /// All URLs over the alphabet of the patterns, with up to `depth` segments.
    static func all(depth: Int) -> [String] {
        var (paths, last): ([String], [String]) = ([""], [""])
        for _ in 0..<depth {
            last = last.flatMap { path in ["a", "b", "x"].map { "\(path)/\($0)" } }
            paths += last
        }
        let queries = ["", "?m=1", "?m=2", "?m=", "?k=a", "?m=1&k=a", "?m=2&k=a", "?m=3&k=b", "?m=&k=b"]
        return ["a", "b", "", "x"].flatMap { host in
            paths.flatMap { path in queries.map { "shop://\(host)\(path)\($0)" } }
        }
    }
}
