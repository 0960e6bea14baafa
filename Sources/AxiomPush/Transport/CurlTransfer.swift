// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import CCurl

/// One request in libcurl. Only the thread of ``TransferEngine`` uses it.
final class CurlTransfer {
    let handle: UnsafeMutableRawPointer
    private let request: TransferRequest
    private let continuation: CheckedContinuation<TransferResponse, any Error>
    private var fields: UnsafeMutablePointer<curl_slist>?
    private var received: [UInt8] = []
    private var receivedFields: [String: String] = [:]
    private var isTooLarge = false
    /// Where libcurl writes what went wrong.
    private let reason = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    /// Nil if libcurl has no memory.
    init?(_ request: TransferRequest, _ continuation: CheckedContinuation<TransferResponse, any Error>) {
        guard let handle = curl_easy_init() else { return nil }
        self.handle = handle
        self.request = request
        self.continuation = continuation
        reason.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_easy_cleanup(handle)
        curl_slist_free_all(fields)
        reason.deallocate()
    }

    /// Sets all options, and returns the first failure.
    func prepare() -> CURLcode {
        for step in [setTarget, setLimits, setBody, setTrust, setCredentials, setReceiver] {
            let code = step()
            if code != CURLE_OK { return code }
        }
        return CURLE_OK
    }

    /// Resumes the caller with the response or the error.
    func finish(_ code: CURLcode) {
        if isTooLarge { return continuation.resume(throwing: tooLarge) }
        guard code == CURLE_OK else { return continuation.resume(throwing: error(code)) }
        let seconds = axiom_curl_retry_after(handle)
        let longest = TransferResponse.longestRetryAfter
        let response = TransferResponse(
            status: axiom_curl_status(handle),
            body: received,
            retryAfter: seconds > 0 ? min(.seconds(Int64(seconds)), longest) : nil,
            fields: receivedFields
        )
        continuation.resume(returning: response)
    }

    func cancel() {
        continuation.resume(throwing: CancellationError())
    }

    // MARK: - Options

    private func setTarget() -> CURLcode {
        first(
            axiom_curl_set_text(handle, CURLOPT_URL, request.url.description),
            axiom_curl_allow_http_only(handle),
            axiom_curl_set_long(handle, CURLOPT_FOLLOWLOCATION, 0),
            // The URL is final: libcurl must not remove segments of dots from it.
            axiom_curl_set_long(handle, CURLOPT_PATH_AS_IS, 1),
            // An empty text turns the proxies of the environment off.
            request.url.isLoopback ? axiom_curl_set_text(handle, CURLOPT_PROXY, "") : CURLE_OK
        )
    }

    private func setLimits() -> CURLcode {
        first(
            // Signals would interrupt the application's threads.
            axiom_curl_set_long(handle, CURLOPT_NOSIGNAL, 1),
            axiom_curl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(request.endpoint.connectTimeout)),
            axiom_curl_set_long(handle, CURLOPT_TIMEOUT_MS, milliseconds(request.endpoint.requestTimeout)),
            axiom_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, reason)
        )
    }

    private func setBody() -> CURLcode {
        for line in request.lines {
            guard let longer = curl_slist_append(fields, line) else { return CURLE_OUT_OF_MEMORY }
            fields = longer
        }
        let code = first(
            axiom_curl_set_pointer(handle, CURLOPT_HTTPHEADER, fields),
            axiom_curl_set_text(handle, CURLOPT_CUSTOMREQUEST, request.method.rawValue)
        )
        guard code == CURLE_OK, request.method != .delete else { return code }
        return first(
            axiom_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.count)),
            // libcurl copies the bytes, whose number it knows.
            request.body.withUnsafeBufferPointer { body in
                body.withMemoryRebound(to: CChar.self) {
                    axiom_curl_set_text(handle, CURLOPT_COPYPOSTFIELDS, $0.baseAddress ?? UnsafePointer(reason))
                }
            }
        )
    }

    private func setTrust() -> CURLcode {
        var code = axiom_curl_verify_peer(handle)
        if code == CURLE_OK, let file = request.endpoint.authorityFile {
            code = axiom_curl_set_text(handle, CURLOPT_CAINFO, file)
        }
        guard code == CURLE_OK, let own = request.endpoint.clientCertificate else { return code }
        return first(
            axiom_curl_set_text(handle, CURLOPT_SSLCERT, own.certificateFile),
            axiom_curl_set_text(handle, CURLOPT_SSLKEY, own.keyFile)
        )
    }

    private func setCredentials() -> CURLcode {
        switch request.endpoint.credentials.kind {
        case .none: CURLE_OK
        case .basic(let user, let password): axiom_curl_set_basic(handle, user, password)
        case .bearer(let token): axiom_curl_set_bearer(handle, token)
        }
    }

    private func setReceiver() -> CURLcode {
        first(
            axiom_curl_set_writer(handle) { bytes, size, count, target in
                guard let bytes, let target else { return 0 }
                let transfer = Unmanaged<CurlTransfer>.fromOpaque(target).takeUnretainedValue()
                return transfer.receive(UnsafeRawBufferPointer(start: bytes, count: size * count))
            },
            axiom_curl_set_pointer(handle, CURLOPT_WRITEDATA, Unmanaged.passUnretained(self).toOpaque()),
            axiom_curl_set_header_writer(handle) { bytes, size, count, target in
                guard let bytes, let target else { return 0 }
                let transfer = Unmanaged<CurlTransfer>.fromOpaque(target).takeUnretainedValue()
                transfer.receive(line: UnsafeRawBufferPointer(start: bytes, count: size * count))
                return size * count
            },
            axiom_curl_set_pointer(handle, CURLOPT_HEADERDATA, Unmanaged.passUnretained(self).toOpaque())
        )
    }

    /// - Returns: The number of bytes taken. Any other number than all of them ends the transfer.
    private func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard received.count + bytes.count <= request.endpoint.maximumResponseBytes else {
            isTooLarge = true
            return 0
        }
        received.append(contentsOf: bytes)
        return bytes.count
    }

    /// Keeps a field that the request asks for. libcurl passes each line of the response's header by itself.
    private func receive(line: UnsafeRawBufferPointer) {
        guard !request.answerFields.isEmpty, let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
        let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
        guard request.answerFields.contains(name) else { return }
        receivedFields[name] = String(decoding: line[(colon + 1)...].filter { $0 > 0x20 }, as: UTF8.self)
    }

    private func first(_ codes: CURLcode...) -> CURLcode {
        codes.first { $0 != CURLE_OK } ?? CURLE_OK
    }

    private func milliseconds(_ duration: Duration) -> Int {
        Int(duration.clampedNanoseconds / 1_000_000)
    }

    // MARK: - Errors

    private var tooLarge: PushError {
        let limit = request.endpoint.maximumResponseBytes
        return PushError(
            .responseTooLarge,
            "\(request.url) answered more than \(limit) bytes; check the URL, or raise maximumResponseBytes"
        )
    }

    private func error(_ code: CURLcode) -> PushError {
        let own = String(cString: reason)
        let text = (own.isEmpty ? String(cString: curl_easy_strerror(code)) : own).clause
        let url = request.url
        switch code {
        case CURLE_OPERATION_TIMEDOUT:
            return PushError(
                .timedOut,
                "\(url) did not answer in time: \(text); check that it runs, or raise connectTimeout or requestTimeout"
            )
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            return PushError(
                .untrusted,
                "no trusted connection to \(url): \(text); check authorityFile, clientCertificate and the name of the host"
            )
        default:
            return PushError(
                .unreachable,
                "\(url) cannot be reached: \(text); check the address, and that the receiver runs"
            )
        }
    }
}
