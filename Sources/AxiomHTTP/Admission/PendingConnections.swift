// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The accepted connections that are not admitted yet: those whose first request has not arrived, and those whose request
/// waits for admission.
///
/// A pure value without locks, system calls or a clock. It names the connections to close, and the accept loop closes
/// them. A pending connection costs a descriptor; the bytes of its request stay in the kernel.
struct PendingConnections: Sendable {
    struct Connection: Sendable {
        let descriptor: Int32
        let address: String
        /// When it was accepted, or when its request arrived.
        var since: Instant
        /// How often bytes arrived without completing the head.
        var pieces = 0
        /// How far its head was looked at.
        var scan = HeadScan()
        var isReserved = false
    }

    enum Progress: Equatable, Sendable {
        case inTime
        /// The head arrives in too many pieces.
        case tooSlow
    }

    /// In how many pieces a head may arrive. Each piece costs a copy of all that has arrived.
    static let maximumPieces = 256

    let limit: Int
    /// Connections whose request has not arrived, by descriptor.
    private var arriving: [Int32: Connection] = [:]
    /// Connections whose request has arrived, in the order of arrival.
    private(set) var ready: [Connection] = []
    /// As `ready`, for reserved routes. They are admitted first.
    private(set) var readyReserved: [Connection] = []
    /// The number of connections of each address.
    private var addresses: [String: Int] = [:]

    init(limit: Int) { self.limit = limit }

    var count: Int { arriving.count + ready.count + readyReserved.count }
    var isEmpty: Bool { count == 0 }
    var isFull: Bool { count >= limit }
    /// Whether a request waits for admission.
    var hasReady: Bool { !ready.isEmpty || !readyReserved.isEmpty }

    func isArriving(_ descriptor: Int32) -> Bool { arriving[descriptor] != nil }

    mutating func insert(_ descriptor: Int32, from address: String, now: Instant) {
        arriving[descriptor] = Connection(descriptor: descriptor, address: address, since: now)
        addresses[address, default: 0] += 1
    }

    mutating func remove(_ descriptor: Int32) {
        if let connection = arriving.removeValue(forKey: descriptor) { return release(connection.address) }
        for connection in ready + readyReserved where connection.descriptor == descriptor {
            release(connection.address)
        }
        ready.removeAll { $0.descriptor == descriptor }
        readyReserved.removeAll { $0.descriptor == descriptor }
    }

    /// Removes every connection and returns their descriptors.
    mutating func removeAll() -> [Int32] {
        let all = Array(arriving.keys) + (ready + readyReserved).map(\.descriptor)
        self = PendingConnections(limit: limit)
        return all
    }

    private mutating func release(_ address: String) {
        guard let count = addresses[address] else { return }
        addresses[address] = count > 1 ? count - 1 : nil
    }

    // MARK: - Arrival

    /// Passes the state of the scan of a connection whose head is arriving; nil if it is none.
    mutating func withScan<Result>(of descriptor: Int32, _ body: (inout HeadScan) -> Result) -> Result? {
        guard var scan = arriving[descriptor]?.scan else { return nil }
        defer { arriving[descriptor]?.scan = scan }
        return body(&scan)
    }

    /// Records that a part of the head arrived.
    mutating func received(_ descriptor: Int32) -> Progress {
        guard arriving[descriptor] != nil else { return .inTime }
        arriving[descriptor]?.pieces += 1
        return arriving[descriptor]?.pieces ?? 0 > Self.maximumPieces ? .tooSlow : .inTime
    }

    /// Records that the head has arrived.
    mutating func becomeReady(_ descriptor: Int32, isReserved: Bool, now: Instant) {
        guard var connection = arriving.removeValue(forKey: descriptor) else { return }
        (connection.since, connection.isReserved) = (now, isReserved)
        if isReserved { readyReserved.append(connection) } else { ready.append(connection) }
    }

    /// Removes and returns the connections that `admit` accepts, the reserved ones first. After one of an address is
    /// refused, no further one of that address is tried.
    mutating func admit(_ admit: (Connection) -> Bool) -> [Connection] {
        let admitted = Self.take(&readyReserved, admit) + Self.take(&ready, admit)
        for connection in admitted { release(connection.address) }
        return admitted
    }

    private static func take(_ connections: inout [Connection], _ admit: (Connection) -> Bool) -> [Connection] {
        var (admitted, full): ([Connection], Set<String>) = ([], [])
        connections.removeAll { connection in
            guard !full.contains(connection.address) else { return false }
            guard admit(connection) else {
                full.insert(connection.address)
                return false
            }
            admitted.append(connection)
            return true
        }
        return admitted
    }

    // MARK: - Connections to close

    /// The addresses that have the most. Connections of others are not closed for theirs.
    private var largest: Set<String> {
        let most = addresses.values.max()
        return Set(addresses.filter { $0.value == most }.keys)
    }

    /// The first one to close if there are too many: the oldest one without a request, of the address that has the most.
    /// Nil if every request of that address has arrived.
    var oldestArriving: Int32? {
        let candidates = largest
        return arriving.values.filter { candidates.contains($0.address) }.min { $0.since < $1.since }?.descriptor
    }

    /// The one to close if there are too many and there is no ``oldestArriving``: the youngest one of the address that has
    /// the most, reserved ones last. Over TLS a client needs no more than a recorded ClientHello for each of them.
    var youngestReady: Int32? {
        let candidates = largest
        let youngest = ready.last { candidates.contains($0.address) }
        return (youngest ?? readyReserved.last { candidates.contains($0.address) })?.descriptor
    }

    /// Removes and returns the connections whose head has not arrived in time.
    mutating func removeLate(after limit: Duration, now: Instant) -> [Connection] {
        let late = arriving.values.filter { now.duration(since: $0.since) >= limit }
        for connection in late { remove(connection.descriptor) }
        return late
    }

    /// Removes and returns the connections that have waited too long for admission.
    mutating func removeStarved(after limit: Duration, now: Instant) -> [Connection] {
        let starved = (ready + readyReserved).filter { now.duration(since: $0.since) >= limit }
        for connection in starved { remove(connection.descriptor) }
        return starved
    }
}
