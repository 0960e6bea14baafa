// SPDX-License-Identifier: Apache-2.0

internal import CMicrohttpd

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

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
        /// The head is complete, or this is another version of libmicrohttpd.
        case wellFormed
        case malformed
        /// The head is too long or arrives in too many pieces: the connection must end with its response.
        case unseen
    }

    private(set) var finding: Finding
    private var scan = HeadScan(afterRequestLine: true)
    /// How many bytes behind the request line are in the buffer of libmicrohttpd.
    private let buffered: Int
    /// How often the socket was looked at.
    private var pieces = 0

    /// Looks at the buffer, in the callback of the request line.
    ///
    /// - Parameter target: The target of the request line in libmicrohttpd's memory.
    init(behind target: UnsafeRawBufferPointer, limit: Int) {
        if MicrohttpdVersion.running.layout == .zeroed {
            self.init(MappedMemory.bytes(from: target.baseAddress.map { $0 + target.count }, limit: limit))
        } else {
            self.init(finding: .wellFormed)
        }
    }

    private init(finding: Finding) {
        (self.finding, buffered) = (finding, 0)
    }

    /// - Parameter bytes: The bytes from the end of the target on, which is a zero.
    init(_ bytes: some Collection<UInt8>) {
        // The version, and one zero for LF or two for CRLF.
        let ending = bytes.dropFirst().drop { $0 != 0 }
        let section = ending.dropFirst(ending.prefix(2).prefix { $0 == 0 }.count)
        let arrived = section.prefix { $0 != 0 }
        buffered = arrived.count
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

    /// The connection cannot wait for the rest.
    mutating func giveUp() {
        if finding == .partial { finding = .unseen }
    }

    /// The least memory of a connection that libmicrohttpd maps. It takes less from the heap, which is not cleared.
    ///
    /// - Parameter bytes: What the requests and responses need.
    static func memoryLimit(atLeast bytes: Int) -> Int {
        guard MicrohttpdVersion.running.layout == .zeroed else { return bytes }
        return max(bytes, 32 * 1_024 + 1, 2 * MappedMemory.page)
    }
}

/// Memory whose end is not known, but not within a page.
private enum MappedMemory {
    static let page = Int(getpagesize())

    /// The bytes from an address to the end of the first page that ends in a zero, or of the last one that is mapped.
    ///
    /// - Parameter limit: About how many bytes are enough.
    static func bytes(from start: UnsafeRawPointer?, limit: Int) -> [UInt8] {
        guard var start else { return [] }
        var bytes: [UInt8] = []
        repeat {
            let count = page - Int(bitPattern: start) % page
            bytes += UnsafeRawBufferPointer(start: start, count: count)
            start += count
        } while bytes.last != 0 && bytes.count < limit && isMapped(start)
        return bytes
    }

    /// - Parameter start: The begin of a page.
    private static func isMapped(_ start: UnsafeRawPointer) -> Bool {
        var residence: UInt8 = 0
        return mincore(UnsafeMutableRawPointer(mutating: start), page, &residence) == 0
    }
}
