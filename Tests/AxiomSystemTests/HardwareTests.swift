// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTestSupport
import Testing

@testable import AxiomSystem

@Suite("Temperatures of recorded machines", .timeLimit(.minutes(10)))
struct ThermalTests {
    private static func zone(_ temperature: Double?, _ trips: [ThermalZone.Trip]) -> ThermalZone {
        ThermalZone(name: "thermal_zone0", temperature: temperature, trips: trips)
    }

    @Test("Trip points give the thresholds; those of fans and unused ones do not matter")
    func thresholds() {
        typealias Trip = ThermalZone.Trip
        let all = Self.zone(
            0,
            [
                Trip(kind: .critical, temperature: 105, hysteresis: 4), Trip(kind: .hot, temperature: 98),
                Trip(kind: .passive, temperature: 90),
            ]
        )
        #expect(
            ThermalMachine.thresholds(of: all, hysteresis: 3)
                == LevelThresholds(warning: 90, critical: 98, hysteresis: 4)
        )
        let critical = Self.zone(0, [Trip(kind: .critical, temperature: 110)])
        #expect(
            ThermalMachine.thresholds(of: critical, hysteresis: 3)
                == LevelThresholds(warning: 100, critical: 105, hysteresis: 3)
        )
        let passive = Self.zone(0, [Trip(kind: .passive, temperature: 80)])
        #expect(
            ThermalMachine.thresholds(of: passive, hysteresis: 3)
                == LevelThresholds(warning: 80, critical: .infinity, hysteresis: 3)
        )
        #expect(ThermalMachine.thresholds(of: Self.zone(99, []), hysteresis: 3) == nil)
    }

    @Test("A laptop that becomes hot and cools down reports its levels (CAP-25)")
    func laptop() async throws {
        let (tree, time) = (try Tree(recorded: "laptop"), ManualTime())
        let source = try ThermalSource(root: tree.path, period: .seconds(5), clock: .manual(time))
        var events = source.events().makeAsyncIterator()
        #expect(try await events.next() == .pressure(.thermal, .none))
        let steps: [(String, PressureLevel)] = [
            ("90000", .warning), ("99000", .critical), ("96000", .warning), ("87000", .none),
        ]
        for (temperature, level) in steps {
            try tree.write("thermal_zone3/temp", temperature)
            #expect(try await events.next(after: .seconds(5), of: time) == .pressure(.thermal, level))
        }
    }

    @Test(
        "Each machine's zones are read",
        arguments: [("laptop", 4, 2), ("server", 2, 2), ("raspberry-pi", 1, 1)]
    )
    func machines(name: String, zones: Int, withTrips: Int) throws {
        let tree = try Tree(recorded: name)
        let read = try ThermalZone.all(in: tree.path)
        #expect(read.count == zones)
        #expect(read.filter { !$0.trips.isEmpty }.count == withTrips)
        #expect(read.allSatisfy { $0.temperature != nil })
    }

    @Test("A broken tree is read without waiting, and its zones have no level")
    func broken() async throws {
        let tree = try Tree(recorded: "broken")
        let zones = try ThermalZone.all(in: tree.path)
        #expect(zones.count == 10)
        #expect(zones.allSatisfy { $0.temperature == nil })
        var events = try ThermalSource(root: tree.path).events().makeAsyncIterator()
        #expect(try await events.next() == .pressure(.thermal, .none))
    }

    @Test("A zone whose sensor does not answer keeps its level; one that is gone has none")
    func missing() {
        var machine = ThermalMachine(hysteresis: 3)
        let trips = [ThermalZone.Trip(kind: .passive, temperature: 80)]
        #expect(machine.take([Self.zone(85, trips)]) == .pressure(.thermal, .warning))
        #expect(machine.take([Self.zone(nil, trips)]) == nil)
        #expect(machine.take([]) == .pressure(.thermal, .none))
    }

    @Test("In any history no event repeats, and no level flaps within the hysteresis")
    func property() {
        var random = SplitMix64(seed: TestSeed.drawn())
        let trips = [ThermalZone.Trip(kind: .passive, temperature: 80), ThermalZone.Trip(kind: .hot, temperature: 95)]
        for _ in 0..<2_000 {
            var (machine, history, temperature) = (ThermalMachine(hysteresis: 5), EventHistory(), 70.0)
            for _ in 0..<60 {
                temperature += Double.random(in: -6...6.5, using: &random)
                let before = history.events.last
                let event = machine.take([Self.zone(temperature, trips)])
                history.take(event)
                if case .pressure(_, let level) = event, case .pressure(_, let old) = before, level < old {
                    #expect(temperature <= (old == .critical ? 90 : 75))
                }
            }
            #expect(history.repetitions == 0)
        }
    }

    @Test("A root folder that does not exist is an error; one without zones is enough")
    func root() async throws {
        let tree = try Tree()
        var events = try ThermalSource(root: tree.path).events().makeAsyncIterator()
        #expect(try await events.next() == .pressure(.thermal, .none))
        let error = await #expect(throws: CapabilityError.self) {
            for try await _ in try ThermalSource(root: "\(tree.path)/nowhere").events() {}
        }
        #expect(error?.code == .capabilitySourceUnavailable)
    }
}

@Suite("Batteries of recorded machines", .timeLimit(.minutes(10)))
struct PowerTests {
    @Test("A laptop with two batteries counts them by their size, and not the mouse (CAP-25)")
    func charge() throws {
        let tree = try Tree(recorded: "laptop")
        let supplies = try PowerSupply.all(in: tree.path)
        #expect(supplies.filter(\.isBattery).count == 2)
        #expect(PowerMachine.charge(of: supplies) == 88)
        #expect(PowerMachine.isOnBattery(supplies))
    }

    @Test("A laptop that discharges and is connected to its adapter reports its levels")
    func laptop() async throws {
        let (tree, time) = (try Tree(recorded: "laptop"), ManualTime())
        let source = try PowerSource(root: tree.path, period: .seconds(30), clock: .manual(time))
        var events = source.events().makeAsyncIterator()
        #expect(try await events.next() == .pressure(.power, .none))
        try tree.write("BAT0/capacity", "4")
        try tree.write("BAT1/capacity", "20")
        #expect(try await events.next(after: .seconds(30), of: time) == .pressure(.power, .warning))
        try tree.write("BAT1/capacity", "5")
        #expect(try await events.next(after: .seconds(30), of: time) == .pressure(.power, .critical))
        try tree.write("AC/online", "1")
        try tree.write("BAT0/status", "Charging")
        #expect(try await events.next(after: .seconds(30), of: time) == .pressure(.power, .none))
    }

    @Test("A server's supply that bridges an outage counts as a battery")
    func server() async throws {
        let (tree, time) = (try Tree(recorded: "server"), ManualTime())
        let source = try PowerSource(root: tree.path, period: .seconds(30), clock: .manual(time))
        var events = source.events().makeAsyncIterator()
        #expect(try await events.next() == .pressure(.power, .none))
        try tree.write("ups0/status", "Discharging")
        try tree.write("ups0/capacity", "7")
        #expect(try await events.next(after: .seconds(30), of: time) == .pressure(.power, .critical))
    }

    @Test("A machine without a battery, and a broken tree, report no pressure", arguments: ["raspberry-pi", "broken"])
    func noBattery(name: String) async throws {
        let tree = try Tree(recorded: name)
        var events = try PowerSource(root: tree.path).events().makeAsyncIterator()
        #expect(try await events.next() == .pressure(.power, .none))
    }

    @Test("The charge comes from the percentage, the energy or a coarse level")
    func charges() throws {
        let tree = try Tree()
        for file in ["A/type", "B/type", "C/type"] { try tree.write(file, "Battery") }
        try tree.write("A/capacity", "31")
        try tree.write("B/charge_now", "500")
        try tree.write("B/charge_full", "1000")
        try tree.write("C/capacity_level", "Low")
        #expect(try PowerSupply.all(in: tree.path).map(\.charge) == [31, 50, 15])
    }

    @Test("In any history no event repeats, and no level flaps within the hysteresis")
    func property() {
        var random = SplitMix64(seed: TestSeed.drawn())
        for _ in 0..<2_000 {
            var machine = PowerMachine(warning: 20, critical: 8, hysteresis: 3)
            var (history, charge) = (EventHistory(), 30.0)
            for _ in 0..<60 {
                charge = min(100, max(0, charge + Double.random(in: -4...4, using: &random)))
                let before = history.events.last
                let event = machine.take([PowerSupply(flow: .outgoing, isBattery: true, charge: charge, size: nil)])
                history.take(event)
                if case .pressure(_, let level) = event, case .pressure(_, let old) = before, level < old {
                    #expect(charge >= (old == .critical ? 11 : 23))
                }
            }
            #expect(history.repetitions == 0)
        }
    }
}
