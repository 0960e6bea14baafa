// SPDX-License-Identifier: Apache-2.0

internal import CMicrohttpd
internal import Foundation

/// The threads of libmicrohttpd, which serve the connections that ``ConnectionAcceptor`` admits.
///
/// Ownership across the C boundary:
/// - the callbacks of the daemon receive a ``ServerCore`` that is retained from before the start to after the stop;
/// - the callback of the request line creates an ``Exchange`` and retains it as the context of the request; `completed`,
///   which libmicrohttpd calls exactly once for each request, releases it;
/// - a response retains its body, or the exchange that streams it, until libmicrohttpd frees the response.
///
/// Enumerations of libmicrohttpd are compared by raw value: they are imported as closed Swift enumerations, in which a
/// value of a newer version would be undefined.
final class MicrohttpdDaemon: Sendable {
    nonisolated(unsafe) private let pointer: OpaquePointer
    private let core: Unmanaged<ServerCore>

    /// Starts the threads.
    ///
    /// - Throws: ``HTTPServerError`` with code `systemFailure` if libmicrohttpd is too old, or if the process is out of
    ///   descriptors or threads.
    init(_ core: ServerCore) throws {
        try MicrohttpdVersion.running.validate()
        let held = Unmanaged.passRetained(core)
        var items = Self.options(core.configuration, held.toOpaque())
        var flags =
            MHD_USE_EPOLL_INTERNAL_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue
            | MHD_USE_NO_LISTEN_SOCKET.rawValue | MHD_USE_ERROR_LOG.rawValue
        let texts = core.security.certificates.map(\.text).map {
            (TerminatedText($0.certificate), TerminatedText($0.key))
        }
        if texts != nil { flags |= MHD_USE_TLS.rawValue }
        if let texts { items.insert(contentsOf: Self.certificate(texts.0, texts.1), at: 1) }
        // The items and the list are copied before the call returns, and the certificate is parsed.
        let started = withExtendedLifetime(texts) {
            items.withUnsafeMutableBufferPointer { items in
                withVaList([
                    MHD_OPTION.ARRAY.rawValue, items.baseAddress.map(Int.init(bitPattern:)) ?? 0,
                    MHD_OPTION.END.rawValue,
                ]) {
                    MHD_start_daemon_va(flags, 0, nil, nil, access, held.toOpaque(), $0)
                }
            }
        }
        guard let started else {
            let code = errno
            held.release()
            throw HTTPServerError(
                .systemFailure,
                "libmicrohttpd \(MicrohttpdVersion.running) did not start (last system error: \(String(cString: strerror(code)))); "
                    + "look at the limits of descriptors and threads (ulimit -n, ulimit -u)"
            )
        }
        pointer = started
        self.core = held
    }

    /// Serves a connected socket; returns false if libmicrohttpd refused and closed it.
    func serve(_ descriptor: CInt, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Bool {
        MHD_add_connection(pointer, descriptor, address, length).rawValue == MHD_Result.YES.rawValue
    }

    /// Closes every connection and waits for the threads, and so for immediate handlers.
    ///
    /// To be called once, on a thread that is not the daemon's, after the registry has abandoned every exchange
    /// (libmicrohttpd ends the process if a connection is suspended) and every connection has ended (see
    /// ``OpenConnections``).
    func stop() {
        MHD_stop_daemon(pointer)
        core.release()
    }

    /// Memory for the head of the response, in addition to that of the longest request. Without it, libmicrohttpd closes the
    /// connection without a response.
    private static let responseHeadReserve = 4_096

    static func memoryLimit(_ configuration: HTTPServerConfiguration) -> Int {
        BufferedHead.memoryLimit(atLeast: configuration.connectionMemoryBytes + responseHeadReserve)
    }

    private static func options(
        _ configuration: HTTPServerConfiguration,
        _ core: UnsafeMutableRawPointer
    ) -> [MHD_OptionItem] {
        func item(_ option: MHD_OPTION, _ value: Int, _ pointer: UnsafeMutableRawPointer? = nil) -> MHD_OptionItem {
            MHD_OptionItem(option: option, value: value, ptr_value: pointer)
        }
        var items = [
            // First, because libmicrohttpd logs errors of the other options with it.
            item(.EXTERNAL_LOGGER, unsafeBitCast(errorLogged, to: Int.self), core),
            // ``OpenConnections`` enforces the limits. A dropped connection counts here until its thread closes it, and
            // each thread has a share of the limit.
            item(.CONNECTION_LIMIT, (configuration.connectionLimit + 1_024) * configuration.threads),
            item(.CONNECTION_TIMEOUT, Int(configuration.idleTimeout.components.seconds)),
            item(.CONNECTION_MEMORY_LIMIT, memoryLimit(configuration)),
            item(.URI_LOG_CALLBACK, unsafeBitCast(requestLine, to: Int.self), core),
            item(.NOTIFY_CONNECTION, unsafeBitCast(connectionChanged, to: Int.self), core),
            item(.NOTIFY_COMPLETED, unsafeBitCast(completed, to: Int.self), core),
        ]
        // 0.9.75 responds twice to requests that its strict mode refuses, so Axiom makes all checks itself. Without strict
        // mode, 1.0 hides what it corrects: it joins folded lines, and redirects a target with a space.
        if MicrohttpdVersion.running.layout != .zeroed { items.append(item(.STRICT_FOR_CLIENT, 1)) }
        // Without a pool there is one thread.
        if configuration.threads > 1 { items.append(item(.THREAD_POOL_SIZE, configuration.threads)) }
        items.append(item(.END, 0))
        return items
    }
}

/// `MHD_LogCallback` without its last argument, an unused `va_list`.
private typealias LogCallback = @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Void
private typealias RequestLineCallback =
    @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer?
/// `MHD_NotifyConnectionCallback` and `MHD_RequestCompletedCallback`, whose last argument is an enumeration.
private typealias NoticeCallback =
    @convention(c) (
        UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?, CUnsignedInt
    ) -> Void

/// A request line arrived. Its exchange becomes the context of the request.
private let requestLine: RequestLineCallback = { context, target, pointer in
    guard let context, let pointer else { return nil }
    let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
    let connection = MicrohttpdConnection(pointer, core.security.certificates)
    let target = UnsafeRawBufferPointer(start: target, count: target.map(strlen) ?? 0)
    let exchange = core.open(connection, target: RequestTarget(target))
    exchange.receive(target)
    exchange.waitForHead(behind: target)
    let memory: Int
    if MicrohttpdVersion.running.layout == nil {
        memory = target.count + MicrohttpdConnection.recordBytes * target.count { $0 == UInt8(ascii: "&") }
    } else {
        hideFromParser(target)
        memory = target.count
    }
    if memory > core.configuration.connectionMemoryBytes { connection.refuse("414 URI Too Long") }
    return Unmanaged.passRetained(exchange).toOpaque()
}

/// Keeps libmicrohttpd from parsing the query and from decoding, which ``RequestTarget`` has done.
///
/// libmicrohttpd would allocate a record in the connection's memory for each item. If the memory is exhausted, 0.9.75
/// queues a response and then reads on as if it had not: the client waits for the idle timeout. It searches for the items
/// after this callback, and finds one at most if nothing separates them. It also decodes after this callback; 1.0.10 closes
/// the connection if it cannot. The text is in the connection's own writable memory, and only libmicrohttpd reads it again.
/// That is known if ``MicrohttpdVersion/layout`` is; otherwise the number of items is limited.
private func hideFromParser(_ target: UnsafeRawBufferPointer) {
    let text = UnsafeMutableRawBufferPointer(mutating: target)
    for index in text.indices where "&%".utf8.contains(text[index]) { text[index] = UInt8(ascii: "/") }
}

/// libmicrohttpd logs an error, before it acts on it. On a connection's thread.
///
/// A request whose length is malformed or ambiguous is refused here instead: 0.9.75 responds twice to it, and later
/// versions choose other statuses.
private let errorLogged: LogCallback = { context, format in
    guard let context, let format,
        strstr(format, "Content-Length") != nil || strstr(format, "Error processing request") != nil
    else { return }
    Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue().registry.refuseMalformedFraming()
}

/// The headers, a part of the body, or the end of a request arrived, or a connection was resumed.
private let access: MHD_AccessHandlerCallback = { _, _, _, method, version, upload, uploadSize, context in
    guard let context = context?.pointee, let method, let version, let uploadSize else { return MHD_Result.NO }
    let bytes = UnsafeRawBufferPointer(start: upload, count: upload == nil ? 0 : uploadSize.pointee)
    uploadSize.pointee = 0
    let exchange = Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
    let staysOpen = exchange.advance(
        RequestLine(method: method, target: exchange.rawTarget, version: version),
        upload: bytes
    )
    return staysOpen ? MHD_Result.YES : MHD_Result.NO
}

/// A connection was added, or is about to be closed. On the connection's thread.
private let connectionChanged: NoticeCallback = { pointer, connection, context, change in
    guard let pointer, let connection, let context else { return }
    let core = Unmanaged<ServerCore>.fromOpaque(pointer).takeUnretainedValue()
    let descriptor = axiom_mhd_connection_socket(connection)
    switch change {
    case MHD_ConnectionNotificationCode.CONNECTION_NOTIFY_STARTED.rawValue:
        core.connections.opened(descriptor)
        core.beginTLS(connection, descriptor, context)
    case MHD_ConnectionNotificationCode.CONNECTION_NOTIFY_CLOSED.rawValue:
        core.connections.closed(descriptor)
        core.memory?.closed(descriptor)
        core.endTLS(context)
    default: break
    }
}

/// A request ended.
private let completed: NoticeCallback = { _, _, context, _ in
    guard let context, let exchange = context.pointee else { return }
    context.pointee = nil
    Unmanaged<Exchange>.fromOpaque(exchange).takeRetainedValue().finish()
}

struct MicrohttpdVersion: Comparable, Sendable, CustomStringConvertible {
    /// The version as libmicrohttpd reports it, such as `0.9.75`.
    let description: String
    /// The numbers of the version; empty if it has other parts.
    private let numbers: [Int]

    /// The version of the loaded library.
    static let running = MicrohttpdVersion(MHD_get_version().map { String(cString: $0) } ?? "unknown")

    init(_ description: String) {
        self.description = description
        // A distribution may add a suffix, such as 0.9.75-6.
        let core = description.prefix { $0.isNumber || $0 == "." }
        let parts = core.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        numbers = parts.contains(nil) ? [] : parts.compactMap(\.self)
    }

    static func == (left: MicrohttpdVersion, right: MicrohttpdVersion) -> Bool { left.numbers == right.numbers }

    static func < (left: MicrohttpdVersion, right: MicrohttpdVersion) -> Bool {
        left.numbers.lexicographicallyPrecedes(right.numbers)
    }

    /// How the head of a request is stored in writable memory of the connection. This is not documented; it is what the
    /// sources of these versions do.
    enum Layout: Sendable {
        /// As it arrived, with a zero in place of each separator, and of CR and of LF.
        case zeroed
        /// As it arrived, with a zero behind each part, which replaces the first byte of what separates it from the next.
        case terminated
    }

    /// Nil for a version whose source was not read.
    var layout: Layout? {
        if numbers == [0, 9, 75] { return .zeroed }
        return numbers.starts(with: [1, 0]) ? .terminated : nil
    }

    /// - Throws: ``HTTPServerError`` with code `systemFailure` if the version is not supported.
    func validate() throws {
        guard !numbers.isEmpty, self >= MicrohttpdVersion("0.9.75") else {
            throw HTTPServerError(
                .systemFailure,
                "the libmicrohttpd that runs is \(description); 0.9.75 or later is needed: install it, or build on a "
                    + "system that has it"
            )
        }
    }
}
