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
        OpenConnections.reset(descriptor)
    }

    /// Answers with a bare status and ends the connection, past the library: for a head that may leave it no memory for
    /// a response, in which case it would close without one, or never. Only on the thread that serves the connection,
    /// and before a response is queued.
    func refuse(_ status: String) {
        Self.answer(descriptor, status)
        OpenConnections.end(descriptor)
    }

    /// Sends a bare status; the connection is to be closed then.
    static func answer(_ descriptor: CInt, _ status: String) {
        let answer = Array("HTTP/1.1 \(status)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
        send(descriptor, answer, answer.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
    }

    /// The header fields of the request where they lie.
    func rawFields() -> [RawField] {
        var fields: [RawField] = []
        fields.reserveCapacity(16)
        withUnsafeMutablePointer(to: &fields) { target in
            // The iterator runs within the call; it is given the kind of each field, which is not looked at: a kind
            // that this version of the enumeration does not know would be undefined behaviour.
            _ = MHD_get_connection_values_n(
                pointer,
                MHD_ValueKind.HEADER_KIND,
                { context, _, name, nameLength, value, valueLength in
                    let fields = context?.assumingMemoryBound(to: [RawField].self)
                    fields?.pointee.append(RawField(name: bytes(name, nameLength), value: bytes(value, valueLength)))
                    return MHD_Result.YES
                },
                target
            )
        }
        return fields
    }

    /// How many bytes the head of the request has.
    var headSize: Int { axiom_mhd_request_head_size(pointer) }

    /// The memory that the library takes for the record of a header field, a cookie or an item of the query.
    static let recordBytes = 80

    /// How much of the connection's memory the head of the request takes, or a little more; `headers` are its own.
    ///
    /// Besides the bytes that arrived, the library keeps a record for each header field and each cookie, and a copy of
    /// the cookies' text.
    func memory(ofHeadWith headers: HTTPHeaders) -> Int {
        let record = Self.recordBytes
        let cookies = headers.values(of: "Cookie").reduce(0) { sum, cookie in
            sum + cookie.utf8.count + cookie.utf8.count { $0 == UInt8(ascii: ";") } * record + record
        }
        return headSize + headers.fields.count * record + cookies
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

private func bytes(_ start: UnsafePointer<CChar>?, _ length: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : length)
}
