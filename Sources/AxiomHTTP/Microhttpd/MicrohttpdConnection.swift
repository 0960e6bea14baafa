// SPDX-License-Identifier: Apache-2.0

internal import CMicrohttpd
internal import Glibc

/// A connection of libmicrohttpd, whose calls keep to what the library allows.
///
/// The pointer is valid from the first callback of a request to the end of its `completed` callback. ``Exchange``, the
/// only user, makes every call under its lock and none after `completed`.
struct MicrohttpdConnection: Sendable {
    /// The library locks what ``suspend()`` and ``resume()`` touch; everything else is called on its own thread only.
    nonisolated(unsafe) private let pointer: OpaquePointer
    /// Open for as long as the pointer is valid; -1 when the library does not tell.
    let descriptor: CInt

    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
        descriptor = axiom_mhd_connection_socket(pointer)
    }

    /// Sets the connection aside. Only on the thread that serves it, from the access or the content callback.
    func suspend() {
        MHD_suspend_connection(pointer)
    }

    /// Has the thread that serves the connection look at it again. From any thread, once per ``suspend()``.
    func resume() {
        MHD_resume_connection(pointer)
    }

    /// Resets the connection: the peer gets a TCP `RST` at once. Only on the thread that serves it, before it closes.
    func reset() {
        // Connecting to "no address" ends a TCP connection with a reset. A close with SO_LINGER 0 would do so too,
        // but libmicrohttpd shuts the socket down before it closes it, and the peer would first see an orderly end.
        var nowhere = sockaddr(sa_family: sa_family_t(AF_UNSPEC), sa_data: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        connect(descriptor, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
    }

    /// Answers with a bare status and ends the connection, past the library: for a head that may leave it no memory for
    /// a response, in which case it would close without one, or never. Only on the thread that serves the connection,
    /// and before a response is queued.
    func refuse(_ status: String) {
        let answer = Array("HTTP/1.1 \(status)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
        send(descriptor, answer, answer.count, CInt(MSG_NOSIGNAL))
        OpenConnections.end(descriptor)
    }

    /// The header fields of the request.
    func headers() -> HTTPHeaders {
        var headers = HTTPHeaders()
        withUnsafeMutablePointer(to: &headers) { target in
            // The iterator runs within the call; it is given the kind of each field, which nobody looks at: a kind
            // that this version of the enumeration does not know would be undefined behaviour.
            _ = MHD_get_connection_values_n(
                pointer,
                MHD_ValueKind.HEADER_KIND,
                { context, _, name, nameLength, value, valueLength in
                    let headers = context?.assumingMemoryBound(to: HTTPHeaders.self)
                    headers?.pointee.add(text(name, nameLength), text(value, valueLength))
                    return MHD_Result.YES
                },
                target
            )
        }
        return headers
    }

    /// How much of the connection's memory the head of the request takes, or a little more; `headers` are its own.
    ///
    /// Besides the bytes that arrived, the library keeps a record for each header field and each cookie, and a copy of
    /// the cookies' text.
    func memory(ofHeadWith headers: HTTPHeaders) -> Int {
        let record = 80
        let cookies = headers.values(of: "Cookie").reduce(0) { sum, cookie in
            sum + cookie.utf8.count + cookie.utf8.count { $0 == UInt8(ascii: ";") } * record + record
        }
        return axiom_mhd_request_head_size(pointer) + headers.fields.count * record + cookies
    }

    /// Hands a response to the library. Only on the thread that serves the connection, from the access callback.
    ///
    /// - Parameters:
    ///   - response: One whose headers were validated.
    ///   - closes: Whether the connection ends after it.
    ///   - exchange: What the library asks for the chunks of a stream.
    /// - Returns: Whether the library took it; if not, the connection is to be closed.
    func queue(_ response: HTTPResponse, closes: Bool, exchange: Exchange) -> Bool {
        guard let made = makeResponse(response.content, exchange) else { return false }
        // The library counts references: queueing takes one of its own.
        defer { MHD_destroy_response(made) }
        for field in response.headers.fields
        where MHD_add_response_header(made, field.name, field.value).rawValue != MHD_Result.YES.rawValue {
            return false
        }
        if closes { _ = MHD_add_response_header(made, "Connection", "close") }
        let queued = MHD_queue_response(pointer, UInt32(response.status.code), made)
        return queued.rawValue == MHD_Result.YES.rawValue
    }

    private func makeResponse(_ content: HTTPResponse.Content, _ exchange: Exchange) -> OpaquePointer? {
        switch content {
        case .reset: return nil
        case .body(let body):
            // The body is held until the library calls back to free it, which it does exactly once, after the last
            // byte or with the connection; if it refuses, here.
            let held = Unmanaged.passRetained(body)
            let made = MHD_create_response_from_buffer_with_free_callback_cls(
                body.count,
                body.address,
                { context in context.map { Unmanaged<HTTPBody>.fromOpaque($0).release() } },
                held.toOpaque()
            )
            if made == nil { held.release() }
            return made
        case .stream:
            let held = Unmanaged.passRetained(exchange)
            let made = MHD_create_response_from_callback(
                UInt64.max,  // MHD_SIZE_UNKNOWN
                16_384,
                { context, _, buffer, size in
                    guard let context, let buffer else { return Exchange.Read.failed.rawValue }
                    let exchange = Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
                    return exchange.readChunk(into: UnsafeMutableRawBufferPointer(start: buffer, count: size))
                },
                held.toOpaque(),
                { context in context.map { Unmanaged<Exchange>.fromOpaque($0).release() } }
            )
            if made == nil { held.release() }
            return made
        }
    }
}

/// The text of a field; bytes that are not UTF-8 become replacement characters.
private func text(_ start: UnsafePointer<CChar>?, _ length: Int) -> String {
    String(decoding: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : length), as: UTF8.self)
}
