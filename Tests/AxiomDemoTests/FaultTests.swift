// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Foundation
import Testing

@testable import shop_oracle

@Suite("The faults of the shop's server")
struct FaultInjectorTests {
    private func plans(_ mode: FaultMode, at elapsed: Duration, seed: UInt64 = 1) -> [FaultInjector.Plan] {
        let time = ManualTime()
        let injector = FaultInjector(mode, seed: seed, clock: .manual(time))
        time.advance(by: elapsed)
        return (0..<2_000).map { _ in injector.next() }
    }

    @Test("The schedule turns faults on and off", arguments: [FaultMode.mild, .storm])
    func schedule(_ mode: FaultMode) {
        let (on, period, share) = mode.schedule
        for cycle in 0..<3 {
            let faults = plans(mode, at: period * cycle).count { $0.fault != nil }
            #expect(abs(Double(faults) / 2_000 - share) < 0.05)
            #expect(plans(mode, at: period * cycle).allSatisfy { $0.isStormy })
            #expect(plans(mode, at: period * cycle + on).allSatisfy { $0.fault == nil && !$0.isStormy })
        }
    }

    @Test("The mode none has no faults, and the mode storm has all of them")
    func modes() {
        #expect(plans(.none, at: .zero).allSatisfy { $0.fault == nil && !$0.isStormy })
        #expect(Set(plans(.storm, at: .zero).compactMap(\.fault)) == Set(Fault.allCases))
    }

    @Test("A new mode is in force at once, and its schedule begins with faults")
    func changedMode() {
        let time = ManualTime()
        let injector = FaultInjector(.none, seed: 1, clock: .manual(time))
        // In the middle of a part of the schedule that would have no faults.
        time.advance(by: .milliseconds(4_500))
        injector.mode = .storm
        #expect(injector.mode == .storm)
        let faults = (0..<2_000).count { _ in injector.next().fault != nil }
        #expect(abs(Double(faults) / 2_000 - FaultMode.storm.schedule.share) < 0.05)
        time.advance(by: FaultMode.storm.schedule.on)
        #expect((0..<2_000).allSatisfy { _ in injector.next().fault == nil })
        injector.mode = .none
        time.advance(by: .milliseconds(1_000))
        #expect((0..<2_000).allSatisfy { _ in injector.next().fault == nil })
    }

    @Test("An answer comes long before the network's deadline, and its latency depends on the seed")
    func latency() {
        let latencies = plans(.storm, at: .zero).map(\.latency)
        #expect(latencies.allSatisfy { $0 > .zero && $0 * 2 < HTTPNetwork.deadline })
        #expect(latencies == plans(.storm, at: .zero).map(\.latency))
        #expect(latencies != plans(.storm, at: .zero, seed: 2).map(\.latency))
    }
}

@Suite("The mode of the shop's server")
struct FaultModeTests {
    @Test("The mode is read and set over HTTP, and an unknown one is refused with the names of all")
    func mode() async throws {
        let folder = try TestFolder()
        defer { try? folder.remove() }
        let faults = FaultInjector(.none, seed: 1, clock: .live)
        let server = try ShopServer(ShopBooks(folder: folder.path), faults, clock: .live)
        let port = try server.start()
        func send(_ method: String, _ body: String = "") async throws -> (status: Int, text: String) {
            let connection = try await HTTPConnection(port: port)
            let request = NetworkRequest(method: method, path: "/faults", body: Data(body.utf8))
            let response = try await connection.exchange(request)
            await connection.close()
            return (response.status, String(decoding: response.body, as: UTF8.self))
        }
        #expect(try await send("GET") == (200, "none\n"))
        #expect(try await send("POST", " storm\n") == (200, "storm\n"))
        #expect(faults.mode == .storm)
        #expect(try await send("POST", "rain") == (400, "The body is \"rain\"; send one of none, mild, storm.\n"))
        #expect(try await send("GET") == (200, "storm\n"))
        await server.stop()
    }
}

@Suite("The table of faults")
struct FaultTableTests {
    @Test("Each fault has one fate, whether the server or the application reports first", arguments: 0..<20)
    func oneFate(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let table = FaultTable()
        let fates: [Fate] = [.answered, .recovered, .shown, .cancelled]
        var expected: [Fate: Int] = [:]
        for request in 1...500 as ClosedRange<UInt64> {
            let fate = fates.randomElement(using: &generator) ?? .answered
            let isFaulty = Bool.random(using: &generator)
            // Only a cancelled request can end before the server reports its fault.
            if fate == .cancelled, Bool.random(using: &generator) {
                table.settle(request, fate)
                if isFaulty { _ = table.serve(request) }
            } else {
                if isFaulty { _ = table.serve(request) }
                table.settle(request, fate)
            }
            if isFaulty { expected[fate, default: 0] += 1 }
        }
        let counts = table.counts
        #expect(counts.served == expected.values.reduce(0, +))
        #expect(counts.recovered == expected[.answered, default: 0] + expected[.recovered, default: 0])
        #expect(counts.shown == expected[.shown, default: 0])
        #expect(counts.cancelled == expected[.cancelled, default: 0])
        #expect(counts.open == 0)
    }

    @Test("A request without a fate is open, and only the first report about it counts")
    func open() {
        let table = FaultTable()
        let request: UInt64 = 7
        #expect(table.serve(request))
        #expect(table.counts.open == 1)
        table.settle(request, .recovered)
        table.settle(request, .shown)
        #expect(table.counts == FaultTable.Counts(served: 1, recovered: 1))
    }

    @Test("A closed table lets the server serve no further fault")
    func closed() {
        let table = FaultTable()
        table.close()
        #expect(!table.serve(1))
        #expect(table.counts.served == 0)
    }
}
