// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The head and the body of the request. On the connection's thread.
extension Exchange {
    /// How many bytes of a refused body are received, so that the client reads the response.
    private static let longestDroppedBody = 65_536

    func receiveHead(_ line: RequestLine) -> Bool {
        let fields = connection.rawFields()
        guard !targetHasSpace, fields.allSatisfy({ $0.isWellFormed && $0.isReadAlike }), isStrict(line, fields) else {
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
        guard case .refuse(let response) = decision, head.framing.hasBody else { return true }
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

    /// Later versions of libmicrohttpd check the head themselves, and store it in another way.
    private func isStrict(_ line: RequestLine, _ fields: [RawField]) -> Bool {
        !MicrohttpdVersion.running.hasKnownLayout || line.isStrict(fields: fields, size: connection.headSize)
    }

    /// Responds in place of libmicrohttpd if this is the request whose Content-Length is malformed.
    ///
    /// - Returns: Whether it is.
    func refuseMalformedLength() -> Bool {
        guard case .head = state.withLock({ $0.stage }),
            let length = connection.rawFields().first(where: \.isContentLength)?.value
        else { return false }
        let isNumber = !length.isEmpty && length.allSatisfy { (0x30...0x39).contains($0) }
        if isNumber, UInt64(String(decoding: length, as: UTF8.self)) != nil { return false }
        connection.refuse(isNumber ? "413 Content Too Large" : "400 Bad Request")
        return true
    }

    func receiveBody(_ upload: UnsafeRawBufferPointer, _ decision: RequestPolicy.Decision) -> Bool {
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
