// SPDX-License-Identifier: Apache-2.0

internal import CMicrohttpd
internal import Glibc

/// The threads of libmicrohttpd that serve the connections which ``ConnectionGate`` hands over.
///
/// Who holds what across the C boundary:
/// - the daemon's callbacks get a ``ServerCore`` that is retained from before the start to after the stop;
/// - the request line makes an ``Exchange`` and retains it as the context of the request; `completed`, which the
///   library calls exactly once for each, releases it;
/// - a response retains its body, or the exchange that streams it, until the library frees the response.
///
/// The enumerations that the library hands to callbacks and returns are compared by raw value: they arrive as closed
/// Swift enumerations, in which a value from a newer library would be undefined.
final class MicrohttpdDaemon: Sendable {
    nonisolated(unsafe) private let pointer: OpaquePointer
    private let core: Unmanaged<ServerCore>

    /// Starts the threads.
    ///
    /// - Throws: ``HTTPServerError`` with code `systemFailure` if the library is too old, or if the process is out of
    ///   descriptors or threads.
    init(_ core: ServerCore) throws {
        try MicrohttpdVersion.running.validate()
        let held = Unmanaged.passRetained(core)
        var items = Self.options(core.configuration, held.toOpaque())
        let flags =
            MHD_USE_EPOLL_INTERNAL_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue
            | MHD_USE_NO_LISTEN_SOCKET.rawValue | MHD_USE_ERROR_LOG.rawValue
        // The items and the list are copied before the call returns.
        let started = items.withUnsafeMutableBufferPointer { items in
            withVaList([
                MHD_OPTION.ARRAY.rawValue, items.baseAddress.map(Int.init(bitPattern:)) ?? 0, MHD_OPTION.END.rawValue,
            ]) {
                MHD_start_daemon_va(flags, 0, nil, nil, access, held.toOpaque(), $0)
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

    /// Hands a connected socket over; false if the library refused it, and closed it.
    func serve(_ descriptor: CInt, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Bool {
        MHD_add_connection(pointer, descriptor, address, length).rawValue == MHD_Result.YES.rawValue
    }

    /// Closes every connection and waits for the threads; blocks for as long as an immediate handler runs.
    ///
    /// To be called once, on a thread that is not the daemon's, after the registry has abandoned every exchange (the
    /// library ends the process when a connection is still suspended) and every connection has been ended (see
    /// ``OpenConnections``).
    func stop() {
        MHD_stop_daemon(pointer)
        core.release()
    }

    /// Memory beyond what a request may take, so that there is room for the head of the response to the longest one:
    /// where there is none, the library closes the connection without an answer.
    private static let responseHeadReserve = 4_096

    private static func options(
        _ configuration: HTTPServerConfiguration,
        _ core: UnsafeMutableRawPointer
    ) -> [MHD_OptionItem] {
        func item(_ option: MHD_OPTION, _ value: Int, _ pointer: UnsafeMutableRawPointer? = nil) -> MHD_OptionItem {
            MHD_OptionItem(option: option, value: value, ptr_value: pointer)
        }
        var items = [
            // First, because it is used for what is said of the others.
            item(.EXTERNAL_LOGGER, unsafeBitCast(errorLogged, to: Int.self), core),
            // The limits are kept by the gate. A dropped connection counts here until its thread closes it, and each
            // thread has a share of the limit.
            item(.CONNECTION_LIMIT, (configuration.connectionLimit + 1_024) * configuration.threads),
            item(.CONNECTION_TIMEOUT, Int(configuration.idleTimeout.components.seconds)),
            item(.CONNECTION_MEMORY_LIMIT, configuration.connectionMemoryBytes + responseHeadReserve),
            item(.URI_LOG_CALLBACK, unsafeBitCast(requestLine, to: Int.self), core),
            item(.NOTIFY_CONNECTION, unsafeBitCast(connectionChanged, to: Int.self), core),
            item(.NOTIFY_COMPLETED, unsafeBitCast(completed, to: Int.self), core),
        ]
        // 0.9.75 answers what it refuses for its strictness twice, and so the checks there are all our own.
        if !MicrohttpdVersion.running.hasKnownLayout { items.append(item(.STRICT_FOR_CLIENT, 1)) }
        // One thread is what the library runs without a pool.
        if configuration.threads > 1 { items.append(item(.THREAD_POOL_SIZE, configuration.threads)) }
        items.append(item(.END, 0))
        return items
    }
}

/// `MHD_LogCallback`, without its last argument, a `va_list`, which is not looked at.
private typealias LogCallback = @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Void
private typealias RequestLineCallback =
    @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer?
/// `MHD_NotifyConnectionCallback` and `MHD_RequestCompletedCallback`, whose last argument is an enumeration.
private typealias NoticeCallback =
    @convention(c) (
        UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?, CUnsignedInt
    ) -> Void

/// A request line arrived: its exchange becomes the context of the request.
private let requestLine: RequestLineCallback = { context, target, pointer in
    guard let context, let pointer else { return nil }
    let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
    let connection = MicrohttpdConnection(pointer)
    let target = UnsafeRawBufferPointer(start: target, count: target.map(strlen) ?? 0)
    let exchange = core.open(connection, target: RequestTarget(target))
    exchange.receive(target)
    let memory: Int
    if MicrohttpdVersion.running.hasKnownLayout {
        joinQueryItems(target)
        memory = target.count
    } else {
        memory = target.count + MicrohttpdConnection.recordBytes * target.count { $0 == UInt8(ascii: "&") }
    }
    if memory > core.configuration.connectionMemoryBytes { connection.refuse("414 URI Too Long") }
    return Unmanaged.passRetained(exchange).toOpaque()
}

/// Keeps the library from taking the query apart, which ``RequestTarget`` has done.
///
/// It would take a record of the connection's memory for each item. When none is left for one, 0.9.75 queues its answer
/// and then reads on as if it had not: the client waits for the idle timeout. It looks for the items after this callback,
/// and finds one at most where nothing separates them. The text lies in the connection's own memory, which is writable,
/// and nothing reads it again but the library. That is known of the versions of which
/// ``MicrohttpdVersion/hasKnownLayout`` holds; elsewhere the number of items is limited.
private func joinQueryItems(_ target: UnsafeRawBufferPointer) {
    let text = UnsafeMutableRawBufferPointer(mutating: target)
    for index in text.indices where text[index] == UInt8(ascii: "&") { text[index] = UInt8(ascii: "/") }
}

/// The library has something to say, and says it before it does what it speaks of. On a connection's thread.
///
/// 0.9.75 answers a malformed Content-Length twice: it builds its refusal, forgets it, and builds it again. The request
/// is therefore refused here, in the library's place.
private let errorLogged: LogCallback = { context, format in
    guard MicrohttpdVersion.running.hasKnownLayout, let context, let format, strstr(format, "Content-Length") != nil
    else { return }
    Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue().registry.refuseMalformedLength()
}

/// The headers, a part of the body, or the end of a request arrived, or a connection was resumed.
private let access: MHD_AccessHandlerCallback = { _, _, _, method, version, upload, uploadSize, context in
    guard let context = context?.pointee, let method, let version, let uploadSize else { return MHD_Result.NO }
    let bytes = UnsafeRawBufferPointer(start: upload, count: upload == nil ? 0 : uploadSize.pointee)
    uploadSize.pointee = 0
    let exchange = Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
    let goesOn = exchange.advance(
        RequestLine(method: method, target: exchange.rawTarget, version: version),
        upload: bytes
    )
    return goesOn ? MHD_Result.YES : MHD_Result.NO
}

/// A connection was accepted, or is about to be closed. On the connection's thread.
private let connectionChanged: NoticeCallback = { core, connection, _, change in
    guard let core, let connection else { return }
    let connections = Unmanaged<ServerCore>.fromOpaque(core).takeUnretainedValue().connections
    let descriptor = axiom_mhd_connection_socket(connection)
    switch change {
    case MHD_ConnectionNotificationCode.CONNECTION_NOTIFY_STARTED.rawValue: connections.opened(descriptor)
    case MHD_ConnectionNotificationCode.CONNECTION_NOTIFY_CLOSED.rawValue: connections.closed(descriptor)
    default: break
    }
}

/// A request ended, in whichever way.
private let completed: NoticeCallback = { _, _, context, _ in
    guard let context, let exchange = context.pointee else { return }
    context.pointee = nil
    Unmanaged<Exchange>.fromOpaque(exchange).takeRetainedValue().finish()
}
