// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The address of a server and its limits. ``HTTPServer/start()`` checks every option.
public struct HTTPServerConfiguration: Sendable, Hashable {
    /// The address to listen at: a numeric IPv4 or IPv6 address or `localhost`, which is 127.0.0.1.
    /// Default 127.0.0.1, which only this machine reaches.
    public var host: String

    /// The port, 0 to 65,535. Default 0, which takes any free port; see ``HTTPServer/port``.
    public var port: Int

    /// The values of the `Host` header that are served in addition to the names and addresses of the loopback
    /// interface with the server's port. A request with another value is answered 403. Required if `host` is not a loopback
    /// address.
    ///
    /// An entry is a name or address (`metrics.internal`, any port) or one with a port (`metrics.internal:9464`,
    /// `[::1]:8080`). The entry `*` allows any host and disables the protection against DNS rebinding: any web page
    /// in a browser that can reach the server can then read it.
    public var allowedHosts: [String]

    /// The certificate of the server, and which client certificates it asks for. Default nil, for plain HTTP. A handshake
    /// counts as the beginning of its first request for `headTimeout`.
    public var tls: TLSConfiguration?

    /// The credentials that requests must have. Default nil, for none. Without ``tls`` they pass the network in clear text.
    public var authentication: HTTPAuthentication?

    /// Header fields of every response that has none of that name, such as `Strict-Transport-Security`. Default none. A
    /// response to a malformed request may lack them.
    public var responseHeaders: [String: String] = [:]

    /// How many threads serve connections, 1 to 64. Default 2. A handler that waits occupies none.
    public var threads = 2

    /// The most connections whose requests are served, `threads` to 100,000. Default 256.
    ///
    /// A connection counts from the arrival of its first request. At the limit, the next request replaces a connection
    /// without a running handler: the oldest one whose request does not arrive, else the oldest idle one, else the oldest
    /// one whose client does not read, else the oldest stream. If every handler is running, the request waits. A sixteenth
    /// of the limit is reserved for ``HTTPRoute/reserved()`` routes.
    public var connectionLimit = 256

    /// The most connections from one address whose requests are served, 1 to `connectionLimit`. Default 128. At the
    /// limit, connections of the address are replaced as described for `connectionLimit`. The addresses of an IPv6 network
    /// of 64 bits count as one: one client can have them all.
    public var connectionLimitPerAddress = 128

    /// The most connections whose first request has not arrived or is not admitted yet, 16 to 100,000. Default 512. If
    /// there are more, one of the address that has the most is closed: the oldest one without a request, else the youngest
    /// one. Each takes a descriptor: the start of a server raises the soft limit of the process (`ulimit -Sn`) to 65,536, or to
    /// what both limits need, as far as the hard limit allows.
    public var waitingLimit = 512

    /// The most concurrent streams, 1 to 100,000. Default 32. A further one is answered 503 with `Retry-After`.
    public var streamLimit = 32

    /// The most concurrent streams from one address, 1 to 100,000. Default 16, half of ``streamLimit``, so that one client
    /// does not lock out all others. A further one is answered 503 with `Retry-After`. As for ``connectionLimitPerAddress``,
    /// an IPv6 network of 64 bits counts as one address; so do all readers behind one proxy.
    public var streamLimitPerAddress = 16

    /// How long the head of a request may take to arrive, in whole seconds, 1 s to 1 h. Default 5 s. A connection that
    /// exceeds it is answered 408 and closed, or just closed if it has sent nothing.
    public var headTimeout: Duration = .seconds(5)

    /// How long a connection may be silent between or during requests, in whole seconds, 1 s to 1 h. Default 30 s.
    /// The time of a handler does not count; the time of a client that does not read its response does.
    public var idleTimeout: Duration = .seconds(30)

    /// The most bytes of response bodies that clients have not read yet, 1 to 2^40. Default 67,108,864. A body that several
    /// responses share counts once. A single body may exceed the limit. If a response would exceed the limit, the oldest
    /// slow readers are reset, of the address that holds the most bytes; if there are none, the response is a 503 with
    /// `Retry-After`.
    public var maximumUnsentBytes = 67_108_864

    /// The memory that the head of a request may take, 4,096 to 1,048,576 bytes: the request line, the headers, and about
    /// 80 bytes for each header and cookie. Default 32,768. A longer head is answered 431 or 414. A connection takes
    /// 4,096 bytes more, for the head of the response; with libmicrohttpd 0.9.75 at least 36,864 in all.
    public var connectionMemoryBytes = 32_768

    /// The upper bound of every route's `maximumBodyBytes`, 0 to 67,108,864 bytes. Default 1,048,576.
    public var maximumBodyBytes = 1_048_576

    /// How long ``HTTPServer/stop()`` waits for requests in flight, 0 s to 5 min. Default 5 s.
    public var drainTimeout: Duration = .seconds(5)

    /// Creates a configuration with an address and the defaults for all else.
    public init(host: String = "127.0.0.1", port: Int = 0, allowedHosts: [String] = []) {
        self.host = host
        self.port = port
        self.allowedHosts = allowedHosts
    }

    /// Checks every option, and that an address other than loopback has `allowedHosts`.
    ///
    /// - Throws: ``HTTPServerError`` with code `invalidConfiguration` that names the option and what it allows.
    func validate(for address: SocketAddress) throws {
        try check("port", port, 0...65_535)
        try check("threads", threads, 1...64)
        try check("connectionLimit", connectionLimit, threads...100_000)
        try check("connectionLimitPerAddress", connectionLimitPerAddress, 1...connectionLimit)
        try check("waitingLimit", waitingLimit, 16...100_000)
        try check("streamLimit", streamLimit, 1...100_000)
        try check("streamLimitPerAddress", streamLimitPerAddress, 1...100_000)
        try check("maximumUnsentBytes", maximumUnsentBytes, 1...(1 << 40))
        try check("connectionMemoryBytes", connectionMemoryBytes, 4_096...1_048_576)
        try check("maximumBodyBytes", maximumBodyBytes, 0...67_108_864)
        try checkSeconds("headTimeout", headTimeout)
        try checkSeconds("idleTimeout", idleTimeout)
        do throws(HTTPServerError) {
            try HTTPHeaders(responseHeaders).validateForSending()
        } catch {
            throw invalid("responseHeaders: \(error.message)")
        }
        guard drainTimeout >= .zero, drainTimeout <= .seconds(300) else {
            throw invalid("drainTimeout is \(drainTimeout); 0 s to 300 s are allowed")
        }
        guard address.isLoopback || !allowedHosts.isEmpty else {
            throw invalid(
                "the host \(host) can be reached from other machines, so allowedHosts must name the values of the "
                    + "Host header to answer, for example [\"metrics.internal\"]; or listen at 127.0.0.1"
            )
        }
    }

    private func check(_ option: String, _ value: Int, _ range: ClosedRange<Int>) throws {
        guard range.contains(value) else {
            throw invalid("\(option) is \(value); \(range.lowerBound) to \(range.upperBound) are allowed")
        }
    }

    private func checkSeconds(_ option: String, _ value: Duration) throws {
        guard value.components.attoseconds == 0, (1...3_600).contains(value.components.seconds) else {
            throw invalid("\(option) is \(value); whole seconds from 1 s to 3,600 s are allowed")
        }
    }

    /// Checks that the process may open the descriptors of all connections and 64 more. ``OpenFileLimit/raise(for:)`` has
    /// raised the soft limit before.
    ///
    /// - Throws: ``HTTPServerError`` with code `invalidConfiguration` that names both limits.
    func validate(descriptorLimit: UInt) throws {
        let needed = neededDescriptors
        guard needed <= descriptorLimit else {
            throw invalid(
                "connectionLimit \(connectionLimit) and waitingLimit \(waitingLimit) need \(needed) descriptors with "
                    + "\(Self.otherDescriptors) for the rest of the process, which may open \(descriptorLimit); "
                    + "raise its hard limit (ulimit -Hn), or lower them"
            )
        }
    }

    /// The descriptors that the process needs besides connections.
    private static let otherDescriptors: UInt = 64

    /// The descriptors of all connections and 64 more.
    var neededDescriptors: UInt { UInt(connectionLimit) + UInt(waitingLimit) + Self.otherDescriptors }

    /// How many descriptors the process may have open when a server has started, which raises the soft limit.
    package static var descriptorLimit: UInt { OpenFileLimit.current.raised().soft }

    private func invalid(_ message: String) -> HTTPServerError {
        HTTPServerError(.invalidConfiguration, message)
    }

    /// What makes a valid configuration less safe than it looks, each with its remedy; empty if nothing does. No sentence has a
    /// secret.
    package var securityAdvice: [String] {
        var advice: [String] = []
        let isLoopback = (try? SocketAddress(configuredHost: host))?.isLoopback ?? false
        if authentication != nil, tls == nil, !isLoopback {
            advice.append(
                "passwords and tokens pass the network in clear text, because the server at \(host) has no TLS; set tls, or "
                    + "listen at 127.0.0.1 behind a proxy with TLS"
            )
        }
        if let file = tls?.keyFile, Self.isReadableByAll(file) {
            advice.append("every user of this machine may read the private key \(file); set its mode to 0600 or 0640")
        }
        return advice
    }

    private static func isReadableByAll(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & 0o004 != 0
    }
}

/// The credentials that requests must have. A request without them, or with wrong ones, is answered 401.
///
/// If there are users and a scrape token, either is enough where both are accepted. Descriptions have neither hashes nor
/// tokens. Its initializer is in the module `AxiomTLS`.
public struct HTTPAuthentication: Sendable, Hashable {
    /// The bcrypt hash of the password of each user, for basic authentication (RFC 7617), as `htpasswd -nBC 10` prints it:
    /// `$2y$10$` and 53 more characters. A cost of 4 to 16 is allowed.
    ///
    /// A password is checked on a thread of its own, two at a time. Each step of the cost doubles the time. The last 128
    /// passwords that were right are remembered as keyed hashes, as long as the server runs. An unknown user takes the time
    /// of the most costly hash.
    public var users: [String: String]

    /// A token for scrapes and health checks, sent as `Authorization: Bearer …` (RFC 6750). An extension of Axiom:
    /// exporter-toolkit has no tokens. It has at least 16 of the characters that RFC 6750 allows. It opens `/metrics`,
    /// `/healthz` and `/readyz`, and not the dashboard.
    public var scrapeToken: String?

    /// Whether `/healthz` and `/readyz` need no credentials, for supervisors that cannot send any. Default false.
    public var exemptsHealthChecks: Bool

    let library: SecurityLibrary

    /// `AxiomTLS` has the initializer for users.
    package init(_ library: SecurityLibrary, users: [String: String], scrapeToken: String?, exemptsHealthChecks: Bool) {
        (self.library, self.users, self.scrapeToken) = (library, users, scrapeToken)
        self.exemptsHealthChecks = exemptsHealthChecks
    }
}

extension HTTPAuthentication: CustomStringConvertible, CustomReflectable {
    /// The number of users, and whether there is a token.
    public var description: String {
        "\(users.count) users, \(scrapeToken == nil ? "no scrape token" : "a scrape token"), "
            + (exemptsHealthChecks ? "health checks exempt" : "no exemptions")
    }

    /// Shows what the description does.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
