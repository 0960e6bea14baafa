// SPDX-License-Identifier: Apache-2.0

/// What the first bytes of a connection say, before anybody takes them from the socket.
enum RequestPreview: Equatable, Sendable {
    /// The head of the request has not arrived whole.
    case partial
    /// The head has arrived, or so much of it that libmicrohttpd is to decide. The path is as it was sent, without the
    /// query; nil if there is no request line.
    case arrived(path: String?)

    /// Looks at the bytes from the beginning of the request.
    ///
    /// - Parameter limit: How many bytes are enough, whether the head is whole or not.
    init(_ bytes: some BidirectionalCollection<UInt8>, limit: Int) {
        // A request may follow empty lines.
        let request = bytes.drop { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
        guard Self.isWhole(request) || bytes.count >= limit else {
            self = .partial
            return
        }
        self = .arrived(path: Self.path(request.prefix { $0 != UInt8(ascii: "\n") }))
    }

    /// Whether an empty line follows. A line may end in LF alone here: such a request is refused where it is read.
    private static func isWhole(_ request: some Collection<UInt8>) -> Bool {
        var isLineEmpty = false
        for byte in request {
            switch byte {
            case UInt8(ascii: "\n"):
                if isLineEmpty { return true }
                isLineEmpty = true
            case UInt8(ascii: "\r"): continue
            default: isLineEmpty = false
            }
        }
        return false
    }

    private static func path(_ line: some Collection<UInt8>) -> String? {
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard words.count == 3 else { return nil }
        return String(decoding: words[1].prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
    }
}
