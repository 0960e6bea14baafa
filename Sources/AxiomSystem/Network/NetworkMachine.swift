// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// Keeps the table of links and addresses and decides whether the network is up. It does no input and output.
struct NetworkMachine: Sendable {
    /// What to send to the kernel.
    struct Request: Hashable, Sendable {
        /// ``Netlink/linkRequest`` or ``Netlink/addressRequest``.
        var type: UInt16
        var sequence: UInt32
    }

    private enum Phase {
        /// The answer to a request is being received. Messages that arrive between are part of the new table.
        case requested(Request, isInterrupted: Bool)
        case complete
    }

    /// The requests that may fail one after the other.
    private static let allowedRestarts = 100

    private let ignored: Set<String>
    private var phase = Phase.complete
    private var sequence: UInt32 = 0
    private var restarts = 0
    private var links: [Int32: NetlinkMessage.Link] = [:]
    private var addresses: [NetlinkMessage.Address: Bool] = [:]
    /// What was reported last.
    private var reported: Bool?

    /// Creates a machine that does not count the interfaces with the names `ignored`.
    init(ignoring ignored: Set<String> = []) {
        self.ignored = ignored
    }

    /// Whether the table is complete, so that only notifications are awaited.
    var isComplete: Bool {
        if case .complete = phase { true } else { false }
    }

    /// Reads the kernel's tables again, at the start and when messages were lost.
    ///
    /// - Returns: The request; nil if the answer to an earlier one must be received first. The kernel gives a socket one
    ///   answer at a time.
    /// - Throws: `CapabilityError` if this happened often without success.
    mutating func restart() throws -> Request? {
        if case .requested(let request, _) = phase {
            phase = .requested(request, isInterrupted: true)
            return nil
        }
        return try begin()
    }

    /// Takes a datagram.
    ///
    /// - Returns: The next request; nil if none is needed.
    /// - Throws: `CapabilityError` if the kernel refuses a request.
    mutating func take(_ datagram: ArraySlice<UInt8>) throws -> Request? {
        for envelope in NetlinkEnvelope.envelopes(in: datagram) {
            if case .requested(let request, _) = phase, envelope.isInterrupted, envelope.sequence == request.sequence {
                phase = .requested(request, isInterrupted: true)
            }
            switch envelope.message {
            case .overrun:
                if let next = try restart() { return next }
            case .done:
                guard let next = try finish(envelope.sequence) else { continue }
                return next
            case .failed(let code):
                throw CapabilityError.sourceStopped(because: "\(SystemCallError(subject: "netlink", code: code))")
            case .some(let message): apply(message)
            case nil: continue
            }
        }
        return nil
    }

    /// The event to report; nil if nothing changed or the table is not complete.
    mutating func event() -> CapabilityEvent? {
        guard case .complete = phase else { return nil }
        let (isUp, reason) = verdict
        guard isUp != reported else { return nil }
        reported = isUp
        return .service(.network, isUp: isUp, reason: reason)
    }

    private mutating func begin() throws -> Request {
        restarts += 1
        guard restarts <= Self.allowedRestarts else {
            throw CapabilityError.sourceStopped(because: "the kernel's tables changed during \(restarts) requests")
        }
        links = [:]
        addresses = [:]
        return request(Netlink.linkRequest)
    }

    private mutating func request(_ type: UInt16) -> Request {
        // 0 marks notifications.
        sequence = sequence == .max ? 1 : sequence + 1
        let request = Request(type: type, sequence: sequence)
        phase = .requested(request, isInterrupted: false)
        return request
    }

    /// The end of an answer. An answer to an older request is of no interest.
    private mutating func finish(_ sequence: UInt32) throws -> Request? {
        guard case .requested(let request, let isInterrupted) = phase, request.sequence == sequence else { return nil }
        if isInterrupted { return try begin() }
        if request.type == Netlink.linkRequest { return self.request(Netlink.addressRequest) }
        phase = .complete
        restarts = 0
        return nil
    }

    private mutating func apply(_ message: NetlinkMessage) {
        switch message {
        case .newLink(var link):
            link.name = link.name ?? links[link.index]?.name
            links[link.index] = link
        case .removedLink(let index):
            links[index] = nil
            addresses = addresses.filter { Int32(bitPattern: $0.key.index) != index }
        case .newAddress(let address, let isUsable): addresses[address] = isUsable
        case .removedAddress(let address): addresses[address] = nil
        case .done, .failed, .overrun: break
        }
    }

    /// Whether an interface that counts has a carrier and a usable address, and why.
    private var verdict: (isUp: Bool, reason: String) {
        let addressed = Set(addresses.lazy.filter(\.value).map { Int32(bitPattern: $0.key.index) })
        let counted = links.values.filter { $0.flags & Netlink.loopback == 0 && !ignored.contains($0.name ?? "") }
            .sorted { $0.index < $1.index }
        if let link = counted.first(where: { Self.lack($0, addressed) == nil }) {
            return (true, "\(Self.name(link)) has a carrier and an address")
        }
        guard !counted.isEmpty else { return (false, "there is no network interface") }
        let reasons = counted.prefix(3).map { "\(Self.name($0)) \(Self.lack($0, addressed) ?? "")" }
        return (false, reasons.joined(separator: ", "))
    }

    /// Why an interface does not connect; nil if it does.
    private static func lack(_ link: NetlinkMessage.Link, _ addressed: Set<Int32>) -> String? {
        if link.flags & Netlink.up == 0 { return "is turned off" }
        if link.flags & Netlink.running == 0 { return "has no carrier" }
        return addressed.contains(link.index) ? nil : "has no address"
    }

    private static func name(_ link: NetlinkMessage.Link) -> String {
        (link.name ?? "interface \(link.index)").printable
    }
}
