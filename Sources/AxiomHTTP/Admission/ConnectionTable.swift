// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Which connections are being served, what each one does, and which one is dropped when there is no room.
///
/// A pure value: no lock, no system call, no clock. ``OpenConnections`` stores it and carries out what it decides.
struct ConnectionTable: Sendable {
    /// What a connection does, in the order in which connections are dropped.
    enum Activity: Int, Comparable, Sendable {
        /// The head of its request arrives.
        case receiving
        /// The body of its request arrives.
        case uploading
        /// It waits for its next request.
        case idle
        /// Its response is being sent.
        case sending
        /// Its response is a stream.
        case streaming
        /// It waits for its next request; the last one was for a reserved route.
        case idleReserved
        /// Its handler runs. Never dropped.
        case working

        static func < (left: Activity, right: Activity) -> Bool { left.rawValue < right.rawValue }
    }

    struct Limits: Sendable {
        /// The most connections.
        var connections: Int
        /// The most connections from one address.
        var connectionsPerAddress: Int
        /// The most streams.
        var streams: Int
        /// The most bytes of bodies that are being sent; a body that several connections share counts once.
        var bodyBytes: Int

        /// Room that only connections for a reserved route get: a sixteenth of a limit.
        static func reserve(of limit: Int) -> Int { limit / 16 }
    }

    /// A connection to be dropped.
    struct Victim: Equatable, Sendable {
        let descriptor: Int32
        /// Whether a response is under way, which is broken off.
        let isSending: Bool
    }

    enum Decision: Equatable, Sendable {
        /// The connection is in the table; `victim` has left it to make room.
        case admitted(victim: Victim?)
        /// Every connection that could be dropped is at work.
        case full
    }

    struct BodyDecision: Equatable, Sendable {
        /// Whether the body may be sent.
        let isAllowed: Bool
        let victims: [Victim]
    }

    private struct Entry: Sendable {
        let address: String
        var activity = Activity.receiving
        var since: Instant
        var isReserved: Bool
        /// How many requests have been answered.
        var answered = 0
        /// libmicrohttpd has taken the socket over. Before that it is not dropped.
        var isStarted = false
        var body: Body?
    }

    private struct Body: Sendable {
        let id: ObjectIdentifier
        let bytes: Int
    }

    /// How long the head of a request arrives before its connection may be dropped for another connection. It is there
    /// when the connection is entered; this is the time in which a busy thread reads it.
    static let receivingGrace = Duration.milliseconds(100)
    /// How long a response is being sent before its connection may be dropped for another connection.
    static let sendingGrace = Duration.milliseconds(500)
    /// How long a response is being sent before its connection may be dropped for the bytes of another response.
    static let bodyGrace = Duration.milliseconds(50)

    let limits: Limits
    private var entries: [Int32: Entry] = [:]
    /// The number of entries of each address.
    private var addresses: [String: Int] = [:]
    /// The number of connections that send each body.
    private var bodies: [ObjectIdentifier: (users: Int, bytes: Int)] = [:]
    /// The bytes of `bodies`, each counted once.
    private(set) var bodyBytes = 0
    private(set) var streams = 0

    init(limits: Limits) {
        self.limits = limits
    }

    var count: Int { entries.count }

    func activity(of descriptor: Int32) -> Activity? { entries[descriptor]?.activity }

    // MARK: - Admission

    /// Enters a connection whose request has arrived, and takes another out if that makes the room.
    ///
    /// The victim is a connection of the same address if that address is at its limit. If the whole is at its limit,
    /// it is one of the address that has the most connections.
    mutating func admit(_ descriptor: Int32, from address: String, isReserved: Bool, now: Instant) -> Decision {
        // The number of a socket that libmicrohttpd refused and closed may come again.
        remove(descriptor)
        let own = addresses[address] ?? 0
        let victim: Int32?
        if own >= room(in: limits.connectionsPerAddress, isReserved) {
            guard let found = self.victim(of: address, now) else { return .full }
            victim = found
        } else if count >= room(in: limits.connections, isReserved) {
            let largest = addresses.max { $0.value < $1.value }?.key ?? address
            guard let found = self.victim(of: largest, now) ?? self.victim(of: nil, now) else { return .full }
            victim = found
        } else {
            victim = nil
        }
        let dropped = victim.map { Victim(descriptor: $0, isSending: isSending($0)) }
        if let victim { remove(victim) }
        entries[descriptor] = Entry(address: address, since: now, isReserved: isReserved)
        addresses[address, default: 0] += 1
        return .admitted(victim: dropped)
    }

    private func room(in limit: Int, _ isReserved: Bool) -> Int {
        isReserved ? limit : limit - Limits.reserve(of: limit)
    }

    /// The connection to drop: the one whose activity comes first; among these one that has been of the least use, which
    /// is one with the fewest answered requests; and among these the oldest.
    private func victim(of address: String?, _ now: Instant) -> Int32? {
        let candidates = entries.filter { _, entry in
            guard entry.isStarted, entry.activity != .working, address == nil || entry.address == address
            else { return false }
            return switch entry.activity {
            case .receiving: now.duration(since: entry.since) >= Self.receivingGrace
            case .sending: now.duration(since: entry.since) >= Self.sendingGrace
            case .uploading, .idle, .streaming, .idleReserved, .working: true
            }
        }
        return candidates.min { left, right in
            (left.value.activity, left.value.answered, left.value.since)
                < (right.value.activity, right.value.answered, right.value.since)
        }?.key
    }

    private func isSending(_ descriptor: Int32) -> Bool {
        switch entries[descriptor]?.activity {
        case .sending, .streaming: true
        default: false
        }
    }

    // MARK: - Changes

    /// libmicrohttpd has taken the socket over.
    mutating func start(_ descriptor: Int32, now: Instant) {
        entries[descriptor]?.isStarted = true
        entries[descriptor]?.since = now
    }

    /// A request has begun, or has arrived whole.
    mutating func set(_ descriptor: Int32, _ activity: Activity, isReserved: Bool = false, now: Instant) {
        guard entries[descriptor] != nil else { return }
        endSending(descriptor)
        entries[descriptor]?.activity = activity
        entries[descriptor]?.since = now
        if activity == .working { entries[descriptor]?.isReserved = isReserved }
    }

    /// The response has been sent, and the connection waits for the next request.
    mutating func becomeIdle(_ descriptor: Int32, now: Instant) {
        entries[descriptor]?.answered += 1
        set(descriptor, entries[descriptor]?.isReserved == true ? .idleReserved : .idle, now: now)
    }

    /// Begins to send a stream; false if there are as many as the limit allows.
    mutating func beginStream(_ descriptor: Int32, now: Instant) -> Bool {
        guard entries[descriptor] != nil else { return true }
        endSending(descriptor)
        guard streams < limits.streams else { return false }
        streams += 1
        entries[descriptor]?.activity = .streaming
        entries[descriptor]?.since = now
        return true
    }

    /// Begins to send a body. If the bytes of all bodies exceed the limit, connections that send are taken out, the
    /// oldest first, at the address that has the most bytes. One body is always sent, however large it is.
    mutating func beginBody(_ descriptor: Int32, _ body: ObjectIdentifier, bytes: Int, now: Instant) -> BodyDecision {
        // A connection that has been dropped sends nothing.
        guard entries[descriptor] != nil else { return BodyDecision(isAllowed: true, victims: []) }
        endSending(descriptor)
        var victims: [Victim] = []
        while bodies[body] == nil, bodyBytes > 0, bodyBytes + bytes > limits.bodyBytes {
            guard let victim = largestSender(now) else { return BodyDecision(isAllowed: false, victims: victims) }
            victims.append(Victim(descriptor: victim, isSending: true))
            remove(victim)
        }
        let users = bodies[body]?.users ?? 0
        bodies[body] = (users + 1, bytes)
        if users == 0 { bodyBytes += bytes }
        entries[descriptor]?.activity = .sending
        entries[descriptor]?.since = now
        entries[descriptor]?.body = Body(id: body, bytes: bytes)
        return BodyDecision(isAllowed: true, victims: victims)
    }

    /// The oldest connection that sends a body, at the address whose connections send the most bytes.
    private func largestSender(_ now: Instant) -> Int32? {
        var bytes: [String: Int] = [:]
        for entry in entries.values { bytes[entry.address, default: 0] += entry.body?.bytes ?? 0 }
        let senders = entries.filter { _, entry in
            entry.body != nil && now.duration(since: entry.since) >= Self.bodyGrace
        }
        let oldest = senders.min { left, right in
            let (leftBytes, rightBytes) = (bytes[left.value.address] ?? 0, bytes[right.value.address] ?? 0)
            return leftBytes == rightBytes ? left.value.since < right.value.since : leftBytes > rightBytes
        }
        return oldest?.key
    }

    private mutating func endSending(_ descriptor: Int32) {
        guard let entry = entries[descriptor] else { return }
        if entry.activity == .streaming {
            streams -= 1
            entries[descriptor]?.activity = .working
        }
        guard let body = entry.body, let shared = bodies[body.id] else { return }
        entries[descriptor]?.body = nil
        bodies[body.id] = shared.users > 1 ? (shared.users - 1, shared.bytes) : nil
        if shared.users == 1 { bodyBytes -= shared.bytes }
    }

    /// Takes a connection out.
    mutating func remove(_ descriptor: Int32) {
        endSending(descriptor)
        guard let entry = entries.removeValue(forKey: descriptor), let count = addresses[entry.address] else { return }
        addresses[entry.address] = count > 1 ? count - 1 : nil
    }

    /// Takes out the connections whose request has been arriving, or that have been idle, for too long.
    mutating func expired(receiving: Duration, idle: Duration, now: Instant) -> [Victim] {
        let late = entries.filter { _, entry in
            guard entry.isStarted else { return false }
            return switch entry.activity {
            case .receiving: now.duration(since: entry.since) >= receiving
            case .idle, .idleReserved: now.duration(since: entry.since) >= idle
            case .uploading, .working, .sending, .streaming: false
            }
        }
        for descriptor in late.keys { remove(descriptor) }
        return late.keys.map { Victim(descriptor: $0, isSending: false) }
    }
}
