// SPDX-License-Identifier: Apache-2.0

/// What the shop asks of its servers.
struct NetworkRequest: Hashable, Sendable {
    let method: String
    let path: String
    var body: [UInt8] = []

    /// The request as it goes over the wire.
    ///
    /// HTTP/1.0, one request for each connection. On a connection that was kept open, a request that is reset cannot
    /// be told from one that met the end of an idle connection, and sending it again might pay twice.
    func encoded(number: UInt64, host: String) -> [UInt8] {
        let head = """
            \(method) \(path) HTTP/1.0\r
            Host: \(host)\r
            X-Request-Number: \(number)\r
            Content-Length: \(body.count)\r
            \r\n
            """
        return Array(head.utf8) + body
    }
}
