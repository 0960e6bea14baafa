// SPDX-License-Identifier: Apache-2.0

#if os(Linux) && canImport(Glibc)
import Axiom
import AxiomBase
import AxiomProfiler
import CAxiomProfiler
import CPlantedCode
import Foundation
import Glibc

/// What the sampler says about planted work in this process: lines of a name and a number.
///
///     profiler-probe sampler NAME [ARGUMENT]
enum SamplerProbe {
    static func run(_ arguments: [String]) async {
        let argument = arguments.count > 1 ? arguments[1] : ""
        do {
            switch arguments.first {
            case "labels": try await SamplerLabels.run(seed: UInt64(argument) ?? 1)
            case "time": try await time()
            case "thread": try await thread()
            case "crowd": try await crowd()
            case "blocked": try await blockedPool()
            case "restart": try await restart()
            case "taken": try await taken()
            case "many": try await many()
            case "released": try await released()
            case "refused": try await refused()
            case "unreadable": try await unreadable()
            case "cost": await cost()
            case "storm": try await SamplerStorms.signals()
            case "libraries": try await SamplerStorms.libraries()
            case "fork": try await SamplerStorms.fork()
            case "exec": try await SamplerStorms.exec(rest: Int(argument) ?? 10)
            case "deep": try await SamplerStacks.deep()
            case "clock": await ClockSampler.run()
            case "alternate": try await SamplerStacks.alternate()
            case "allocations": try await SamplerStacks.allocations()
            case "overflow": try await SamplerStacks.overflow(isSampled: argument == "sampled")
            default: print("unknown \(arguments)")
            }
        } catch {
            print("error \(error)")
        }
    }

    static func start(_ collector: SampleCollector, rate: Int = 97) async throws(ProfilerError) -> ThreadSampler {
        let sampler = ThreadSampler()
        try await sampler.start(consumer: collector, rate: rate)
        return sampler
    }

    static func report(_ name: String, _ number: some Numeric) { print(name, number) }

    /// A seccomp profile forbids to read memory as the handler does.
    private static func unreadable() async throws {
        guard planted_forbid_reading() == 0 else { return report("forbidden", 0) }
        do {
            _ = try await start(SampleCollector())
        } catch {
            report("named", error.message.contains("process_vm_readv") ? 1 : 0)
            report("remedied", error.recoverySuggestion.contains("seccomp") ? 1 : 0)
        }
    }

    /// Burns a second of a thread: the samples' amounts as a share of its processor time.
    private static func time() async throws {
        let collector = SampleCollector()
        let sampler = try await start(collector)
        let burned = await SampledThread.run { SampledWork.burn(1) }
        sampler.stop()
        report("share", collector.seconds(of: burned.thread) / burned.seconds)
        report("spans", collector.samples(of: burned.thread).filter { !$0.spans.isEmpty }.count)
        report("own", collector.all.filter { $0.isOwn }.count)
        report("counted", sampler.counts.samples - collector.all.count)
    }

    /// A new thread burns after two ticks: the samples' amounts as a share of its processor time.
    private static func thread() async throws {
        let collector = SampleCollector()
        let sampler = try await start(collector)
        while collector.ticks < 3 { await Task.yield() }
        let burned = await SampledThread.run {
            let end = collector.ticks + 2
            while collector.ticks < end { usleep(1_000) }
            SampledWork.burn(0.3)
        }
        sampler.stop()
        report("share", collector.seconds(of: burned.thread) / burned.seconds)
    }

    /// 500 threads that come and go, in 10 waves.
    private static func crowd() async throws {
        let collector = SampleCollector()
        let sampler = try await start(collector)
        while collector.ticks < 2 { await Task.yield() }
        let threads = sampler.counts.threads
        var most = 0
        for _ in 0..<10 {
            let gate = collector.ticks + 2
            let crowd = (0..<50).map { _ in
                Task.detached { await SampledThread.run { SampledWork.idle(until: gate, collector) } }
            }
            for task in crowd { _ = await task.value }
            most = max(most, sampler.counts.threads)
        }
        let end = collector.ticks + 2
        while collector.ticks < end { await Task.yield() }
        report("more", sampler.counts.threads - threads)
        report("most", most)
        report("unsampled", sampler.counts.unsampledThreads)
        report("lost", sampler.counts.lost)
        sampler.stop()
        report("samples", collector.all.count)
    }

    /// Every thread of the pool is blocked; a thread burns.
    private static func blockedPool() async throws {
        let collector = SampleCollector()
        let sampler = try await start(collector)
        let gate = DispatchSemaphore(value: 0)
        let done = DispatchSemaphore(value: 0)
        let count = ProcessInfo.processInfo.activeProcessorCount + 1
        for _ in 0..<count { Task.detached { SampledWork.wait(gate) } }
        let thread = Lock<Int32>(0)
        Thread.detachNewThread {
            usleep(50_000)
            thread.withLock { $0 = SampledThread.number }
            SampledWork.burn(0.5)
            for _ in 0..<count { gate.signal() }
            done.signal()
        }
        SampledWork.wait(done)
        sampler.stop()
        report("samples", collector.samples(of: thread.withLock { $0 }).count)
    }

    private static func restart() async throws {
        let collector = SampleCollector()
        var rejected = 0
        for round in 0..<100 {
            let sampler = try await start(collector, rate: 250)
            if round % 10 == 0 {
                do { _ = try await start(collector) } catch { rejected += error.code == "AXIOM_PROFILER_003" ? 1 : 0 }
                SampledWork.burn(0.03)
            }
            sampler.stop()
        }
        let sampler = try await start(collector)
        let before = collector.all.count
        SampledWork.burn(0.3)
        sampler.stop()
        report("samples", collector.all.count - before)
        report("rejected", rejected)
        report("default", SampledWork.hasDefaultAction(SIGPROF) ? 1 : 0)
    }

    /// The program has the signal, and takes it later.
    private static func taken() async throws {
        let collector = SampleCollector()
        signal(SIGPROF) { _ in }
        do {
            _ = try await start(collector)
        } catch {
            report("taken", error.message.contains("handles or ignores") ? 1 : 0)
        }
        signal(SIGPROF, SIG_DFL)
        let sampler = try await start(collector)
        SampledWork.burn(0.2)
        signal(SIGPROF) { _ in }
        let end = collector.ticks + 3
        while collector.ticks < end { SampledWork.burn(0.001) }
        let count = collector.all.count
        SampledWork.burn(0.2)
        report("more", collector.all.count - count)
        report("ended", sampler.counts.end == nil ? 0 : 1)
        report("threads", sampler.counts.threads)
        sampler.stop()
        report("kept", SampledWork.hasDefaultAction(SIGPROF) ? 0 : 1)
    }

    /// A running sampler is retained by itself and by its consumer. When the consumer stops it, both are released.
    private static func released() async throws {
        let kept = try await WeakOwner()
        SampledWork.burn(0.3)
        report("runs", kept.owner?.sampler.counts.samples ?? 0 > 0 ? 1 : 0)
        kept.owner?.sampler.stop()
        report("kept", kept.owner == nil ? 0 : 1)
    }

    /// 1,100 threads that wait.
    private static func many() async throws {
        let collector = SampleCollector()
        let sampler = try await start(collector)
        let gate = DispatchSemaphore(value: 0)
        for _ in 0..<1_100 { Thread.detachNewThread { SampledWork.wait(gate) } }
        while collector.ticks < 100, sampler.counts.unsampledThreads < 77 { await Task.yield() }
        report("threads", sampler.counts.threads)
        sampler.stop()
        for _ in 0..<1_100 { gate.signal() }
    }

    /// The system gives no timer, because each takes a pending signal; and the threads of tasks block the signal.
    private static func refused() async throws {
        _ = await SampledThread.run {
            var signals = sigset_t()
            sigaddset(&signals, SIGPROF)
            pthread_sigmask(SIG_BLOCK, &signals, nil)
            if RestartedSampler.samples() == nil { report("blocked", 1) }
        }
        var limit = rlimit()
        setrlimit(__rlimit_resource_t(__RLIMIT_SIGPENDING.rawValue), &limit)
        do { _ = try await start(SampleCollector()) } catch { report(error.code.rawValue, 1) }
        report("default", SampledWork.hasDefaultAction(SIGPROF) ? 1 : 0)
    }

    /// Nanoseconds of the handler's work with three spans, without the delivery of the signal.
    private static func cost() async {
        let collector = SampleCollector()
        guard let sampler = try? await start(collector) else { return }
        let nanoseconds = await SampledWork.bind(1) {
            await SampledWork.bind(2) { await SampledWork.bind(3) { SampledWork.nanosecondsOfCapture(depth: 25) } }
        }
        sampler.stop()
        report("nanoseconds", nanoseconds)
    }
}

/// A consumer that keeps its sampler.
private final class SamplerOwner: SampleConsumer {
    let sampler = ThreadSampler()

    func take(_ sample: RawSample) { if sample.thread == 0 { SamplerProbe.report("wrong", 1) } }
    func tick() {}
}

private struct WeakOwner {
    weak let owner: SamplerOwner?

    init() async throws {
        let owner = SamplerOwner()
        try await owner.sampler.start(consumer: owner, rate: 250)
        self.owner = owner
    }
}

final class SampleCollector: SampleConsumer {
    private struct State {
        var samples: [RawSample] = []
        var ticks = 0
    }

    private let state = Lock(State())

    func take(_ sample: RawSample) {
        state.withLock { $0.samples.append(sample) }
    }

    func tick() { state.withLock { $0.ticks += 1 } }

    var ticks: Int { state.withLock { $0.ticks } }
    var all: [RawSample] { state.withLock { $0.samples } }

    func samples(of thread: Int32) -> [RawSample] { all.filter { $0.thread == thread } }
    func seconds(of thread: Int32) -> Double { samples(of: thread).reduce(0) { $0 + Double($1.amount) * 1e-9 } }
}

extension RawSample {
    /// Whether it is of the sampler's thread.
    fileprivate var isOwn: Bool {
        (try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)) == "axiom-profiler\n"
    }
}

/// A thread that is none of the pool.
enum SampledThread {
    static var number: Int32 {
        var sample = axiom_sample()
        axiom_capture(&sample, 0, 0, 0)
        return sample.thread
    }

    static func run(_ body: @escaping @Sendable () -> Void) async -> (thread: Int32, seconds: Double) {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let start = ThreadTime.seconds
                body()
                continuation.resume(returning: (number, ThreadTime.seconds - start))
            }
        }
    }
}

enum SampledWork {
    static func bind<R>(_ subject: UInt64, _ body: () async throws -> R) async rethrows -> R {
        let span = SpanContext(trace: subject, span: subject, record: 0, subject: subject)
        return try await OperationContext.$current.withValue(OperationContext(span: span), operation: body)
    }

    /// Burns processor time of the calling thread, in seconds.
    @inline(never)
    static func burn(_ seconds: Double) {
        let end = ThreadTime.seconds + seconds
        var value: UInt64 = 1
        while ThreadTime.seconds < end {
            for _ in 0..<1_000 { value = value &* 6_364_136_223_846_793_005 &+ 1 }
        }
        keep(value)
    }

    @inline(never)
    static func keep(_ value: UInt64) {}

    static func idle(until tick: Int, _ collector: SampleCollector) {
        while collector.ticks < tick {
            burn(0.0005)
            usleep(5_000)
        }
    }

    static func wait(_ semaphore: DispatchSemaphore) { semaphore.wait() }

    static func hasDefaultAction(_ signal: Int32) -> Bool {
        var action = sigaction()
        return sigaction(signal, nil, &action) == 0 && action.__sigaction_handler.sa_handler == nil
    }

    @inline(never)
    static func nanosecondsOfCapture(depth: Int) -> Double {
        depth > 0 ? nanosecondsOfCapture(depth: depth - 1) + Double.zero : nanosecondsOfCapture()
    }

    @inline(never)
    private static func nanosecondsOfCapture() -> Double {
        let rounds = 20_000
        let frame = planted_frame()
        let code = UInt(bitPattern: dlsym(nil, "malloc"))
        var sample = axiom_sample()
        let start = ThreadTime.seconds
        for _ in 0..<rounds { axiom_capture(&sample, code, frame, frame - 64) }
        let nanoseconds = (ThreadTime.seconds - start) / Double(rounds) * 1e9
        precondition(sample.frame_count > 25 && sample.span_count == 3)
        return nanoseconds
    }
}
#endif
