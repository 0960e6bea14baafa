// SPDX-License-Identifier: Apache-2.0

internal import CAxiomCounters
internal import Foundation

/// A process that keeps a processor busy, to test whether verdicts stand it.
enum Hog {
    /// Never returns; ends with its parent.
    static func run() -> Never {
        axiom_die_with_parent()
        let parent = getppid()
        var state: UInt64 = 1
        while true {
            for _ in 0..<50_000_000 { state = opaqueStep(state) }
            if getppid() != parent { exit(0) }
        }
    }

    @inline(never)
    private static func opaqueStep(_ state: UInt64) -> UInt64 {
        state &* 6_364_136_223_846_793_005 &+ 1
    }
}

/// Some hogs, which end with the object.
final class Hogs {
    private var processes: [pid_t] = []

    init(_ count: Int) throws(BenchmarkError) {
        for _ in 0..<count {
            let command = [MeasuredProgram.current.path] + WorkerArguments.hog.arguments
            processes.append(try Spawn.start(command, [:], []))
        }
    }

    deinit {
        for process in processes {
            kill(process, SIGKILL)
            _ = Spawn.wait(process)
        }
    }
}
