// SPDX-License-Identifier: Apache-2.0

#if os(Linux) && canImport(Glibc)
import AxiomBase
import AxiomProfiler
import Foundation
import Glibc

/// What a program does to its process while it is sampled.
enum SamplerStorms {
    /// Signals of the program, and the profiler's number from the program, a thousand times a second each.
    static func signals() async throws {
        signal(SIGUSR1) { _ in }
        let collector = SampleCollector()
        let sampler = try await SamplerProbe.start(collector)
        let isOver = Lock(false)
        async let sent = SampledThread.run {
            while !isOver.withLock({ $0 }) {
                kill(getpid(), SIGUSR1)
                kill(getpid(), SIGPROF)
                usleep(1_000)
            }
        }
        let burned = await SampledThread.run { SampledWork.burn(1) }
        isOver.withLock { $0 = true }
        _ = await sent
        sampler.stop()
        SamplerProbe.report("share", collector.seconds(of: burned.thread) / burned.seconds)
    }

    /// Libraries with thread-local storage are loaded and unloaded.
    static func libraries() async throws {
        let collector = SampleCollector()
        let sampler = try await SamplerProbe.start(collector, rate: 250)
        let loaded = Lock(0)
        let burned = await SampledThread.run {
            let end = ThreadTime.seconds + 0.7
            while ThreadTime.seconds < end {
                for name in ["libapt-pkg.so.6.0", "libblkid.so.1", "libcom_err.so.2"] {
                    guard let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) else { continue }
                    loaded.withLock { $0 += 1 }
                    dlclose(library)
                }
                SampledWork.burn(0.001)
            }
        }
        sampler.stop()
        SamplerProbe.report("loaded", loaded.withLock { $0 })
        SamplerProbe.report("share", collector.seconds(of: burned.thread) / burned.seconds)
    }

    /// Children that only end, and children that stop the sampler, start it again and stop it.
    static func fork() async throws {
        let collector = SampleCollector()
        let sampler = try await SamplerProbe.start(collector, rate: 250)
        let isOver = Lock(false)
        async let burned = SampledThread.run { while !isOver.withLock({ $0 }) { SampledWork.burn(0.01) } }
        var ended = 0
        for round: Int32 in 0..<40 {
            SampledWork.burn(0.002)
            let child = forked()
            if child == 0 {
                // A signal of the parent would end the child, which has no handler.
                SampledWork.burn(0.01)
                if round % 2 == 0 { restart(sampler) }
                _exit(round)
            }
            var status: Int32 = 0
            waitpid(child, &status, 0)
            if status == round << 8 { ended += 1 } else { SamplerProbe.report("child\(round)", status) }
        }
        isOver.withLock { $0 = true }
        let (thread, seconds) = await burned
        sampler.stop()
        SamplerProbe.report("ended", ended)
        SamplerProbe.report("share", collector.seconds(of: thread) / seconds)
    }

    /// Only what a child of a fork may do.
    private static func restart(_ sampler: ThreadSampler) {
        sampler.stop()
        guard SampledWork.hasDefaultAction(SIGPROF), RestartedSampler.samples() ?? 0 > 0 else { _exit(100) }
    }

    private static func forked() -> Int32 {
        typealias Fork = @convention(c) () -> Int32
        guard let symbol = dlsym(nil, "fork") else { return -1 }
        return unsafeBitCast(symbol, to: Fork.self)()
    }

    /// Becomes this program again while four threads burn.
    static func exec(rest: Int) async throws {
        guard rest > 0 else { return print("done 1") }
        _ = try await SamplerProbe.start(SampleCollector(), rate: 250)
        for _ in 0..<4 { Thread.detachNewThread { while true { SampledWork.burn(1) } } }
        SampledWork.burn(0.03)
        let arguments = ["/proc/self/exe", "sampler", "exec", "\(rest - 1)"]
        var pointers = arguments.map { strdup($0) } + [nil]
        execv("/proc/self/exe", &pointers)
        print("failed \(errno)")
    }
}
#endif
