// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// The head and the body of the request. On the connection's thread.
extension Exchange {
    /// How many bytes of a refused body are received, so that the client reads the response.
    private static let longestDroppedBody = 65_536

    func receiveHead(_ line: RequestLine) -> Bool {
        let fields = connection.rawFields()
        guard isAsScanned(line), !targetHasSpace, fields.allSatisfy(\.isWellFormed), isStrict(line, fields),
            line.isFramedAlike(fields: fields, size: connection.headSize)
        else {
            connection.refuse("400 Bad Request")
            return false
        }
        let headers = HTTPHeaders(fields.map(HTTPHeaders.Field.init))
        guard connection.memory(ofHeadWith: headers) <= core.configuration.connectionMemoryBytes else {
            connection.refuse("431 Request Header Fields Too Large")
            return false
        }
        let head = RequestHead(
            method: HTTPMethod(rawValue: line.methodName),
            isHTTP10: line.isHTTP10,
            target: target,
            headers: headers
        )
        let decision = decide(head)
        state.withLock { state in
            state.method = head.method
            state.stage = .body(head, decision)
        }
        core.connections.set(connection.descriptor, head.framing.hasBody ? .uploading : .working)
        guard head.framing.hasBody else {
            // RFC 9110 section 10.1.1 forbids the field then, and 0.9.75 would take what follows for a body. Here it is early
            // enough for a response, behind which libmicrohttpd closes the connection.
            return headers["Expect"] == nil || dispatch(head, decision)
        }
        guard case .refuse(let response) = decision else { return true }
        guard mustRefuseBeforeBody(head, response) else { return true }
        // Without a checked password, the response must not tell which routes there are.
        return send(state.withLock { $0.password }?.authenticator.challenge ?? response)
    }

    /// A response before the body closes the connection, and a client that is still sending may lose the response to the
    /// reset that follows. So a short refused body is received and dropped, and a long one is not.
    private func mustRefuseBeforeBody(_ head: RequestHead, _ response: HTTPResponse) -> Bool {
        let isLong = head.framing.contentLength ?? 0 > Self.longestDroppedBody
        let expectsContinue = head.headers["Expect"] != nil
        return isLong || expectsContinue || response.closesConnection
    }

    /// Whether the head is well formed as far as it was scanned before libmicrohttpd parsed it, and ends where the scan did.
    private func isAsScanned(_ line: RequestLine) -> Bool {
        guard let head = state.withLock({ $0.buffered }), let target = rawTarget.baseAddress else { return true }
        let end = UnsafeRawPointer(line.method) + connection.headSize
        return head.finding != .malformed && head.agrees(targetEnd: target + rawTarget.count, headEnd: end)
    }

    /// Later versions of libmicrohttpd check the head themselves, and store it in another way.
    private func isStrict(_ line: RequestLine, _ fields: [RawField]) -> Bool {
        MicrohttpdVersion.running.layout != .zeroed || line.isStrict(fields: fields, size: connection.headSize)
    }

    /// Responds in place of libmicrohttpd if the framing is malformed. On the connection's thread.
    func refuseMalformedFraming() {
        guard case .head = state.withLock({ $0.stage }) else { return }
        let fields = connection.rawFields()
        guard let status = refusal(ofLengthIn: fields) ?? refusal(ofFramingIn: fields) else { return }
        connection.refuse(status)
        // libmicrohttpd may log more than one error of a request.
        state.withLock { $0.stage = .aborted }
    }

    private func refusal(ofLengthIn fields: [RawField]) -> String? {
        guard let length = fields.first(where: { $0.isNamed("Content-Length") })?.value else { return nil }
        let isNumber = !length.isEmpty && length.allSatisfy { (0x30...0x39).contains($0) }
        if isNumber, UInt64(String(decoding: length, as: UTF8.self)) != nil { return nil }
        return isNumber ? "413 Content Too Large" : "400 Bad Request"
    }

    /// 1.0 has one status for every coding that it does not know: 1.0.1 another one than 1.0.10.
    private func refusal(ofFramingIn fields: [RawField]) -> String? {
        let headers = HTTPHeaders(fields.map(HTTPHeaders.Field.init))
        // The version is behind the target and the zero at its end.
        let version = rawTarget.baseAddress.map { $0 + rawTarget.count + 1 }
        let isHTTP10 = MicrohttpdVersion.running.layout != nil && version.map { memcmp($0, "HTTP/1.0", 8) } == 0
        return switch RequestFraming(headers, isHTTP10: isHTTP10).refusal?.status {
        case nil: nil
        case .notImplemented: "501 Not Implemented"
        default: "400 Bad Request"
        }
    }

    func receiveBody(_ upload: UnsafeRawBufferPointer, _ decision: RequestPolicy.Decision) -> Bool {
        if MicrohttpdVersion.running.layout == .terminated, Self.beginsWithEndOfLine(upload) {
            connection.refuse("400 Bad Request")
            return false
        }
        let limit = if case .accept(_, _, let limit) = decision { limit } else { 0 }
        return state.withLock { state in
            state.bodyBytes += upload.count
            if state.bodyBytes <= limit {
                state.body.append(contentsOf: upload)
                return true
            }
            state.body = []
            return state.bodyBytes - limit <= Self.longestDroppedBody
        }
    }

    /// Whether the bytes begin with the LF of the line that has the size of their chunk. 1.0.1 takes it for data if the line
    /// has an extension, and would end the chunk one byte too early. What is before the bytes is in the connection's memory
    /// also if they are the first: the head.
    private static func beginsWithEndOfLine(_ upload: UnsafeRawBufferPointer) -> Bool {
        guard upload.first == UInt8(ascii: "\n"), let start = upload.baseAddress else { return false }
        return (start - 1).load(as: UInt8.self) == UInt8(ascii: "\r")
    }

    /// The request is complete.
    func dispatch(_ head: RequestHead, _ decision: RequestPolicy.Decision) -> Bool {
        guard core.registry.begin(id) else { return send(.shuttingDown) }
        let isReserved = decision.route?.isReserved ?? false
        core.connections.set(connection.descriptor, .working, isReserved: isReserved)
        switch decision {
        case .refuse(let response): return refuse(head, response)
        case .accept(let route, let parameters, let limit):
            guard isReserved || core.connections.claim(connection.descriptor) else { return send(.reserveOnly) }
            let (body, size) = state.withLock { state in
                defer { state.body = [] }
                return (state.body, state.bodyBytes)
            }
            guard size <= limit else { return refuse(head, .contentTooLarge(limit)) }
            let request = HTTPRequest(
                method: head.method,
                path: head.target?.path ?? "/",
                query: head.target?.query ?? [],
                headers: head.headers,
                body: body,
                peerAddress: SocketEnd.peer(of: connection.descriptor)?.host ?? "",
                parameters: parameters
            )
            return run(route, request)
        }
    }

    /// Responds to a complete request with a refusal that tells which routes there are. If its password is not checked yet,
    /// that comes first.
    private func refuse(_ head: RequestHead, _ response: HTTPResponse) -> Bool {
        guard let checked = checkingPassword(before: { _ in response }) else { return send(response) }
        return wait(for: checked, with: HTTPRequest(method: head.method, path: "/"), on: core.thread)
    }
}
