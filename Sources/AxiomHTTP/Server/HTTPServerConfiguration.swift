// SPDX-License-Identifier: Apache-2.0

/// Where a server listens and what it allows. ``HTTPServer/start()`` checks it and names the option that is wrong.
public struct HTTPServerConfiguration: Sendable, Hashable {
    /// The address to listen at: a numeric IPv4 or IPv6 address or `localhost`, which is 127.0.0.1.
    /// Default 127.0.0.1, which only this machine reaches.
    public var host = "127.0.0.1"

    /// The port, 0 to 65,535; 0, the default, takes any free one, which ``HTTPServer/port`` then tells.
    public var port = 0

    /// The values of the `Host` header that are answered besides the names and addresses of the loopback interface
    /// with the server's own port; any other is answered 403. Required on an address that is not loopback.
    ///
    /// An entry is a name or address (`metrics.internal`, any port) or one with a port (`metrics.internal:9464`,
    /// `[::1]:8080`). The entry `*` answers any host, which gives up the protection against DNS rebinding: a page in
    /// a browser that can reach the server can then read it.
    public var allowedHosts: [String] = []

    /// How many threads serve connections, 1 to 64. Default 2. Handlers that wait hold none.
    public var threads = 2

    /// The most connections whose requests are served, `threads` to 100,000. Default 256.
    ///
    /// A connection counts from the arrival of its first request. When the limit is reached, the next request takes the
    /// place of a connection that is not at work: the oldest one whose request does not arrive, else the oldest that
    /// waits for its next request, else the oldest whose client does not read, else the oldest stream. If every
    /// connection is at work, the request waits. A sixteenth of the limit is kept for ``HTTPRoute/reserved()`` routes.
    public var connectionLimit = 256

    /// The most connections from one address whose requests are served, 1 to `connectionLimit`. Default 128. What is
    /// said of `connectionLimit` holds among the connections of the address.
    public var connectionLimitPerAddress = 128

    /// The most connections whose first request has not arrived or waits for a place, 16 to 100,000. Default 512. When
    /// there are more, the oldest without a request is closed, at the address that has the most. Each takes a descriptor.
    public var waitingLimit = 512

    /// The most responses that are streams at one time, 1 to 100,000. Default 32. One more is answered 503 with
    /// `Retry-After`.
    public var streamLimit = 32

    /// How long the head of a request may take to arrive, in whole seconds, 1 s to 1 h. Default 5 s. A connection whose
    /// head takes longer is answered 408 and closed, or closed if it has sent nothing.
    public var headTimeout: Duration = .seconds(5)

    /// How long a connection may be silent between or during requests, in whole seconds, 1 s to 1 h. Default 30 s.
    /// A handler that waits does not count, a client that does not read its response does.
    public var idleTimeout: Duration = .seconds(30)

    /// The most bytes of response bodies that wait for their readers, 1 to 2^40. Default 67,108,864. A body that several
    /// responses share counts once, and one body is sent however large it is. When a response would exceed the limit,
    /// the oldest slow readers are reset, at the address that holds the most; if there are none, the response is a 503
    /// with `Retry-After`.
    public var maximumUnsentBytes = 67_108_864

    /// The memory that the head of a request may take, 4,096 to 1,048,576 bytes: the request line, the headers, and about
    /// 80 bytes for each header and cookie. Default 32,768. A longer head is answered 431 or 414. A connection takes
    /// 4,096 bytes more, for the head of the response.
    public var connectionMemoryBytes = 32_768

    /// The most that any route may allow a request body to have, 0 to 67,108,864 bytes. Default 1,048,576.
    public var maximumBodyBytes = 1_048_576

    /// How long ``HTTPServer/stop()`` waits for requests in flight, 0 s to 5 min. Default 5 s.
    public var drainTimeout: Duration = .seconds(5)

    /// Makes the default configuration: any free port of 127.0.0.1.
    public init() {}

    /// Makes a configuration that listens at an address and leaves the rest as it is by default.
    public init(host: String = "127.0.0.1", port: Int, allowedHosts: [String] = []) {
        self.host = host
        self.port = port
        self.allowedHosts = allowedHosts
    }
}
