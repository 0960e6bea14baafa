// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import CMicrohttpd
internal import Foundation

/// The header section of a request as it arrives, before libmicrohttpd 0.9.75 parses it.
///
/// 0.9.75 takes a line `:` for the end of the head, and what follows for another request (request smuggling). It overwrites
/// the line with zeros before it calls the server, as it does with an empty line. When it has read the request line, the
/// lines behind it are still in its buffer as they arrived, or in the socket. So the connection is suspended then until the
/// whole head has arrived. Over TLS the bytes of the socket are encrypted: if a head is not in the buffer at once, its
/// connection ends with the response, and nothing can follow it.
///
/// The bytes behind the received ones are zero: the memory of a connection is mapped (see ``memoryLimit(atLeast:)``), and
/// libmicrohttpd clears it for each later request.
struct BufferedHead: Sendable {
    enum Finding: Sendable {
        /// More is needed to decide.
        case partial
        /// The head is complete.
        case wellFormed
        case malformed
        /// The head is too long or arrives in too many pieces: the connection must end with its response.
        case unseen
    }

    private(set) var finding: Finding
    private var scan = HeadScan(afterRequestLine: true)
    /// How many bytes of the request line are behind its target.
    private let lineRest: Int
    /// How many bytes behind the request line are in the buffer of libmicrohttpd.
    private let buffered: Int
    /// How often the socket was looked at.
    private var pieces = 0

    /// Looks at the buffer, in the callback of the request line.
    ///
    /// - Parameter bytes: The bytes from the end of the target on, which is a zero, to the end of the memory.
    init(_ bytes: some Collection<UInt8>) {
        // The version, and one zero for LF or two for CRLF.
        let ending = bytes.dropFirst().drop { $0 != 0 }
        let section = ending.dropFirst(ending.prefix(2).prefix { $0 == 0 }.count)
        let arrived = section.prefix { $0 != 0 }
        (lineRest, buffered) = (bytes.count - section.count, arrived.count)
        let isComplete = scan.continueWith(arrived)
        // A zero that was sent: 0.9.75 takes it for the end of a line.
        let hasZero = !isComplete && section.dropFirst(arrived.count).contains { $0 != 0 }
        if scan.isMalformed || hasZero {
            finding = .malformed
        } else if isComplete {
            finding = .wellFormed
        } else {
            // Without a zero, the lines are longer than a head may be.
            finding = !section.isEmpty && arrived.count == section.count ? .unseen : .partial
        }
    }

    /// Looks at what the socket has, and leaves it there.
    ///
    /// - Parameters:
    ///   - hasEnded: Whether nothing more will arrive.
    ///   - limit: How many bytes a head may have.
    mutating func look(at descriptor: CInt, hasEnded: Bool, limit: Int) {
        guard finding == .partial else { return }
        withUnsafeTemporaryAllocation(byteCount: limit, alignment: 1) { bytes in
            let count = recv(descriptor, bytes.baseAddress, limit, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT))
            let isComplete = scan.continueWith(bytes.prefix(max(0, count)), behind: buffered)
            pieces += 1
            let isLast = hasEnded || buffered + count >= limit || pieces > PendingConnections.maximumPieces
            if scan.isMalformed {
                finding = .malformed
            } else if isComplete {
                finding = .wellFormed
            } else if isLast {
                finding = .unseen
            }
        }
    }

    /// Whether libmicrohttpd ended the head where the scan did. A zero that is the last byte of a piece is not seen.
    func agrees(targetEnd end: UnsafeRawPointer, headEnd: UnsafeRawPointer) -> Bool {
        finding != .wellFormed || end + lineRest + scan.count == headEnd
    }

    /// The connection cannot wait for the rest.
    mutating func giveUp() {
        if finding == .partial { finding = .unseen }
    }

    /// The least memory of a connection that libmicrohttpd maps. It takes less from the heap, which is not cleared.
    ///
    /// - Parameter bytes: What the requests and responses need.
    static func memoryLimit(atLeast bytes: Int) -> Int {
        guard MicrohttpdVersion.running.layout == .zeroed else { return bytes }
        return max(bytes, 32 * 1_024 + 1, 2 * ConnectionMemory.page)
    }
}

/// Where libmicrohttpd has the bytes of each connection.
///
/// The memory of a connection is mapped, so it begins at the start of a page and has whole pages. The first request of a
/// connection without TLS begins there: the preview removes empty lines before it, and refuses a long method. Later requests
/// have the same memory. Over TLS the start is not known, and only the page in which something is may be read.
final class ConnectionMemory: Sendable {
    static let page = Int(getpagesize())
    /// The most bytes before the target of the first request: a method and a space.
    private static let beforeTarget = 2...(RequestPreview.longestMethod + 1)

    /// By descriptor.
    private let starts = Lock<[CInt: UInt]>([:])
    private let size: UInt

    /// - Parameter limit: The memory that libmicrohttpd was asked for.
    init(limit: Int) { size = UInt((limit + Self.page - 1) / Self.page * Self.page) }

    /// The memory of a connection from the end of a target on; of a connection with TLS, up to the end of a page.
    func rest(behind target: UnsafeRawBufferPointer, of descriptor: CInt, isTLS: Bool) -> UnsafeRawBufferPointer {
        guard let base = target.baseAddress else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        let (end, page) = (UInt(bitPattern: base) + UInt(target.count), UInt(Self.page))
        let start = isTLS ? nil : start(of: descriptor, before: UInt(bitPattern: base))
        let known = start.flatMap { (($0)..<($0 + size)).contains(end) ? $0 + size : nil }
        let limit = known ?? end / page * page + page
        return UnsafeRawBufferPointer(start: base + target.count, count: Int(limit - end))
    }

    private func start(of descriptor: CInt, before target: UInt) -> UInt? {
        starts.withLock { starts in
            if let start = starts[descriptor] { return start }
            let start = target / UInt(Self.page) * UInt(Self.page)
            guard Self.beforeTarget.contains(Int(target - start)) else { return nil }
            starts[descriptor] = start
            return start
        }
    }

    func closed(_ descriptor: CInt) {
        starts.withLock { $0[descriptor] = nil }
    }
}
