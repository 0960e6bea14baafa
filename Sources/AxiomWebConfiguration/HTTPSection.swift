// SPDX-License-Identifier: Apache-2.0

/// `http_server_config` and `rate_limit`.
enum HTTPSection {
    /// The header fields that exporter-toolkit allows, with their values; nil for any.
    private static let allowedHeaders: [String: [String]?] = [
        "Content-Security-Policy": nil, "Strict-Transport-Security": nil, "X-Content-Type-Options": ["nosniff"],
        "X-Frame-Options": ["deny", "sameorigin"], "X-XSS-Protection": nil,
    ]

    static func headers(_ root: YAMLTable) throws(WebConfigurationError) -> [String: String] {
        guard let table = try root.table("http_server_config") else { return [:] }
        try table.allow(["http2", "headers"])
        if try table.flag("http2") == true {
            throw table.error(
                "http2",
                "\(table.name("http2")) is true, but only HTTP/1.1 is served; write false or remove the key"
            )
        }
        guard let fields = try table.table("headers") else { return [:] }
        try fields.allow(allowedHeaders.keys.sorted())
        var result: [String: String] = [:]
        for name in fields.keys {
            guard let value = try fields.text(name) else { continue }
            if let allowed = allowedHeaders[name] ?? nil, !allowed.contains(value) {
                throw fields.error(
                    name,
                    "\(fields.name(name)) is \(value.debugDescription); write \(allowed.joined(separator: " or "))"
                )
            }
            guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw fields.error(name, "\(fields.name(name)) has a control character; write one line")
            }
            result[name] = value
        }
        return result
    }

    static func checkRateLimit(_ root: YAMLTable) throws(WebConfigurationError) {
        guard let table = try root.table("rate_limit") else { return }
        try table.allow(["interval", "burst"])
        guard let interval = try table.text("interval"), !["0", "0s"].contains(interval) else { return }
        throw root.error(
            "rate_limit",
            "rate_limit is not supported, because one hostile client could use up the limit of all; remove it: the "
                + "connections of each address are limited"
        )
    }
}
