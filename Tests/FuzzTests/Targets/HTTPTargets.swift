// SPDX-License-Identifier: Apache-2.0

import AxiomBase

@testable import AxiomHTTP
@testable import AxiomMetrics
@testable import AxiomMetricsExporter

extension FuzzTarget {
    /// The parts of a request before a handler runs.
    static let http: [FuzzTarget] = [
        FuzzTarget("request-target", share: 40, words: targetWords, checkTarget),
        FuzzTarget(
            "request-preview",
            maximumLength: 512,
            steps: (2_000, 20_000),
            share: 15,
            words: headWords,
            checkPreview
        ),
        FuzzTarget("request-head", share: 25, words: headWords + targetWords, checkHead),
        FuzzTarget("host", maximumLength: 128, share: 30, words: hostWords, checkHost),
        FuzzTarget("accept", words: acceptWords, checkAccept),
    ]

    private static let targetWords = ["http://", "%2F", "%00", "%C3%A9", "//", "/../", "?", "&", "=", "+", "name[]="]
    private static let headWords = [
        "GET / HTTP/1.1\r\n", "Host: localhost\r\n", "Content-Length: ", "Transfer-Encoding: chunked\r\n", "\r\n\r\n",
        "\n\n",
        "HTTP/1.0", "Expect: 100-continue\r\n", "X-Prometheus-Scrape-Timeout-Seconds: ", "Accept: ", "POST /body ",
        "/items/",
    ]
    private static let hostWords = [
        "localhost", "127.0.0.1", "[::1]", ":80", "[::ffff:127.0.0.1]", "%31", "metrics.internal",
    ]
    private static let acceptWords = [
        "text/plain", "application/openmetrics-text", "application/vnd.google.protobuf", "version=1.0.0",
        "version=0.0.4",
        ";q=0.5", ";q=0", "escaping=allow-utf-8", "proto=io.prometheus.client.MetricFamily", "encoding=delimited",
        "*/*", "\"",
    ]

    // MARK: - The target

    /// What is printed for a target is read as the same target.
    private static func checkTarget(_ bytes: [UInt8]) throws {
        guard let target = RequestTarget(bytes) else { return }
        let texts = target.segments + target.query.flatMap { [$0.name, $0.value] }
        for text in texts { try require(text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "a control character") }
        try require(target.path.utf8.first == UInt8(ascii: "/"), "the path \(target.path)")
        try require(target.authority?.isEmpty != true, "an empty authority")
        let path = target.segments.map { "/" + encoded($0) }.joined()
        let query = target.query.map { "\(encoded($0.name))=\(encoded($0.value))" }.joined(separator: "&")
        let printed = (target.authority.map { "http://" + $0 } ?? "") + path + (query.isEmpty ? "" : "?" + query)
        guard let again = RequestTarget(Array(printed.utf8)) else {
            throw FuzzFailure(description: "\(printed) is not read")
        }
        try require(isIdentical(again.segments, target.segments), "other segments of \(printed)")
        try require(isIdentical(again.query.map(\.name), target.query.map(\.name)), "other names in \(printed)")
        try require(isIdentical(again.query.map(\.value), target.query.map(\.value)), "other values in \(printed)")
    }

    /// Swift's `==` takes two spellings of a character for equal.
    private static func isIdentical(_ left: [String], _ right: [String]) -> Bool {
        left.count == right.count && zip(left, right).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
    }

    private static func encoded(_ text: String) -> String {
        var encoded: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            let isPlain = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            encoded += isPlain ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    // MARK: - The preview

    /// A preview that found the end of a head keeps what it found when more bytes arrive.
    private static func checkPreview(_ bytes: [UInt8]) throws {
        let whole = RequestPreview(bytes, limit: .max)
        let request = bytes.drop { $0 == 13 || $0 == 10 }
        let hasEmptyLine = Array(request.filter { $0 != 13 }).firstRange(of: [10, 10]) != nil
        try require((whole != .partial) == hasEmptyLine, "\(whole) with an empty line: \(hasEmptyLine)")
        let step = max(1, bytes.count / 16)
        for count in stride(from: 0, to: bytes.count, by: step) {
            let part = RequestPreview(bytes[..<count], limit: .max)
            try require(part == .partial || part == whole, "\(part) of \(count) bytes, and \(whole) of all")
        }
        try require(RequestPreview(bytes, limit: bytes.count) != .partial, "partial at the limit")
    }

    // MARK: - The head

    private static let policy: RequestPolicy = {
        let handler: HTTPRoute.ImmediateHandler = { _ in .text("") }
        let routes: [HTTPRoute] = [
            .immediate("/", handler: handler), .immediate("/metrics", handler: handler).reserved(),
            .immediate("/items/{id}", handler: handler), .post("/body", maximumBodyBytes: 100) { _ in .text("") },
        ]
        guard let router = try? HTTPRouter(routes), let hosts = try? HostPolicy(allowedHosts: ["metrics.internal"])
        else { fatalError("the routes of this file are valid") }
        return RequestPolicy(router: router, hosts: hosts, port: 9464, maximumBodyBytes: 1_000)
    }()

    /// A request that is accepted has one host, which is allowed, and one length at most.
    private static func checkHead(_ bytes: [UInt8]) throws {
        let lines = bytes.lines.map { $0.hasSuffix("\r") ? String($0.dropLast()) : $0 }
        let words = lines[0].split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3 else { return }
        let headers = HTTPHeaders(lines.dropFirst().compactMap(field))
        let head = RequestHead(
            method: HTTPMethod(rawValue: String(words[0])),
            isHTTP10: words[2] == "HTTP/1.0",
            target: RequestTarget(Array(words[1].utf8)),
            headers: headers
        )
        switch policy.decide(head) {
        case .refuse(let response):
            let known = [400, 403, 404, 405, 413, 501]
            try require(known.contains(response.status.code), "refused with \(response.status.code)")
            try response.headers.validateForSending()
        case .accept(let route, let parameters, let limit): try checkAccepted(head, route, parameters, limit)
        }
    }

    private static func field(_ line: String) -> HTTPHeaders.Field? {
        guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let value = line[line.index(after: colon)...].utf8.filter { $0 >= 0x20 && $0 != 0x7F || $0 == 9 }
        let blanks: Set<UInt8> = [0x20, 0x09]
        let trimmed = value.drop { blanks.contains($0) }.reversed().drop { blanks.contains($0) }.reversed()
        guard HTTPHeaders.isToken(line[..<colon].utf8) else { return nil }
        return HTTPHeaders.Field(name: String(line[..<colon]), value: String(decoding: Array(trimmed), as: UTF8.self))
    }

    private static func checkAccepted(
        _ head: RequestHead,
        _ route: HTTPRoute,
        _ parameters: [String: String],
        _ limit: Int
    ) throws {
        let (lengths, codings) = (
            head.headers.values(of: "content-length"), head.headers.values(of: "TRANSFER-ENCODING")
        )
        let hosts = head.headers.values(of: "host")
        try require(hosts.count <= 1 && (head.isHTTP10 || hosts.count == 1), "\(hosts.count) hosts")
        try require(lengths.count + codings.count <= 1, "\(lengths.count) lengths and \(codings.count) codings")
        try require(codings.allSatisfy { $0.lowercased() == "chunked" && !head.isHTTP10 }, "the coding \(codings)")
        if let length = lengths.first {
            try require(
                Int(length).map { (0...limit).contains($0) } == true && !length.hasPrefix("+"),
                "length \(length)"
            )
        }
        for host in [hosts.first, head.target?.authority].compactMap(\.self) {
            try require(isOwnHost(host, port: 9464), "the foreign host \(host)")
        }
        try require(limit <= route.maximumBodyBytes, "the limit \(limit)")
        try require(parameters.values.allSatisfy { !$0.isEmpty }, "an empty parameter")
        let request = HTTPRequest(
            path: head.target?.path ?? "/",
            query: head.target?.query ?? [],
            headers: head.headers,
            parameters: parameters
        )
        if let scrape = try? ScrapeRequest(request) {
            try require(scrape.names.count <= ScrapeRequest.maximumNames, "\(scrape.names.count) names")
            try require(zip(scrape.names, scrape.names.dropFirst()).allSatisfy { $0 < $1 }, "names are not sorted")
        }
        let registry = Registry(clock: .manual(ManualTime()))
        let deadline = registry.deadline(scrapeTimeout: request.headers["X-Prometheus-Scrape-Timeout-Seconds"])
        let time = registry.clock.now.duration(to: deadline)
        try require(time >= .zero && time < .seconds(86_400), "\(time)")
    }

    /// Whether a host is one of this machine's, or the one that the policy allows: written in another way than the policy.
    static func isOwnHost(_ host: String, port: Int) -> Bool {
        let bytes = Array(host.utf8).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        guard bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { return false }
        let text = String(decoding: bytes, as: UTF8.self)
        if text.hasPrefix("[") {
            let parts = text.dropFirst().split(separator: "]", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 && isLoopback6(String(parts[0])) && isPort(String(parts[1]), port)
        }
        if text.count(where: { $0 == ":" }) > 1 { return isLoopback6(text) }
        var name = String(text.prefix { $0 != ":" })
        let rest = String(text.dropFirst(name.count))
        if name.hasSuffix(".") { name.removeLast() }
        if name == "metrics.internal" { return isPort(rest, nil) }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        let isLoopback =
            parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { part in
                UInt8(part).map { "\($0)" == part } == true
            }
        return (isLoopback || name == "localhost") && isPort(rest, port)
    }

    /// Whether the rest of a host is nothing, or a colon and the port; nil for any.
    private static func isPort(_ rest: String, _ port: Int?) -> Bool {
        if rest.isEmpty { return true }
        let digits = rest.dropFirst()
        guard rest.hasPrefix(":"), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits)
        else { return false }
        return number <= 65_535 && (port == nil || number == port)
    }

    private static func isLoopback6(_ text: String) -> Bool {
        guard let address = SocketAddress(numericHost: text) else { return false }
        return address.isIPv6 && address.isLoopback
    }

    // MARK: - The host

    /// Who is allowed is what a second reading of the rules allows. An entry that the configuration takes allows itself, in
    /// any case.
    private static func checkHost(_ bytes: [UInt8]) throws {
        let text = bytes.text
        let isOwn = isOwnHost(text, port: 9464)
        try requireEqual(policy.hosts.judge(text, port: 9464) == .allowed, isOwn, "\(text.debugDescription) is allowed")
        guard text != "*", let own = try? HostPolicy(allowedHosts: [text]) else { return }
        for spelling in [text, text.uppercased(), text.lowercased()] {
            try require(
                own.judge(spelling, port: 1) == .allowed,
                "\(spelling.debugDescription) is not allowed by its own entry"
            )
        }
    }

    // MARK: - Accept

    /// The order is by weight, a refused format is not chosen while another one is offered, and the type of the chosen
    /// format chooses it again.
    private static func checkAccept(_ bytes: [UInt8]) throws {
        let items = WeightedItem.list(bytes.text)
        try require(items.allSatisfy { (0...1).contains($0.weight) && !$0.value.isEmpty }, "a weight or a value")
        try require(zip(items, items.dropFirst()).allSatisfy { $0.weight >= $1.weight }, "the order")
        let format = ExpositionFormat.negotiate(accept: bytes.text)
        let again = ExpositionFormat.negotiate(accept: format.contentType)
        try requireEqual(again.contentType, format.contentType, "the format of its own type")
        _ = Gzip.isWanted(by: HTTPRequest(path: "/", headers: ["Accept-Encoding": bytes.text]))
    }
}
