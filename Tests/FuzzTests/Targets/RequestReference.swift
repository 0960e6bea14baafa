// SPDX-License-Identifier: Apache-2.0

/// A second reading of a stream of requests, by the letter of RFC 9112: which of them have to be answered, and where a
/// server must stop.
struct RequestReference {
    enum Verdict: Equatable {
        /// A request whose end is certain. It has to be answered, if only by a refusal; the connection stays open for the
        /// next one, or not.
        case answered(staysOpen: Bool)
        /// What a server must not take for a request.
        case refused
        /// The end is missing.
        case incomplete
        /// What the server may take or refuse: the documentation lists it. Nothing is known of what follows.
        case open
    }

    private let bytes: [UInt8]
    private var position = 0
    private(set) var verdicts: [Verdict] = []

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        while position < bytes.count {
            let verdict = next()
            verdicts.append(verdict)
            if verdict != .answered(staysOpen: true) { break }
        }
    }

    private static let (cr, lf) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"))

    private mutating func next() -> Verdict {
        // Empty lines before a request are ignored. To the library, a line that begins with a zero is empty.
        if [Self.cr, Self.lf, 0].contains(bytes[position]) { return .open }
        guard let end = bytes[position...].firstRange(of: [Self.lf, Self.cr, Self.lf]) else { return .incomplete }
        let head = bytes[position..<end.lowerBound]
        position = end.upperBound
        let lines = head.split(separator: Self.lf, omittingEmptySubsequences: false)
        // The library takes a zero before an LF for a CR, and a colon before it for an empty line.
        if lines.contains(where: { $0.last == 0 || $0.first == UInt8(ascii: ":") })
            || head.firstRange(of: [Self.lf, Self.lf]) != nil
        {
            return .open
        }
        guard lines.allSatisfy({ $0.last == Self.cr }) else { return .refused }
        return verdict(lines.map { $0.dropLast() })
    }

    private mutating func verdict(_ lines: [ArraySlice<UInt8>]) -> Verdict {
        let words = lines[0].split(separator: 0x20, omittingEmptySubsequences: false)
        guard words.count == 3, Self.isToken(words[0]), words[1].allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            return .refused
        }
        let isOld = words[2].elementsEqual("HTTP/1.0".utf8)
        guard isOld || words[2].elementsEqual("HTTP/1.1".utf8) else { return .open }
        var fields: [(name: String, value: String)] = []
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), Self.isToken(line[..<colon]),
                line[colon...].allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
            else { return .refused }
            let value = line[(colon + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
            let trimmed = value.reversed().drop { $0 == 0x20 || $0 == 0x09 }.reversed()
            fields.append((Self.lowered(line[..<colon]), String(decoding: Array(trimmed), as: UTF8.self)))
        }
        return body(fields, isOld: isOld)
    }

    private mutating func body(_ fields: [(name: String, value: String)], isOld: Bool) -> Verdict {
        func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }
        let (lengths, codings) = (values("content-length"), values("transfer-encoding"))
        if lengths.count + codings.count > 1 || isOld && !codings.isEmpty { return .refused }
        if !values("expect").isEmpty || !values("upgrade").isEmpty { return .open }
        let connection = values("connection").map { Self.lowered($0.utf8) }
        guard connection.allSatisfy({ $0 == "close" }) else { return .open }
        let answer = Verdict.answered(staysOpen: !isOld && connection.isEmpty)
        if let coding = codings.first {
            guard Self.lowered(coding.utf8) == "chunked" else { return .refused }
            return chunks() ?? answer
        }
        guard let length = lengths.first else { return answer }
        guard !length.isEmpty, length.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return .refused }
        guard let count = Int(length), count <= bytes.count - position else { return .incomplete }
        position += count
        return answer
    }

    /// Reads a chunked body; nil if it is complete and well formed.
    private mutating func chunks() -> Verdict? {
        while true {
            guard let line = line() else { return .incomplete }
            guard let line, !line.isEmpty, line.count <= 8, line.allSatisfy({ Self.isHex($0) }),
                let count = Int(String(decoding: line, as: UTF8.self), radix: 16)
            else { return .open }
            if count == 0 { break }
            guard bytes.count - position >= count + 2 else { return .incomplete }
            position += count
            guard bytes[position...].starts(with: [Self.cr, Self.lf]) else { return .open }
            position += 2
        }
        // The server ignores trailers.
        guard let end = line() else { return .incomplete }
        return end?.isEmpty == true ? nil : .open
    }

    /// The next line; nil if it has no end, and nil in it if it ends in LF alone.
    private mutating func line() -> ArraySlice<UInt8>?? {
        guard let end = bytes[position...].firstIndex(of: Self.lf) else { return nil }
        let line = bytes[position..<end]
        position = end + 1
        return .some(line.last == Self.cr ? line.dropLast() : nil)
    }

    private static func isHex(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    }

    private static func isToken(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.isEmpty
            && bytes.allSatisfy { byte in
                let isLetter = (0x41...0x5A).contains(byte & 0xDF) && byte < 0x80
                return isLetter || (0x30...0x39).contains(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
    }

    private static func lowered(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
