// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Where the parts of a request line lie in the memory of libmicrohttpd. Valid during the request.
struct RequestLine {
    let method: UnsafePointer<CChar>
    let target: UnsafeRawBufferPointer
    let version: UnsafePointer<CChar>

    var methodName: String { String(cString: method) }
    var isHTTP10: Bool { strcmp(version, "HTTP/1.0") == 0 }

    /// Whether the head has the form that RFC 9112 demands: one blank between the parts of the request line, and CRLF
    /// after each line.
    ///
    /// libmicrohttpd 0.9.75 takes more than that, and writes a zero over each separator that it finds. So the parts lie
    /// apart by the length of the separators: a line that ended in LF alone, a folded line or a zero in a value shows as
    /// another distance.
    ///
    /// - Parameters:
    ///   - fields: Where the names and values of the header fields lie, in the order of arrival.
    ///   - size: The bytes of the head, with the empty line at its end.
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

/// Where a header field lies in the memory of libmicrohttpd. Valid during the request.
struct RawField {
    let name: UnsafeRawBufferPointer
    let value: UnsafeRawBufferPointer

    var isContentLength: Bool {
        HTTPHeaders.equal(String(decoding: name, as: UTF8.self), "Content-Length")
    }

    /// Whether the name is a token, and the value has no control character except a tab (RFC 9110 sections 5.1 and 5.5).
    var isWellFormed: Bool {
        HTTPHeaders.isToken(name)
            && value.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }
    }
}
