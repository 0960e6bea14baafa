// SPDX-License-Identifier: Apache-2.0

/// What the first bytes of a connection contain, before they are read from the socket.
enum RequestPreview: Equatable, Sendable {
    /// The head of the request is incomplete.
    case partial
    /// The head is complete, or so long that libmicrohttpd is to decide. The path is as it was sent, without the query;
    /// nil if there is no request line.
    case arrived(path: String?)
    /// The versions of libmicrohttpd would read the head in different ways.
    ///
    /// - A line has no name before its colon. 0.9.75 takes the line `:` for the end of the head, and the lines behind it for
    ///   another request. A proxy that does not would pass on a request that it has not seen.
    /// - There is a zero or another control character. 0.9.75 takes a zero for the end of a line, and 1.0 closes the
    ///   connection without a response.
    /// - The first line has not three parts with a space between, or a method of more than 64 bytes. 1.0 closes the connection
    ///   without a response.
    case malformed

    /// - Parameters:
    ///   - bytes: The bytes from the beginning of the request.
    ///   - limit: How many bytes are enough, whether the head is complete or not.
    init(_ bytes: some BidirectionalCollection<UInt8>, limit: Int) {
        var scan = HeadScan()
        self.init(bytes, limit: limit, scan: &scan)
    }

    /// - Parameter scan: What is known of the bytes that arrived before.
    init(_ bytes: some BidirectionalCollection<UInt8>, limit: Int, scan: inout HeadScan) {
        let isComplete = scan.continueWith(bytes)
        guard isComplete || bytes.count >= limit else {
            self = .partial
            return
        }
        guard !scan.isMalformed else {
            self = .malformed
            return
        }
        // A request may follow empty lines.
        let request = bytes.drop { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
        guard Self.beginsWithMethod(request) else {
            self = .malformed
            return
        }
        let path = Self.path(request.prefix { $0 != UInt8(ascii: "\n") })
        self = isComplete && path == nil ? .malformed : .arrived(path: path)
    }

    /// The most bytes of a method. The longest registered one has 17 (UPDATEREDIRECTREF).
    static let longestMethod = 64

    /// Whether the first bytes may be a method with one space behind it.
    private static func beginsWithMethod(_ request: some Collection<UInt8>) -> Bool {
        let start = request.prefix(longestMethod + 2)
        let rest = start.drop { $0 != UInt8(ascii: " ") }
        return start.count - rest.count <= longestMethod && rest.dropFirst().first != UInt8(ascii: " ")
    }

    /// How many bytes of empty lines are before the request. RFC 9112 section 2.2 lets a server ignore them; 0.9.75 of
    /// libmicrohttpd ignores any number, 1.0 closes the connection at the second one.
    static func emptyLines(before bytes: some Collection<UInt8>) -> Int {
        var (count, afterCR) = (0, false)
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "\n"): (count, afterCR) = (index + 1, false)
            case UInt8(ascii: "\r") where !afterCR: afterCR = true
            default: return count
            }
        }
        return count
    }

    private static func path(_ line: some Collection<UInt8>) -> String? {
        let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count == 3, !words.contains(where: \.isEmpty) else { return nil }
        return String(decoding: words[1].prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
    }
}

/// The search for the end of a head whose bytes arrive in pieces. It looks at each byte once, however many pieces there are.
struct HeadScan: Equatable, Sendable {
    /// How many bytes it has looked at.
    private(set) var count = 0
    /// See ``RequestPreview/malformed``: whether a line other than the first one begins with a colon, or there is a control
    /// character. For libmicrohttpd 0.9.75, a CR alone ends a line too.
    private(set) var isMalformed = false
    /// How many lines with content have begun.
    private var lines: Int
    private var isLineEmpty = true
    private var isAfterCR = false
    private var isComplete = false

    /// - Parameter afterRequestLine: Whether the bytes begin behind the request line.
    init(afterRequestLine: Bool = false) { lines = afterRequestLine ? 1 : 0 }

    /// Looks at the bytes that were not there before.
    ///
    /// - Parameters:
    ///   - bytes: All bytes from the beginning of the request, or behind some that it has looked at.
    ///   - start: How many bytes these are.
    /// - Returns: Whether the head is complete: an empty line follows. A line may end in LF alone here; such a request is
    ///   refused when it is read.
    mutating func continueWith(_ bytes: some Collection<UInt8>, behind start: Int = 0) -> Bool {
        for byte in bytes.dropFirst(count - start) where !isComplete {
            count += 1
            look(at: byte)
        }
        return isComplete
    }

    private mutating func look(at byte: UInt8) {
        defer { isAfterCR = byte == UInt8(ascii: "\r") }
        if byte == UInt8(ascii: ":"), lines > 0, isLineEmpty || isAfterCR { isMalformed = true }
        if byte < 0x20, !"\t\r\n".utf8.contains(byte) { isMalformed = true }
        switch byte {
        case UInt8(ascii: "\n"):
            // Lines before the request line may be empty.
            isComplete = isLineEmpty && lines > 0
            isLineEmpty = true
        case UInt8(ascii: "\r"): break
        default:
            guard isLineEmpty else { return }
            isLineEmpty = false
            lines += 1
        }
    }
}

/// What the first bytes of a connection are, before they are read from the socket.
enum ConnectionPreview: Equatable, Sendable {
    /// More is needed to decide.
    case partial
    /// The first request, or over TLS the first message of the handshake, has arrived. The path is nil if it is unknown.
    case arrived(path: String?)
    /// The client speaks another protocol than the port.
    case foreign
    /// See ``RequestPreview/malformed``.
    case malformed

    /// - Parameters:
    ///   - bytes: The bytes from the beginning of the connection.
    ///   - limit: How many bytes of a head are enough, whether it is complete or not.
    ///   - isTLS: Whether the port speaks TLS.
    ///   - scan: What is known of the bytes that arrived before.
    init(_ bytes: ArraySlice<UInt8>, limit: Int, isTLS: Bool, scan: inout HeadScan) {
        if isTLS {
            self.init(record: bytes)
        } else if bytes.first == Self.handshakeType {
            // No request begins with this byte.
            self = .foreign
        } else {
            switch RequestPreview(bytes, limit: limit, scan: &scan) {
            case .partial: self = .partial
            case .malformed: self = .malformed
            case .arrived(let path): self = .arrived(path: path)
            }
        }
    }

    /// A preview of bytes none of which were looked at before.
    init(_ bytes: ArraySlice<UInt8>, limit: Int, isTLS: Bool) {
        var scan = HeadScan()
        self.init(bytes, limit: limit, isTLS: isTLS, scan: &scan)
    }

    /// The content type of a record that is part of a handshake (RFC 8446 section 5.1).
    private static let handshakeType: UInt8 = 22
    private static let clientHello: UInt8 = 1
    private static let recordHeader = 5
    private static let longestRecord = 16_384

    /// The first record must be a whole one, and contain the beginning of a ClientHello. GnuTLS checks the rest.
    private init(record bytes: ArraySlice<UInt8>) {
        let head = Array(bytes.prefix(Self.recordHeader + 1))
        guard head.first ?? Self.handshakeType == Self.handshakeType, head.dropFirst().first ?? 3 == 3 else {
            self = .foreign
            return
        }
        guard head.count > Self.recordHeader else {
            self = .partial
            return
        }
        let length = Int(head[3]) << 8 | Int(head[4])
        guard head[5] == Self.clientHello, (1...Self.longestRecord).contains(length) else {
            self = .foreign
            return
        }
        self = bytes.count >= Self.recordHeader + length ? .arrived(path: nil) : .partial
    }
}
