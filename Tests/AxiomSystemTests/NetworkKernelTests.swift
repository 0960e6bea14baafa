// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@Suite("The network of a real kernel")
struct NetworkKernelTests {
    @Test(
        "Carriers and addresses that come and go are reported, once each (CAP-11)",
        .enabled(if: ExternalTool.networks.mayRun, "\(ExternalTool.networks.installation)"),
        .timeLimit(.minutes(10))
    )
    func links() async throws {
        let lines = try await Kernel.run(
            """
            listen '' network; event
            ip link add v0 type veth peer name v1
            ip addr add 10.0.0.1/24 dev v0; ip addr add 10.0.0.2/24 dev v0; ip link set lo up
            ip link set v0 up; ip link set v1 up; event
            ip addr del 10.0.0.2/24 dev v0
            ip link set v1 down; event
            ip link set v1 up; event
            ip addr del 10.0.0.1/24 dev v0; event
            ip addr add 2001:db8::1/64 dev v0 nodad; event
            ip link del v0; event
            """,
            in: ["unshare", "-rn"]
        )
        #expect(
            lines.map { $0.prefix { $0 != ":" } }
                == ["down", "up", "down", "up", "down", "up", "down"].map { "network \($0)" },
            "\(lines)"
        )
        #expect(lines.first == "network down: there is no network interface")
        #expect(lines.dropFirst().first == "network up: v0 has a carrier and an address")
        // The removal is several changes of the kernel, of which the first takes the network down.
    }

    @Test(
        "When a flood of changes overflows the socket, the source reads the tables again and ends in the right state",
        .enabled(if: ExternalTool.networks.mayRun, "\(ExternalTool.networks.installation)"),
        .timeLimit(.minutes(10))
    )
    func overflow() async throws {
        // The probe is stopped while more notifications arrive than its socket can hold. The address is among the lost.
        let lines = try await Kernel.run(
            """
            listen '' network; event
            kill -STOP $pid
            { echo link add v0 type veth peer name v1; echo link set v0 up
              for i in {1..3000}; do echo link set v0 alias "$i"; done
              echo addr add 10.0.0.1/24 dev v0; echo link set v1 up
              for i in {1..3000}; do echo link set v0 alias "$i"; done; } > "$folder/batch"
            ip -batch "$folder/batch"
            awk '$2 == 0 && $9 > 0 { print "messages were lost"; exit }' /proc/net/netlink
            kill -CONT $pid
            event
            ip link set v1 down; event
            """,
            in: ["unshare", "-rn"]
        )
        try #require(lines.count == 4, "\(lines)")
        #expect(lines[1] == "messages were lost", "\(lines)")
        #expect(lines[2] == "network up: v0 has a carrier and an address")
        #expect(lines[3].hasPrefix("network down"))
    }
}
