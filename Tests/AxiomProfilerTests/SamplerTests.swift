// SPDX-License-Identifier: Apache-2.0

#if os(Linux) && canImport(Glibc)
import AxiomTestSupport
import CAxiomProfiler
import CPlantedCode
import Foundation
import Glibc
import Testing

@testable import AxiomProfiler

/// Each case is a process of `profiler-probe`: there is one sampler in a process, and some cases end it.
@Suite("The sampler")
struct SamplerTests {
    @Test("Samples of nested, child and detached tasks carry the span of their task", .timeLimit(.minutes(10)))
    func labels() async throws {
        let seed = TestSeed.drawn()
        let numbers = try await probe("labels", "\(seed)")
        let (right, none, wrong) = (numbers["right"] ?? 0, numbers["none"] ?? 0, numbers["wrong"] ?? 0)
        #expect(right > 50, "seed \(seed): \(numbers)")
        #expect(right >= 0.95 * (right + none + wrong), "seed \(seed): \(numbers)")
        #expect(wrong == 0, "seed \(seed): \(numbers)")
        #expect(numbers["detached"] ?? 0 > 0, "seed \(seed): \(numbers)")
        #expect(numbers["paths"] ?? 0 > 0, "seed \(seed): \(numbers)")
    }

    @Test(
        "A seccomp profile that forbids process_vm_readv is the reason that the error names",
        .timeLimit(.minutes(10))
    )
    func unreadable() async throws {
        #expect(try await probe("unreadable") == ["named": 1, "remedied": 1])
    }

    @Test("The amounts of a thread's samples add up to its processor time", .timeLimit(.minutes(10)))
    func time() async throws {
        let numbers = try await probe("time")
        #expect(abs((numbers["share"] ?? 0) - 1) <= 0.11)
        #expect(numbers["spans"] == 0)
        #expect(numbers["own"] == 0)
        #expect(numbers["counted"] == 0)
    }

    @Test(
        "By the clock, samples of a busy thread have its processor time, and one that sleeps has none",
        .timeLimit(.minutes(10))
    )
    func clock() async throws {
        let numbers = try await probe("clock")
        #expect(numbers["started"] == 1)
        #expect(numbers["samples"] ?? 0 > 150, "\(numbers)")
        // What the handler takes is left out, and the time of the pause.
        #expect((0.8...1.05).contains(numbers["share"] ?? 0), "\(numbers)")
        #expect(numbers["idle"] ?? 1_000 <= 5, "\(numbers)")
    }

    @Test("A new thread is sampled after at most two ticks", .timeLimit(.minutes(10)))
    func newThread() async throws {
        #expect(try await probe("thread")["share"] ?? 0 > 0.9)
    }

    @Test("500 threads come and go", .timeLimit(.minutes(10)))
    func crowd() async throws {
        let numbers = try await probe("crowd")
        #expect(numbers["most"] ?? 0 >= 50)
        #expect(numbers["more"] ?? 50 < 10)
        #expect(numbers["unsampled"] == 0)
        #expect(numbers["lost"] == 0)
    }

    @Test("Samples come while every thread of the pool is blocked", .timeLimit(.minutes(10)))
    func blockedPool() async throws {
        #expect(try await probe("blocked")["samples"] ?? 0 > 30)
    }

    @Test("A sampler starts again a hundred times, and one runs at a time", .timeLimit(.minutes(10)))
    func restart() async throws {
        #expect(try await probe("restart").filter { $0.key != "samples" } == ["rejected": 10, "default": 1])
    }

    @Test("A signal of the program is not taken, and one that the program takes is given up", .timeLimit(.minutes(10)))
    func signals() async throws {
        let numbers = try await probe("taken")
        #expect(numbers == ["taken": 1, "more": 0, "ended": 1, "threads": 0, "kept": 1])
    }

    @Test("A sampler that gets no timer, or whose signal tasks block, does not start", .timeLimit(.minutes(10)))
    func refused() async throws {
        #expect(try await probe("refused") == ["blocked": 1, "AXIOM_PROFILER_001": 1, "default": 1])
    }

    @Test("A sampler runs until it is stopped, and is then released with its consumer", .timeLimit(.minutes(10)))
    func released() async throws {
        #expect(try await probe("released") == ["runs": 1, "kept": 0])
    }

    @Test("1,024 of 1,100 threads have a timer", .timeLimit(.minutes(10)))
    func many() async throws {
        #expect(try await probe("many") == ["threads": 1_024])
    }

    @Test("Signals of the program change neither count nor amount of samples", .timeLimit(.minutes(10)))
    func storm() async throws {
        #expect(abs((try await probe("storm")["share"] ?? 0) - 1) <= 0.11)
    }

    @Test("Libraries with thread-local storage come and go", .timeLimit(.minutes(10)))
    func libraries() async throws {
        let numbers = try await probe("libraries")
        #expect(numbers["loaded"] ?? 0 > 0)
        #expect(abs((numbers["share"] ?? 0) - 1) <= 0.15)
    }

    @Test("Children of a fork end as they want, and can start a sampler", .timeLimit(.minutes(10)))
    func forks() async throws {
        let numbers = try await probe("fork")
        #expect(numbers["ended"] == 40, "\(numbers)")
        #expect(numbers["share"] ?? 0 > 0.85)
    }

    @Test("A program that another replaces does not end by a late signal", .timeLimit(.minutes(10)))
    func exec() async throws {
        #expect(try await probe("exec", "10") == ["done": 1])
    }

    @Test("A stack of 10,000 frames is cut, and says so", .timeLimit(.minutes(10)))
    func deepStack() async throws {
        let numbers = try await probe("deep")
        #expect(numbers["samples"] ?? 0 > 30)
        #expect(numbers["cut"] ?? 0 >= 0.95 * (numbers["samples"] ?? 0))
    }

    @Test("Handlers on a stack of their own are sampled", .timeLimit(.minutes(10)))
    func alternateStack() async throws {
        let numbers = try await probe("alternate")
        #expect(numbers["samples"] ?? 0 > 30)
        #expect(numbers["stacks"] == numbers["samples"])
    }

    @Test("Functions of libc without frame pointers keep their callers", .timeLimit(.minutes(10)))
    func allocations() async throws {
        let numbers = try await probe("allocations")
        #expect(numbers["samples"] ?? 0 > 60)
        #expect(numbers["short"] ?? 1_000 <= 0.05 * (numbers["samples"] ?? 0), "\(numbers)")
    }

    #if arch(x86_64)
    @Test("The caller of a function that has not stored its frame is in the words, and not in the frames too")
    func prologue() {
        withUnsafeTemporaryAllocation(of: UInt.self, capacity: 32) { stack in
            stack.initialize(repeating: 0)
            let frame = planted_frame()
            let sp = UInt(bitPattern: stack.baseAddress)
            var sample = axiom_sample()
            axiom_capture(&sample, 1, frame, sp)
            let chain = Array(RawSample(&sample).frames.dropFirst())
            stack[0] = chain.first ?? 0
            let burn: @convention(c) (UInt64) -> UInt64 = planted_c_burn
            axiom_capture(&sample, UInt(bitPattern: unsafeBitCast(burn, to: Int.self)), frame, sp)
            let raw = RawSample(&sample)
            #expect(!chain.isEmpty && Array(raw.frames.dropFirst()) == chain)
            var found = axiom_callers()
            axiom_missing_callers(raw.frames, raw.frames.count, raw.words, raw.words.count, &found)
            #expect(found.count > 0 && found.callers.0 == stack[0])
        }
    }
    #endif

    @Test("A stack that overflows ends the program as without the sampler", .timeLimit(.minutes(10)))
    func overflow() async throws {
        for argument in ["unsampled", "sampled"] {
            let path = try BuildFolder().url.appending(path: "profiler-probe").path
            #expect(try await Command.run(path, ["sampler", "overflow", argument]).status == SIGSEGV)
        }
    }

    @Test("The handler's work takes microseconds", .timeLimit(.minutes(10)))
    func cost() async throws {
        // 1 % of a thread's time at 97 Hz would be 103 microseconds.
        #expect(try await probe("cost")["nanoseconds"] ?? .infinity < 103_000)
    }

    private func probe(_ arguments: String...) async throws -> [String: Double] {
        let path = try BuildFolder().url.appending(path: "profiler-probe").path
        let output = try await Command.run(path, ["sampler"] + arguments)
        try #require(output.status == 0, "\(arguments): \(output)")
        let lines = output.output.split(separator: "\n").map { $0.split(separator: " ") }.filter { $0.count == 2 }
        return Dictionary(uniqueKeysWithValues: lines.map { (String($0[0]), Double($0[1]) ?? .nan) })
    }
}
#endif
