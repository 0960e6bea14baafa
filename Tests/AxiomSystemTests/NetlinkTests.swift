// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomTestSupport
import Testing

@testable import AxiomSystem

/// Makes messages of rtnetlink.
enum Datagram {
    static let upAndRunning = Netlink.up | Netlink.running

    static func link(
        _ index: Int32,
        _ name: String?,
        _ flags: UInt32,
        family: UInt8 = 0,
        removed: Bool = false,
        sequence: UInt32 = 0,
        interrupted: Bool = false
    ) -> [UInt8] {
        let body = [family, 0, 0, 0] + bytes(index) + bytes(flags) + bytes(UInt32(0))
        let attributes = name.map { attribute(Netlink.nameAttribute, Array($0.utf8) + [0]) } ?? []
        let type = removed ? Netlink.removedLink : Netlink.newLink
        return message(type, body + attributes, sequence, interrupted ? 0x12 : 0x2)
    }

    static func address(
        _ index: UInt32,
        _ address: [UInt8] = [10, 0, 0, 1],
        scope: UInt8 = 0,
        flags: UInt32? = nil,
        removed: Bool = false,
        sequence: UInt32 = 0
    ) -> [UInt8] {
        let body = [address.count == 4 ? 2 : 10, 24, 0x80, scope] + bytes(index)
        let attributes = attribute(1, address) + (flags.map { attribute(8, bytes($0)) } ?? [])
        return message(removed ? Netlink.removedAddress : Netlink.newAddress, body + attributes, sequence)
    }

    static func done(_ sequence: UInt32) -> [UInt8] {
        message(Netlink.done, bytes(UInt32(0)), sequence, 0x2)
    }

    static func message(_ type: UInt16, _ body: [UInt8], _ sequence: UInt32 = 0, _ flags: UInt16 = 0) -> [UInt8] {
        bytes(UInt32(16 + body.count)) + bytes(type) + bytes(flags) + bytes(sequence) + bytes(UInt32(0)) + body
    }

    private static func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
        let padding = [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
        return bytes(UInt16(4 + value.count)) + bytes(type) + value + padding
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number) { Array($0) }
    }
}

@Suite("Messages of netlink")
struct NetlinkTests {
    @Test("Links and addresses are read with their names, flags and scopes")
    func messages() {
        let datagram =
            Datagram.link(2, "eth0", Datagram.upAndRunning) + Datagram.address(2)
            + Datagram.address(2, [UInt8](repeating: 0xfe, count: 16), scope: 253)
            + Datagram.address(2, [10, 0, 0, 2], flags: 0x40) + Datagram.link(2, nil, 0, removed: true)
            + Datagram.link(3, "port", 0, family: 7, removed: true) + Datagram.done(7)
        let messages = NetlinkEnvelope.envelopes(in: datagram[...]).map(\.message)
        try? #require(messages.count == 7)
        #expect(messages[0] == .newLink(.init(index: 2, flags: Datagram.upAndRunning, name: "eth0")))
        let address = NetlinkMessage.Address(index: 2, family: 2, prefixLength: 24, bytes: [10, 0, 0, 1])
        #expect(messages[1] == .newAddress(address, isUsable: true))
        guard case .newAddress(_, isUsable: false) = messages[2], case .newAddress(_, isUsable: false) = messages[3]
        else {
            Issue.record("An address of the link, or one that is checked for duplicates, is not usable: \(messages)")
            return
        }
        #expect(messages[4] == .removedLink(index: 2))
        #expect(messages[5] == nil)
        #expect(messages[6] == .done)
    }

    @Test("Every datagram that is cut off gives the messages before the cut")
    func truncated() {
        let whole = Datagram.link(2, "eth0", 1) + Datagram.address(2) + Datagram.done(1)
        let ends = NetlinkEnvelope.envelopes(in: whole[...]).count
        #expect(ends == 3)
        for length in whole.indices {
            #expect(NetlinkEnvelope.envelopes(in: whole[..<length]).count < 3)
        }
    }

    @Test("No bytes make the parser or the machine trap")
    func noise() throws {
        var random = SplitMix64(seed: TestSeed.drawn())
        var machine = NetworkMachine()
        _ = try machine.restart()
        for _ in 0..<20_000 {
            var datagram = Datagram.link(2, "eth0", 0x41) + Datagram.address(2) + Datagram.address(3, [0, 0, 0, 0])
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                datagram[Int.random(in: datagram.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = try? machine.take(datagram[...])
            _ = machine.event()
        }
    }
}

@Suite("Whether the network is up")
struct NetworkMachineTests {
    /// A machine that has received these messages as the answers to its requests.
    private func machine(_ links: [UInt8], _ addresses: [UInt8], ignoring: Set<String> = []) throws -> NetworkMachine {
        var machine = NetworkMachine(ignoring: ignoring)
        #expect(try machine.restart() == NetworkMachine.Request(type: Netlink.linkRequest, sequence: 1))
        #expect(machine.event() == nil && !machine.isComplete)
        let next = try machine.take((links + Datagram.done(1))[...])
        #expect(next == NetworkMachine.Request(type: Netlink.addressRequest, sequence: 2))
        #expect(machine.event() == nil)
        #expect(try machine.take((addresses + Datagram.done(2))[...]) == nil)
        #expect(machine.isComplete)
        return machine
    }

    @Test("The first event is the state after both answers; later ones are changes")
    func begin() throws {
        var machine = try machine(Datagram.link(2, "eth0", Datagram.upAndRunning), Datagram.address(2))
        #expect(machine.event() == .service(.network, isUp: true, reason: "eth0 has a carrier and an address"))
        #expect(machine.event() == nil)
        _ = try machine.take(Datagram.link(2, "eth0", Netlink.up)[...])
        #expect(machine.event() == .service(.network, isUp: false, reason: "eth0 has no carrier"))
        _ = try machine.take(Datagram.link(2, nil, 0)[...])
        #expect(machine.event() == nil)
        _ = try machine.take(Datagram.link(2, nil, Datagram.upAndRunning)[...])
        #expect(machine.event() == .service(.network, isUp: true, reason: "eth0 has a carrier and an address"))
        _ = try machine.take(Datagram.address(2, removed: true)[...])
        #expect(machine.event() == .service(.network, isUp: false, reason: "eth0 has no address"))
    }

    @Test("The loopback and ignored interfaces do not count")
    func ignored() throws {
        let links =
            Datagram.link(1, "lo", Datagram.upAndRunning | Netlink.loopback)
            + Datagram.link(3, "docker0", Datagram.upAndRunning)
        let addresses = Datagram.address(1, [127, 0, 0, 1], scope: 254) + Datagram.address(3)
        var machine = try machine(links, addresses, ignoring: ["docker0"])
        #expect(machine.event() == .service(.network, isUp: false, reason: "there is no network interface"))
    }

    @Test("A port that leaves a bridge is not a link that is removed")
    func bridge() throws {
        var machine = try machine(Datagram.link(2, "eth0", Datagram.upAndRunning), Datagram.address(2))
        _ = machine.event()
        _ = try machine.take(Datagram.link(2, "eth0", 0, family: 7, removed: true)[...])
        #expect(machine.event() == nil)
    }

    @Test("Lost messages and interrupted answers lead to new requests, and nothing is reported before their end")
    func restart() throws {
        var machine = try machine(Datagram.link(2, "eth0", Datagram.upAndRunning), Datagram.address(2))
        _ = machine.event()
        #expect(try machine.restart()?.sequence == 3)
        // The kernel gives one answer at a time, so a second loss is noted only.
        #expect(try machine.restart() == nil)
        #expect(try machine.take(Datagram.done(3)[...]) == .init(type: Netlink.linkRequest, sequence: 4))
        #expect(machine.event() == nil)
        _ = try machine.take(Datagram.link(2, "eth0", Netlink.up, sequence: 4, interrupted: true)[...])
        #expect(try machine.take(Datagram.done(4)[...]) == .init(type: Netlink.linkRequest, sequence: 5))
        _ = try machine.take(Datagram.link(2, "eth0", Netlink.up, sequence: 5)[...])
        #expect(try machine.take(Datagram.done(5)[...])?.sequence == 6)
        #expect(try machine.take(Datagram.done(6)[...]) == nil)
        #expect(machine.event() == .service(.network, isUp: false, reason: "eth0 has no carrier"))
        #expect(try machine.take(Datagram.message(Netlink.overrun, [])[...])?.type == Netlink.linkRequest)
    }

    @Test("A kernel whose tables never come to rest, or that refuses, ends the source with an error")
    func failures() throws {
        var machine = NetworkMachine()
        #expect(throws: CapabilityError.self) {
            var request = try machine.restart()
            while let sent = request {
                _ = try machine.restart()
                request = try machine.take(Datagram.done(sent.sequence)[...])
            }
        }
        var refused = NetworkMachine()
        _ = try refused.restart()
        let failure = Datagram.message(Netlink.error, [0xff, 0xff, 0xff, 0xff], 1)
        #expect(throws: CapabilityError.self) { try refused.take(failure[...]) }
    }

    @Test("Names are printed without control characters")
    func names() throws {
        var machine = try machine(Datagram.link(2, "e\n\u{1b}[1m", 0), [])
        #expect(machine.event() == .service(.network, isUp: false, reason: #"e\u{a}\u{1b}[1m is turned off"#))
    }

    @Test("After any history the machine agrees with a plain reference, and no event repeats")
    func reference() throws {
        var random = SplitMix64(seed: TestSeed.drawn())
        for _ in 0..<1_000 {
            var machine = try machine([], [])
            var history = EventHistory()
            history.take(machine.event())
            var (flags, addresses): ([Int32: UInt32], [Int32: Set<UInt8>]) = ([:], [:])
            for _ in 0..<40 {
                let (index, last) = (Int32.random(in: 2...4, using: &random), UInt8.random(in: 1...2, using: &random))
                switch Int.random(in: 0..<4, using: &random) {
                case 0:
                    flags[index] = [0, Netlink.up, Datagram.upAndRunning].randomElement(using: &random)
                    _ = try machine.take(Datagram.link(index, "eth\(index)", flags[index] ?? 0)[...])
                case 1:
                    (flags[index], addresses[index]) = (nil, nil)
                    _ = try machine.take(Datagram.link(index, "eth\(index)", 0, removed: true)[...])
                case 2:
                    addresses[index, default: []].insert(last)
                    _ = try machine.take(Datagram.address(UInt32(index), [10, 0, 0, last])[...])
                default:
                    addresses[index]?.remove(last)
                    _ = try machine.take(Datagram.address(UInt32(index), [10, 0, 0, last], removed: true)[...])
                }
                history.take(machine.event())
                let isUp = flags.contains { $0.value == Datagram.upAndRunning && !(addresses[$0.key] ?? []).isEmpty }
                guard case .service(.network, isUp, _) = history.events.last else {
                    Issue.record("expected \(isUp), got \(history.events)")
                    return
                }
            }
            let states = history.events.map { if case .service(_, let isUp, _) = $0 { isUp } else { false } }
            #expect(zip(states, states.dropFirst()).allSatisfy { $0 != $1 })
        }
    }
}
