// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomSystem

@Suite("The space of a file system")
struct DiskSpaceTests {
    @Test("Levels follow the free share, with hysteresis")
    func shares() {
        var machine = DiskSpaceMachine(warning: .share(0.1), critical: .share(0.05), hysteresis: 0.01)
        let events = [50.0, 10.1, 10, 10.5, 10.9, 11, 4, 5.9, 6, 12].map {
            machine.take(DiskSpace(bytes: 100, freeBytes: $0))
        }
        let levels: [PressureLevel?] = [
            .some(.none), nil, .warning, nil, nil, .some(.none), .critical, nil, .warning, .some(.none),
        ]
        #expect(events == levels.map { $0.map { .pressure(.storage, $0) } })
    }

    @Test("Shares apply to the number of files too, and a file system without such a number has enough")
    func files() {
        var machine = DiskSpaceMachine(warning: .share(0.1), critical: .share(0.05), hysteresis: 0.01)
        let space = { DiskSpace(bytes: 100, freeBytes: 90, files: $0, freeFiles: $1) }
        #expect(machine.take(space(0, 0)) == .pressure(.storage, .none))
        #expect(machine.take(space(1_000, 40)) == .pressure(.storage, .critical))
        #expect(machine.take(space(1_000, 500)) == .pressure(.storage, .none))
    }

    @Test("A minimum in bytes and one as a share can be mixed")
    func mixed() {
        var machine = DiskSpaceMachine(warning: .share(0.5), critical: .bytes(10), hysteresis: 0)
        #expect(machine.take(DiskSpace(bytes: 100, freeBytes: 51)) == .pressure(.storage, .none))
        #expect(machine.take(DiskSpace(bytes: 100, freeBytes: 50)) == .pressure(.storage, .warning))
        #expect(machine.take(DiskSpace(bytes: 100, freeBytes: 10)) == .pressure(.storage, .critical))
    }

    @Test("In any history no event repeats, and a level ends only beyond the hysteresis")
    func property() {
        var random = SplitMix64(seed: TestSeed.drawn())
        for _ in 0..<2_000 {
            var machine = DiskSpaceMachine(warning: .share(0.2), critical: .share(0.1), hysteresis: 0.05)
            var (history, free, lowest): (EventHistory, Double, Double) = (EventHistory(), 50, 50)
            for _ in 0..<60 {
                free = min(100, max(0, free + Double.random(in: -8...8, using: &random)))
                let before = history.events.last
                let event = machine.take(DiskSpace(bytes: 100, freeBytes: free))
                history.take(event)
                if case .pressure(_, let level) = event, case .pressure(_, let old) = before, level < old {
                    // The level fell: the space is beyond the end of the old one.
                    #expect(free >= (old == .critical ? 15 : 25))
                }
                lowest = min(lowest, free)
                guard case .pressure(_, let level) = history.events.last else { continue }
                #expect(level >= (free <= 10 ? .critical : free <= 20 ? .warning : .none))
                #expect(level <= (lowest > 20 ? .none : lowest > 10 ? .warning : .critical))
            }
            #expect(history.repetitions == 0)
        }
    }

    @Test("Readings follow the clock, and three that fail in a row end the sequence", .timeLimit(.minutes(10)))
    func readings() async throws {
        let time = ManualTime()
        let readings = Lock<[DiskSpace?]>([
            DiskSpace(bytes: 100, freeBytes: 50), nil, nil, DiskSpace(bytes: 100, freeBytes: 1), nil, nil, nil,
        ])
        let source = try DiskSpaceSource(
            "/",
            warning: .share(0.1),
            critical: .share(0.05),
            hysteresis: 0.01,
            period: .seconds(1),
            clock: .manual(time)
        ).reading { path in
            guard let space = readings.withLock({ $0.removeFirst() }) else {
                throw SystemCallError(subject: path, code: EIO)
            }
            return space
        }
        var events = source.events().makeAsyncIterator()
        #expect(try await events.next() == .pressure(.storage, .none))
        let advancing = Task {
            for _ in 0..<6 {
                await time.waitForSleepers(1)
                time.advance(by: .seconds(1))
            }
        }
        #expect(try await events.next() == .pressure(.storage, .critical))
        let error = await #expect(throws: CapabilityError.self) { try await events.next() }
        #expect(error?.code == .capabilitySourceStopped)
        #expect(try await events.next() == nil)
        await advancing.value
    }

    @Test(
        "A path that does not exist, or a file system without blocks, is an error at the begin",
        arguments: ["/nowhere", "/proc"]
    )
    func unavailable(path: String) async throws {
        let source = try DiskSpaceSource(path)
        let error = await #expect(throws: CapabilityError.self) {
            for try await _ in source.events() {}
        }
        #expect(error?.code == .capabilitySourceUnavailable)
        #expect(error?.message.contains(path) == true)
    }

    @Test("The file system of the root folder has a size and some space")
    func realReading() throws {
        let space = try DiskSpace(of: "/")
        #expect(space.bytes > 1e6 && space.freeBytes >= 0 && space.freeBytes <= space.bytes)
    }

    @Test(
        "A small file system of the kernel that is filled and emptied reports its levels (CAP-24)",
        .enabled(if: ExternalTool.mounts.mayRun, "\(ExternalTool.mounts.installation)"),
        .timeLimit(.minutes(10))
    )
    func smallFileSystem() async throws {
        let lines = try await Kernel.run(
            """
            mount -t tmpfs -o size=1m none "$folder"
            listen '' disk "$folder" 500000 200000; event
            head -c 600000 /dev/zero > "$folder/a"; event
            head -c 300000 /dev/zero > "$folder/b"; event
            rm "$folder/b"; event
            rm "$folder/a"; event
            """,
            in: ["unshare", "-rm"]
        )
        #expect(lines == ["none", "warning", "critical", "warning", "none"].map { "storage \($0)" })
    }
}
