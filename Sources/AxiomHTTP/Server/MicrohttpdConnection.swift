// SPDX-License-Identifier: Apache-2.0

internal import CMicrohttpd
internal import Foundation

/// A connection of libmicrohttpd.
///
/// The pointer is valid from the first callback of a request to the end of its `completed` callback. ``Exchange`` is the
/// only user. It calls ``suspend()`` and ``resume()`` under its lock, and makes no call after `completed`.
struct MicrohttpdConnection: Sendable {
    /// libmicrohttpd locks what ``suspend()`` and ``resume()`` use. All other calls are made on the connection's thread.
    nonisolated(unsafe) private let pointer: OpaquePointer
    /// Open as long as the pointer is valid; -1 if unknown.
    let descriptor: CInt
    /// Nil for plain HTTP.
    private let certificates: (any ServerCertificates)?

    init(_ pointer: OpaquePointer, _ certificates: (any ServerCertificates)?) {
        (self.pointer, self.certificates) = (pointer, certificates)
        descriptor = axiom_mhd_connection_socket(pointer)
    }

    /// Suspends the connection. Only on the thread that serves it, in the access or the content callback.
    func suspend() {
        MHD_suspend_connection(pointer)
    }

    /// Resumes the connection. On any thread, once per ``suspend()``.
    func resume() {
        MHD_resume_connection(pointer)
    }

    /// Resets the connection: the peer gets a TCP `RST` at once. Only on the thread that serves it, before it closes.
    func reset() {
        ConnectedSocket.reset(descriptor)
    }

    /// Responds with a bare status and ends the connection without libmicrohttpd. For a head that may leave libmicrohttpd
    /// no memory for a response: it would close the connection without one, or never. Only on the thread that serves the
    /// connection, before a response is queued.
    func refuse(_ status: String) {
        if let certificates, let session = axiom_mhd_connection_session(pointer).map({ OpaquePointer($0) }) {
            certificates.end(session, answering: ConnectedSocket.bareAnswer(status))
        } else {
            ConnectedSocket.answer(descriptor, status)
        }
        ConnectedSocket.end(descriptor)
    }

    /// The header fields of the request in libmicrohttpd's memory.
    func rawFields() -> [RawField] {
        var fields: [RawField] = []
        fields.reserveCapacity(16)
        withUnsafeMutablePointer(to: &fields) { target in
            // The iterator runs during the call. It ignores the kind of each field: a kind that the imported enumeration
            // does not have would be undefined behaviour.
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

    /// The bytes of the request's head.
    var headSize: Int { axiom_mhd_request_head_size(pointer) }

    /// The memory that libmicrohttpd uses for the record of a header field, a cookie or a query item.
    static let recordBytes = 80

    /// An upper bound of the memory that the head of the request uses.
    ///
    /// In addition to the bytes that arrived, libmicrohttpd stores a record of each header field and each cookie, and a
    /// copy of the cookies' text.
    func memory(ofHeadWith headers: HTTPHeaders) -> Int {
        let record = Self.recordBytes
        let cookies = headers.values(of: "Cookie").reduce(0) { sum, cookie in
            sum + cookie.utf8.count + cookie.utf8.count { $0 == UInt8(ascii: ";") } * record + record
        }
        return headSize + headers.fields.count * record + cookies
    }

    /// Queues a response. Only on the thread that serves the connection, in the access callback.
    ///
    /// - Parameters:
    ///   - response: A response whose headers were validated.
    ///   - closes: Whether the connection ends after it.
    ///   - exchange: Provides the chunks of a stream.
    /// - Returns: Whether libmicrohttpd accepted it; if not, the connection is to be closed.
    func queue(_ response: HTTPResponse, closes: Bool, exchange: Exchange) -> Bool {
        guard let made = makeResponse(response.content, exchange) else { return false }
        // libmicrohttpd counts references: queueing takes another one.
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
            // libmicrohttpd releases the body exactly once, after the last byte or at the end of the connection. If it
            // makes no response, the body is released here.
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

/// The parts of a request line in libmicrohttpd's memory. Valid during the request.
struct RequestLine {
    let method: UnsafePointer<CChar>
    let target: UnsafeRawBufferPointer
    let version: UnsafePointer<CChar>

    var methodName: String { String(cString: method) }
    var isHTTP10: Bool { strcmp(version, "HTTP/1.0") == 0 }

    /// Whether the versions of libmicrohttpd read the length of the body alike: no space is behind the coding or the length.
    ///
    /// 0.9.75 does not remove it: it compares `chunked` with the whole value, and waits for a body without an end if they
    /// differ. 1.0 removes it, so that the next line is further away than CR and LF.
    ///
    /// - Parameters: As those of ``isStrict(fields:size:)``.
    func isFramedAlike(fields: [RawField], size: Int) -> Bool {
        let end = UnsafeRawPointer(method) + size - 2
        return fields.indices.allSatisfy { index in
            let value = fields[index].value
            guard fields[index].isFraming, let start = value.baseAddress else { return true }
            if value.last == 0x20 || value.last == 0x09 { return false }
            let next = index + 1 < fields.count ? fields[index + 1].name.baseAddress : end
            return MicrohttpdVersion.running.layout == nil || start + value.count + 2 == next
        }
    }

    /// Whether the head has the form that RFC 9112 requires: one space between the parts of the request line, and CRLF
    /// after each line.
    ///
    /// libmicrohttpd 0.9.75 accepts other forms, and overwrites each separator with a zero. The distances between the parts
    /// are the lengths of the separators, so a line that ended in LF alone, a folded line or a zero in a value shows as
    /// another distance.
    ///
    /// - Parameters:
    ///   - fields: The header fields in the order of arrival.
    ///   - size: The bytes of the head, including the empty line at its end.
    func isStrict(fields: [RawField], size: Int) -> Bool {
        let targetStart = UnsafeRawPointer(method) + strlen(method) + 1
        guard let target = target.baseAddress, target == targetStart,
            UnsafeRawPointer(version) == target + self.target.count + 1, strlen(version) == 8
        else { return false }
        var end = UnsafeRawPointer(version) + 8
        for field in fields {
            guard field.name.baseAddress == end + 2, let value = field.value.baseAddress else { return false }
            end = value + field.value.count
        }
        return UnsafeRawPointer(method) + size == end + 4
    }
}

/// A header field in libmicrohttpd's memory. Valid during the request.
struct RawField {
    let name: UnsafeRawBufferPointer
    let value: UnsafeRawBufferPointer

    func isNamed(_ other: String) -> Bool { HTTPHeaders.equal(String(decoding: name, as: UTF8.self), other) }

    var isFraming: Bool { isNamed("Transfer-Encoding") || isNamed("Content-Length") }

    /// Whether the name is a token, and the value has no control character except a tab (RFC 9110 sections 5.1 and 5.5).
    var isWellFormed: Bool {
        HTTPHeaders.isToken(name)
            && value.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }
    }
}

extension HTTPHeaders.Field {
    /// Copies a field of a request. Bytes that are not UTF-8 become replacement characters.
    init(_ field: RawField) {
        let value = field.value.prefix((field.value.lastIndex { $0 != 0x20 && $0 != 0x09 } ?? -1) + 1)
        name = String(decoding: field.name, as: UTF8.self)
        self.value = String(decoding: value, as: UTF8.self)
    }
}
