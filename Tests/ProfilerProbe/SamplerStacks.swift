// SPDX-License-Identifier: Apache-2.0

#if os(Linux) && canImport(Glibc)
import AxiomBase
import AxiomProfiler
import CAxiomProfiler
import Foundation
import Glibc

/// Stacks that are deep, foreign or full.
enum SamplerStacks {
    /// 10,000 frames.
    static func deep() async throws {
        let collector = SampleCollector()
        let sampler = try await SamplerProbe.start(collector)
        let burned = await SampledThread.run { recurse(10_000) { SampledWork.burn(0.5) } }
        sampler.stop()
        let samples = collector.samples(of: burned.thread)
        SamplerProbe.report("samples", samples.count)
        SamplerProbe.report("cut", samples.filter { $0.isCut && $0.frames.count == Int(axiom_frame_limit) }.count)
    }

    /// A handler that burns on its own stack.
    static func alternate() async throws {
        let collector = SampleCollector()
        let sampler = try await SamplerProbe.start(collector)
        let burned = await SampledThread.run {
            var stack = stack_t()
            stack.ss_size = 256 << 10
            stack.ss_sp = UnsafeMutableRawPointer.allocate(byteCount: stack.ss_size, alignment: 4_096)
            sigaltstack(&stack, nil)
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { _ in SampledWork.burn(0.5) }
            action.sa_flags = SA_ONSTACK
            sigaction(SIGUSR2, &action, nil)
            // Threads of the pool, and those that they make, block it.
            var signals = sigset_t()
            sigaddset(&signals, SIGUSR2)
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            raise(SIGUSR2)
        }
        sampler.stop()
        let samples = collector.samples(of: burned.thread)
        SamplerProbe.report("samples", samples.count)
        SamplerProbe.report("stacks", samples.filter { !$0.hasNoStack }.count)
    }

    /// Arrays are allocated and freed: functions of libc use the frame pointer for something else.
    static func allocations() async throws {
        let collector = SampleCollector()
        let sampler = try await SamplerProbe.start(collector, rate: 250)
        let burned = await SampledThread.run {
            let end = ThreadTime.seconds + 1
            var kept: [[Int]] = []
            while ThreadTime.seconds < end {
                for size in 0..<500 { kept.append(Array(repeating: size, count: size % 37 + 1)) }
                kept.removeAll()
            }
        }
        sampler.stop()
        let samples = collector.samples(of: burned.thread)
        SamplerProbe.report("samples", samples.count)
        SamplerProbe.report("none", samples.filter { $0.hasNoStack }.count)
        SamplerProbe.report("short", samples.filter { $0.frames.count < 4 }.count)
    }

    static func overflow(isSampled: Bool) async throws {
        if isSampled { _ = try await SamplerProbe.start(SampleCollector(), rate: 250) }
        _ = await SampledThread.run { recurse(100_000_000) {} }
    }

    @inline(never)
    private static func recurse(_ depth: Int, _ body: () -> Void) {
        if depth > 0 { recurse(depth - 1, body) } else { body() }
        SampledWork.keep(UInt64(depth))
    }
}

/// A sampler that counts by the clock, a thousand times a second.
enum ClockSampler {
    private static let hasStarted = Lock(false)
    private static let sums = Lock<[Int32: (samples: Int, nanoseconds: UInt64)]>([:])

    /// A thread burns, sleeps, and burns while the sampling is paused; another one sleeps.
    static func run() async {
        var options = axiom_sampler_options()
        options.period = 1_000_000
        options.by_clock = true
        options.take = { _, sample in
            guard let sample = sample?.pointee else { return }
            ClockSampler.sums.withLock { sums in
                let known = sums[sample.thread] ?? (0, 0)
                sums[sample.thread] = (known.samples + 1, known.nanoseconds + sample.amount)
            }
        }
        options.tick = { _ in }
        options.finish = { _ in }
        // Each sample ends a sleep.
        async let sleeping = SampledThread.run {
            let end = ContinuousClock.now + .milliseconds(700)
            while ContinuousClock.now < end { usleep(100_000) }
        }
        async let burning = SampledThread.run {
            while !hasStarted.withLock({ $0 }) { usleep(1_000) }
            SampledWork.burn(0.5)
            axiom_sampler_pause(true)
            SampledWork.burn(0.1)
            axiom_sampler_pause(false)
            usleep(100_000)
        }
        usleep(20_000)
        SamplerProbe.report("started", axiom_sampler_start(&options) == axiom_sampler_works ? 1 : 0)
        hasStarted.withLock { $0 = true }
        let (burned, slept) = await (burning, sleeping)
        axiom_sampler_stop()
        let (busy, idle) = sums.withLock { ($0[burned.thread] ?? (0, 0), $0[slept.thread] ?? (0, 0)) }
        SamplerProbe.report("samples", busy.samples)
        SamplerProbe.report("share", Double(busy.nanoseconds) / 1e9 / (burned.seconds - 0.1))
        SamplerProbe.report("idle", idle.samples)
    }
}

/// A sampler without Swift's concurrency, which a child of a fork does not have.
enum RestartedSampler {
    private static let taken = Counter()

    private final class Counter: Sendable {
        let count = Lock(0)
    }

    /// Nil if the calling thread blocks the signal.
    static func samples() -> Int? {
        var options = axiom_sampler_options()
        options.period = 4_000_000
        options.context = Unmanaged.passUnretained(taken).toOpaque()
        options.take = { context, _ in
            if let context { Unmanaged<Counter>.fromOpaque(context).takeUnretainedValue().count.withLock { $0 += 1 } }
        }
        options.tick = { _ in }
        options.finish = { _ in }
        let problem = axiom_sampler_start(&options)
        guard problem == axiom_sampler_works else { return problem == axiom_sampler_signal_blocked ? nil : 0 }
        // The kernel looks at the timer at its own ticks. On a busy machine none may come in 50 ms of the thread.
        for _ in 0..<100 where axiom_sampler_counts().samples == 0 { SampledWork.burn(0.05) }
        axiom_sampler_stop()
        return taken.count.withLock { $0 }
    }
}
#endif
