// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The connections that were accepted and are not served yet: those whose request has not arrived, and those whose
/// request waits for a place.
///
/// A pure value: no lock, no system call, no clock. It names the connections to close; the gate closes them. Such a
/// connection costs a descriptor and no memory of a request, whose bytes stay with the kernel.
struct WaitingRoom: Sendable {
    struct Guest: Sendable {
        let descriptor: Int32
        let address: String
        /// When it was accepted; once its request has arrived, when that was.
        var since: Instant
        /// How often bytes arrived without completing the head.
        var pieces = 0
        var isReserved = false
    }

    enum Verdict: Equatable, Sendable {
        case stays
        /// The head arrives in too many pieces.
        case tooSlow
    }

    /// In how many pieces a head may arrive. Each costs a look at all that has arrived.
    static let maximumPieces = 256

    let limit: Int
    /// By descriptor, those whose request has not arrived.
    private var arriving: [Int32: Guest] = [:]
    /// Those whose request has arrived, in the order of arrival; the reserved ones apart, and first.
    private(set) var ready: [Guest] = []
    private(set) var readyReserved: [Guest] = []
    private var addresses: [String: Int] = [:]

    init(limit: Int) {
        self.limit = limit
    }

    var count: Int { arriving.count + ready.count + readyReserved.count }
    var isEmpty: Bool { count == 0 }
    var isAwaitingPlace: Bool { !ready.isEmpty || !readyReserved.isEmpty }

    func isArriving(_ descriptor: Int32) -> Bool { arriving[descriptor] != nil }

    var isFull: Bool { count >= limit }

    /// Enters a connection.
    mutating func enter(_ descriptor: Int32, from address: String, now: Instant) {
        arriving[descriptor] = Guest(descriptor: descriptor, address: address, since: now)
        addresses[address, default: 0] += 1
    }

    /// The connection to close if there are too many: the oldest without a request, at the address that has the most; nil
    /// if every request has arrived.
    var oldestArriving: Int32? {
        oldest(of: addresses.max { $0.value < $1.value }?.key) ?? oldest(of: nil)
    }

    /// The connection to close if there are too many and every request has arrived: the youngest that is not reserved.
    var youngestReady: Int32? { (ready.last ?? readyReserved.last)?.descriptor }

    private func oldest(of address: String?) -> Int32? {
        arriving.values.filter { address == nil || $0.address == address }.min { $0.since < $1.since }?.descriptor
    }

    /// More of the head arrived, and not all.
    mutating func received(_ descriptor: Int32) -> Verdict {
        guard arriving[descriptor] != nil else { return .stays }
        arriving[descriptor]?.pieces += 1
        return arriving[descriptor]?.pieces ?? 0 > Self.maximumPieces ? .tooSlow : .stays
    }

    /// The head has arrived.
    mutating func becomeReady(_ descriptor: Int32, isReserved: Bool, now: Instant) {
        guard var guest = arriving.removeValue(forKey: descriptor) else { return }
        (guest.since, guest.isReserved) = (now, isReserved)
        if isReserved { readyReserved.append(guest) } else { ready.append(guest) }
    }

    /// Takes out the connections for which `admit` finds a place, the reserved ones first. An address without a place is
    /// not tried again for the requests that follow.
    mutating func admit(_ admit: (Guest) -> Bool) -> [Guest] {
        let admitted = Self.take(&readyReserved, admit) + Self.take(&ready, admit)
        for guest in admitted { leave(guest.address) }
        return admitted
    }

    private static func take(_ guests: inout [Guest], _ admit: (Guest) -> Bool) -> [Guest] {
        var (admitted, full): ([Guest], Set<String>) = ([], [])
        guests.removeAll { guest in
            guard !full.contains(guest.address) else { return false }
            guard admit(guest) else {
                full.insert(guest.address)
                return false
            }
            admitted.append(guest)
            return true
        }
        return admitted
    }

    /// Takes a connection out.
    mutating func remove(_ descriptor: Int32) {
        if let guest = arriving.removeValue(forKey: descriptor) { return leave(guest.address) }
        for guest in ready + readyReserved where guest.descriptor == descriptor { leave(guest.address) }
        ready.removeAll { $0.descriptor == descriptor }
        readyReserved.removeAll { $0.descriptor == descriptor }
    }

    /// Takes out those whose head has not arrived in time.
    mutating func late(after limit: Duration, now: Instant) -> [Guest] {
        let late = arriving.values.filter { now.duration(since: $0.since) >= limit }
        for guest in late { remove(guest.descriptor) }
        return late
    }

    /// Takes out those that have waited too long for a place.
    mutating func starved(after limit: Duration, now: Instant) -> [Guest] {
        let starved = (ready + readyReserved).filter { now.duration(since: $0.since) >= limit }
        for guest in starved { remove(guest.descriptor) }
        return starved
    }

    /// Takes everything out.
    mutating func removeAll() -> [Int32] {
        let all = Array(arriving.keys) + (ready + readyReserved).map(\.descriptor)
        self = WaitingRoom(limit: limit)
        return all
    }

    private mutating func leave(_ address: String) {
        guard let count = addresses[address] else { return }
        addresses[address] = count > 1 ? count - 1 : nil
    }
}
