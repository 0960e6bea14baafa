// SPDX-License-Identifier: Apache-2.0

/// A message of rtnetlink(7) that concerns links or addresses.
enum NetlinkMessage: Hashable, Sendable {
    /// A network interface.
    struct Link: Hashable, Sendable {
        var index: Int32
        var flags: UInt32
        /// Nil if the message does not have it.
        var name: String?
    }

    /// An address of an interface. An address that was removed equals the one that was added, but for the flags.
    struct Address: Hashable, Sendable {
        var index: UInt32
        var family: UInt8
        var prefixLength: UInt8
        var bytes: [UInt8]
    }

    case newLink(Link)
    case removedLink(index: Int32)
    /// `isUsable`: other machines can be reached with it. That is not so for one of the scope of a link, and for one that
    /// is checked for duplicates.
    case newAddress(Address, isUsable: Bool)
    case removedAddress(Address)
    /// The end of the answer to a request.
    case done
    /// A request failed with this code of `errno`.
    case failed(Int32)
    /// Messages were lost.
    case overrun
}

/// A message and what its header says.
struct NetlinkEnvelope: Hashable, Sendable {
    /// The number of the request that the message answers; 0 for a notification.
    var sequence: UInt32
    /// Whether the kernel's tables changed while it answered, so that the answer can have gaps.
    var isInterrupted: Bool
    /// Nil for a message of no interest.
    var message: NetlinkMessage?

    /// Takes one datagram of the kernel apart. A message that is cut off or invalid ends the list.
    static func envelopes(in datagram: ArraySlice<UInt8>) -> [NetlinkEnvelope] {
        var envelopes: [NetlinkEnvelope] = []
        var rest = datagram
        while rest.count >= 16 {
            let length = Int(rest.word(at: 0))
            guard length >= 16, length <= rest.count else { break }
            envelopes.append(
                NetlinkEnvelope(
                    sequence: rest.word(at: 8),
                    isInterrupted: rest.half(at: 6) & Netlink.interrupted != 0,
                    message: NetlinkMessage(type: rest.half(at: 4), rest.prefix(length).dropFirst(16))
                )
            )
            rest = rest.dropFirst((length + 3) & ~3)
        }
        return envelopes
    }
}

/// The numbers of linux/netlink.h, linux/rtnetlink.h, linux/if_link.h and linux/if_addr.h, which never change.
enum Netlink {
    static let error: UInt16 = 2
    static let done: UInt16 = 3
    static let overrun: UInt16 = 4
    static let newLink: UInt16 = 16
    static let removedLink: UInt16 = 17
    static let linkRequest: UInt16 = 18
    static let newAddress: UInt16 = 20
    static let removedAddress: UInt16 = 21
    static let addressRequest: UInt16 = 22
    /// NLM_F_DUMP_INTR.
    static let interrupted: UInt16 = 0x10
    /// IFLA_IFNAME.
    static let nameAttribute: UInt16 = 3
    /// IFA_ADDRESS, IFA_LOCAL and IFA_FLAGS.
    static let addressAttribute: UInt16 = 1
    static let localAttribute: UInt16 = 2
    static let flagsAttribute: UInt16 = 8
    /// RT_SCOPE_LINK: this scope, and those after it, end at the link.
    static let linkScope: UInt8 = 253
    /// IFA_F_DADFAILED and IFA_F_TENTATIVE.
    static let unusable: UInt32 = 0x08 | 0x40
    /// IFF_UP, IFF_LOOPBACK and IFF_RUNNING.
    static let up: UInt32 = 0x1
    static let loopback: UInt32 = 0x8
    static let running: UInt32 = 0x40
}

extension NetlinkMessage {
    /// Reads the body of a message; nil if it is of no interest or invalid.
    init?(type: UInt16, _ body: ArraySlice<UInt8>) {
        switch type {
        case Netlink.done: self = .done
        case Netlink.overrun: self = .overrun
        case Netlink.error:
            // 0 acknowledges a request.
            guard body.count >= 4, case let code = Int32(bitPattern: body.word(at: 0)), code != 0 else { return nil }
            self = .failed(code == .min ? .max : -code)
        case Netlink.newLink, Netlink.removedLink:
            // Messages of another family than 0 tell of a port of a bridge.
            guard body.count >= 16, body.first == 0 else { return nil }
            let index = Int32(bitPattern: body.word(at: 4))
            self = type == Netlink.removedLink ? .removedLink(index: index) : .newLink(Link(index: index, body))
        case Netlink.newAddress, Netlink.removedAddress:
            guard body.count >= 8, let (address, isUsable) = Self.address(body) else { return nil }
            self = type == Netlink.removedAddress ? .removedAddress(address) : .newAddress(address, isUsable: isUsable)
        default: return nil
        }
    }

    private static func address(_ body: ArraySlice<UInt8>) -> (Address, isUsable: Bool)? {
        let start = body.startIndex
        var flags = UInt32(body[start + 2])
        var (peer, local): (ArraySlice<UInt8>?, ArraySlice<UInt8>?)
        for (type, value) in Self.attributes(body.dropFirst(8)) {
            switch type {
            case Netlink.addressAttribute: peer = value
            case Netlink.localAttribute: local = value
            case Netlink.flagsAttribute where value.count >= 4: flags = value.word(at: 0)
            default: break
            }
        }
        guard let bytes = local ?? peer, bytes.count == 4 || bytes.count == 16 else { return nil }
        let address = Address(
            index: body.word(at: 4),
            family: body[start],
            prefixLength: body[start + 1],
            bytes: Array(bytes)
        )
        return (address, flags & Netlink.unusable == 0 && body[start + 3] < Netlink.linkScope)
    }

    /// The attributes of a message with their types. One that is cut off ends the list.
    fileprivate static func attributes(_ bytes: ArraySlice<UInt8>) -> [(type: UInt16, value: ArraySlice<UInt8>)] {
        var attributes: [(UInt16, ArraySlice<UInt8>)] = []
        var rest = bytes
        while rest.count >= 4 {
            let length = Int(rest.half(at: 0))
            guard length >= 4, length <= rest.count else { break }
            // The two upper bits tell of nesting and byte order.
            attributes.append((rest.half(at: 2) & 0x3fff, rest.prefix(length).dropFirst(4)))
            rest = rest.dropFirst((length + 3) & ~3)
        }
        return attributes
    }
}

extension NetlinkMessage.Link {
    fileprivate init(index: Int32, _ body: ArraySlice<UInt8>) {
        let name = NetlinkMessage.attributes(body.dropFirst(16)).first { $0.type == Netlink.nameAttribute }
        self.init(
            index: index,
            flags: body.word(at: 8),
            name: name.map { String(decoding: $0.value.prefix { $0 != 0 }, as: UTF8.self) }
        )
    }
}

// Numbers in the binary records of the kernel.
extension ArraySlice<UInt8> {
    /// The 32 bits at `offset` from the start, in the byte order of the machine. They must exist.
    func word(at offset: Int) -> UInt32 {
        withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
    }

    /// The 16 bits at `offset` from the start, in the byte order of the machine. They must exist.
    func half(at offset: Int) -> UInt16 {
        withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt16.self) }
    }
}
