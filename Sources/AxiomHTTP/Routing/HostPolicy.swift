// SPDX-License-Identifier: Apache-2.0

/// The allowed values of the `Host` header.
///
/// The page of another site can make its name resolve to 127.0.0.1 (DNS rebinding) and read the responses of a server
/// there. The browser sends that name as `Host`, so a server that serves only names that it knows is safe.
struct HostPolicy: Sendable {
    enum Verdict: Equatable, Sendable {
        case allowed
        /// It is the name of another server.
        case foreign
        /// It is neither a name nor an address (RFC 9112 section 3.2).
        case malformed
    }

    private struct Entry: Sendable, Hashable {
        let host: String
        /// Nil means any port.
        let port: Int?
    }

    private let allowsAny: Bool
    private let entries: Set<Entry>

    /// - Throws: ``HTTPServerError`` with code `invalidConfiguration` that names the entry.
    init(allowedHosts: [String]) throws {
        allowsAny = allowedHosts.contains("*")
        entries = try Set(
            allowedHosts.filter { $0 != "*" }.map { text in
                guard let entry = Self.parse(text) else {
                    throw HTTPServerError(
                        .invalidConfiguration,
                        "allowedHosts has the entry \(text.debugDescription); allowed are a name or address with or "
                            + "without a port, such as metrics.internal:9464 or [::1]:9464, and *"
                    )
                }
                return entry
            }
        )
    }

    /// Whether a server that listens at `port` serves a request with this value of `Host`.
    func judge(_ header: String, port: Int) -> Verdict {
        // A request whose target has no authority may have an empty host.
        if header.isEmpty { return allowsAny ? .allowed : .foreign }
        guard let given = Self.parse(header) else {
            guard Self.isGrammatical(header) else { return .malformed }
            return allowsAny ? .allowed : .foreign
        }
        if allowsAny || entries.contains(given) || entries.contains(Entry(host: given.host, port: nil)) {
            return .allowed
        }
        return Self.isLoopback(given.host) && (given.port == nil || given.port == port) ? .allowed : .foreign
    }

    private static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || (SocketAddress(numericHost: host)?.isLoopback ?? false)
    }

    /// Parses `name`, `name:port`, `1.2.3.4:port`, `[::1]`, `[::1]:port` and a bare IPv6 address.
    private static func parse(_ text: String) -> Entry? {
        // The lower case of some other letters is in ASCII.
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        let lowered = text.lowercased()
        if lowered.hasPrefix("[") {
            guard let end = lowered.firstIndex(of: "]") else { return nil }
            let host = String(lowered[lowered.index(after: lowered.startIndex)..<end])
            guard SocketAddress(numericHost: host)?.isIPv6 == true else { return nil }
            return entry(host, lowered[lowered.index(after: end)...])
        }
        if SocketAddress(numericHost: lowered)?.isIPv6 == true { return Entry(host: lowered, port: nil) }
        let colon = lowered.firstIndex(of: ":") ?? lowered.endIndex
        var host = lowered[..<colon]
        if host.hasSuffix(".") { host.removeLast() }
        guard !host.isEmpty, host.utf8.allSatisfy(isNameByte) else { return nil }
        return entry(String(host), lowered[colon...])
    }

    private static func entry(_ host: String, _ rest: Substring) -> Entry? {
        if rest.isEmpty { return Entry(host: host, port: nil) }
        let digits = rest.dropFirst()
        guard rest.hasPrefix(":"), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(digits),
            port <= 65_535
        else { return nil }
        return Entry(host: host, port: port)
    }

    /// Whether a text that is none of these is a name with or without a port all the same (RFC 3986 section 3.2.2).
    private static func isGrammatical(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        return parts.count <= 2 && parts.dropFirst().allSatisfy { $0.allSatisfy { (0x30...0x39).contains($0) } }
            && parts[0].allSatisfy { isNameByte($0) || (0x41...0x5A).contains($0) || "%!$&'()*+,;=~".utf8.contains($0) }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        default: false
        }
    }
}
