// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The admitted connections and their activities. Decides which connection is dropped at a limit.
///
/// A pure value without locks, system calls or a clock. ``OpenConnections`` stores it and performs its decisions.
struct ConnectionTable: Sendable {
    /// What a connection does. Connections with a smaller value are dropped first.
    enum Activity: Int, Comparable, Sendable {
        /// The head of its request is arriving.
        case receiving
        /// The body of its request is arriving.
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
        var connections: Int
        var connectionsPerAddress: Int
        var streams: Int
        var streamsPerAddress = Int.max
        /// The most bytes of bodies that are being sent; a body that several connections share counts once.
        var bodyBytes: Int
        /// How long the head of a request may take to be read before its connection may be dropped for another one. The
        /// head has arrived when the connection is admitted, so this is the delay of a busy thread. Over TLS the handshake
        /// comes first, with a round trip to the client.
        var receivingGrace = Duration.milliseconds(100)

        /// The part of a limit that only connections for reserved routes may use: a sixteenth.
        static func reserve(of limit: Int) -> Int { limit / 16 }
    }

    /// A connection to be dropped.
    struct Victim: Equatable, Sendable {
        let descriptor: Int32
        /// Whether a response is being sent, which is then incomplete.
        let isSending: Bool
    }

    enum Decision: Equatable, Sendable {
        /// The connection is in the table; `victim` was removed for it.
        case admitted(victim: Victim?)
        /// No connection may be dropped.
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
        /// Whether it was admitted to the reserve.
        var usesReserve: Bool
        /// How many responses have been sent.
        var answered = 0
        /// Whether libmicrohttpd serves the socket. Before that it is not dropped.
        var isStarted = false
        var body: Body?
    }

    private struct Body: Sendable {
        let id: ObjectIdentifier
        let bytes: Int
    }

    /// How long a response may take to be sent before its connection may be dropped for another one.
    static let sendingGrace = Duration.milliseconds(500)
    /// How long a response may take to be sent before its connection may be dropped for the bytes of another response.
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

    init(limits: Limits) { self.limits = limits }

    var count: Int { entries.count }

    func activity(of descriptor: Int32) -> Activity? { entries[descriptor]?.activity }

    // MARK: - Admission

    /// Adds a connection whose request has arrived. At a limit it removes another one.
    ///
    /// If the address is at its limit, the victim is a connection of the address. If the server is at its limit, it is one
    /// of the address with the most connections.
    mutating func admit(_ descriptor: Int32, from address: String, isReserved: Bool, now: Instant) -> Decision {
        // The descriptor of a socket that libmicrohttpd refused and closed may be reused.
        remove(descriptor)
        let own = addresses[address] ?? 0
        let victim: Int32?
        if own >= capacity(of: limits.connectionsPerAddress, isReserved) {
            guard let found = self.victim(of: address, now) else { return .full }
            victim = found
        } else if count >= capacity(of: limits.connections, isReserved) {
            let largest = addresses.max { $0.value < $1.value }?.key ?? address
            guard let found = self.victim(of: largest, now) ?? self.victim(of: nil, now) else { return .full }
            victim = found
        } else {
            victim = nil
        }
        let dropped = victim.map { Victim(descriptor: $0, isSending: isSending($0)) }
        if let victim { remove(victim) }
        entries[descriptor] = Entry(
            address: address,
            since: now,
            isReserved: isReserved,
            usesReserve: isReserved
                && (addresses[address] ?? 0 >= capacity(of: limits.connectionsPerAddress, false)
                    || count >= capacity(of: limits.connections, false))
        )
        addresses[address, default: 0] += 1
        return .admitted(victim: dropped)
    }

    /// A request for a route without a reserve has arrived. A connection that was admitted to the reserve has to take one
    /// of the other connections' places: as in ``admit(_:from:isReserved:now:)``, first one of the address with the most
    /// connections. Otherwise the decision is `full`, and the request is to be refused.
    mutating func claim(_ descriptor: Int32, now: Instant) -> Decision {
        guard let entry = entries[descriptor], entry.usesReserve else { return .admitted(victim: nil) }
        let isAddressFull = addresses[entry.address] ?? 0 > capacity(of: limits.connectionsPerAddress, false)
        var dropped: Victim?
        if isAddressFull || count > capacity(of: limits.connections, false) {
            let largest = addresses.max { $0.value < $1.value }?.key ?? entry.address
            var found = victim(of: isAddressFull ? entry.address : largest, now, outsideReserve: true)
            if found == nil, !isAddressFull { found = victim(of: nil, now, outsideReserve: true) }
            guard let other = found else { return .full }
            dropped = Victim(descriptor: other, isSending: isSending(other))
            remove(other)
        }
        entries[descriptor]?.usesReserve = false
        return .admitted(victim: dropped)
    }

    private func capacity(of limit: Int, _ isReserved: Bool) -> Int {
        isReserved ? limit : limit - Limits.reserve(of: limit)
    }

    /// The connection to drop: the one with the first activity, among these the one with the fewest responses, and among
    /// these the oldest.
    private func victim(of address: String?, _ now: Instant, outsideReserve: Bool = false) -> Int32? {
        let candidates = entries.filter { _, entry in
            guard entry.isStarted, entry.activity != .working, address == nil || entry.address == address,
                !(outsideReserve && entry.usesReserve)
            else { return false }
            return switch entry.activity {
            case .receiving: now.duration(since: entry.since) >= limits.receivingGrace
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

    /// libmicrohttpd serves the socket from now on.
    mutating func start(_ descriptor: Int32, now: Instant) {
        entries[descriptor]?.isStarted = true
        entries[descriptor]?.since = now
    }

    /// The request line, the head or the whole of a request has arrived.
    mutating func set(_ descriptor: Int32, _ activity: Activity, isReserved: Bool = false, now: Instant) {
        guard let previous = entries[descriptor]?.activity else { return }
        endSending(descriptor)
        entries[descriptor]?.activity = activity
        // The request line does not extend the time of its head, nor over TLS that of the handshake before it.
        if activity != .receiving || previous != .receiving { entries[descriptor]?.since = now }
        if activity == .working { entries[descriptor]?.isReserved = isReserved }
    }

    /// The response has been sent. The connection waits for its next request.
    mutating func becomeIdle(_ descriptor: Int32, now: Instant) {
        entries[descriptor]?.answered += 1
        set(descriptor, entries[descriptor]?.isReserved == true ? .idleReserved : .idle, now: now)
    }

    /// Begins to send a stream; returns false at the limit.
    mutating func beginStream(_ descriptor: Int32, now: Instant) -> Bool {
        guard entries[descriptor] != nil else { return true }
        endSending(descriptor)
        guard streams < limits.streams, streams(of: entries[descriptor]?.address) < limits.streamsPerAddress
        else { return false }
        streams += 1
        entries[descriptor]?.activity = .streaming
        entries[descriptor]?.since = now
        return true
    }

    private func streams(of address: String?) -> Int {
        entries.values.count { $0.activity == .streaming && $0.address == address }
    }

    /// Begins to send a body. While the bytes of all bodies exceed the limit, it removes the oldest sending connection of
    /// the address with the most bytes. A single body may exceed the limit.
    mutating func beginBody(_ descriptor: Int32, _ body: ObjectIdentifier, bytes: Int, now: Instant) -> BodyDecision {
        // A dropped connection sends nothing.
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

    /// The oldest connection that sends a body, of the address whose connections send the most bytes.
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

    mutating func remove(_ descriptor: Int32) {
        endSending(descriptor)
        guard let entry = entries.removeValue(forKey: descriptor), let count = addresses[entry.address] else { return }
        addresses[entry.address] = count > 1 ? count - 1 : nil
    }

    /// How long the body of a request may arrive, in idle timeouts: a client that sends a byte before each of them ends too.
    static let uploadTimeouts = 10

    /// Removes and returns the connections whose request has been arriving, or that have been idle, for too long.
    mutating func expired(receiving: Duration, idle: Duration, now: Instant) -> [Victim] {
        let late = entries.filter { _, entry in
            guard entry.isStarted else { return false }
            return switch entry.activity {
            case .receiving: now.duration(since: entry.since) >= receiving
            case .idle, .idleReserved: now.duration(since: entry.since) >= idle
            case .uploading: now.duration(since: entry.since) >= idle * Self.uploadTimeouts
            case .working, .sending, .streaming: false
            }
        }
        for descriptor in late.keys { remove(descriptor) }
        return late.keys.map { Victim(descriptor: $0, isSending: false) }
    }
}
