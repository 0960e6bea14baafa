// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
internal import Axiom
internal import AxiomBase
internal import AxiomSymbols
internal import CAxiomProfiler

/// Samples the stacks of the threads of this process by their processor time. One runs at a time.
package final class ThreadSampler: Sendable {
    /// Since the start.
    package struct Counts: Sendable, Hashable {
        package var samples = 0
        /// Samples for which there was no free record.
        package var lost = 0
        /// Threads now: none after the end.
        package var threads = 0
        /// Threads now for which the kernel gives no timer, or which are more than 1,024.
        package var unsampledThreads = 0
        /// Why the sampling ended by itself; nil if it did not.
        package var end: String?
    }

    private enum State {
        case running
        /// Until the sampler's thread ends.
        case stopping
        case ended(Counts)
    }

    private let state = Lock(State.ended(Counts()))

    package init() {}

    /// Starts the sampling. Until ``stop()``, the consumer is called on the sampler's thread, and both are retained.
    ///
    /// - Parameters:
    ///   - rate: Samples per second of processor time of each thread.
    package func start(consumer: any SampleConsumer, rate: Int) async throws(ProfilerError) {
        guard LabelCalibration.canRead else { throw .cannotRead }
        if let problem = await LabelCalibration.problem { throw .unsupported(problem) }
        let run = Unmanaged.passRetained(Run(sampler: self, consumer: consumer))
        var options = Run.options(run.toOpaque(), period: 1_000_000_000 / Int64(rate))
        let problem = state.withLock { state in
            guard case .ended = state else { return axiom_sampler_runs }
            let problem = axiom_sampler_start(&options)
            if problem == axiom_sampler_works { state = .running }
            return problem
        }
        guard let error = ProfilerError.of(problem) else { return }
        run.release()
        throw error
    }

    /// Ends the sampling after the last samples were taken. Called by the consumer, it returns before.
    package func stop() {
        let wasRunning = state.withLock { state in
            guard case .running = state else { return false }
            state = .stopping
            return true
        }
        if wasRunning { axiom_sampler_stop() }
    }

    package var counts: Counts {
        state.withLock { state in
            switch state {
            case .running, .stopping: Counts(axiom_sampler_counts())
            case .ended(let counts): counts
            }
        }
    }

    /// What the functions of the C side get.
    private final class Run: Sendable {
        let sampler: ThreadSampler
        let consumer: any SampleConsumer

        init(sampler: ThreadSampler, consumer: any SampleConsumer) {
            (self.sampler, self.consumer) = (sampler, consumer)
        }

        static func options(_ context: UnsafeMutableRawPointer, period: Int64) -> axiom_sampler_options {
            axiom_sampler_options(
                period: period,
                by_clock: false,
                take: { context, sample in
                    if let sample { Run.at(context)?.consumer.take(RawSample(sample)) }
                },
                tick: { Run.at($0)?.consumer.tick() },
                finish: { context in
                    guard let run = Run.at(context) else { return }
                    run.sampler.state.withLock { $0 = .ended(Counts(axiom_sampler_counts())) }
                    Unmanaged.passUnretained(run).release()
                },
                context: context
            )
        }

        private static func at(_ context: UnsafeMutableRawPointer?) -> Run? {
            context.map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
        }
    }
}

extension ThreadSampler.Counts {
    fileprivate init(_ counts: axiom_sampler_counts) {
        self.init(
            samples: Int(counts.samples),
            lost: Int(counts.lost),
            threads: Int(counts.threads),
            unsampledThreads: Int(counts.unsampled),
            end: counts.has_lost_signal ? ProfilerError.signalTaken.message : nil
        )
    }
}

extension RawSample {
    init(_ sample: UnsafePointer<axiom_sample>) {
        let (arrays, sample, flags) = (sample, sample.pointee, Int(sample.pointee.flags))
        let spans: [axiom_span] = arrays.array(\.spans, sample.span_count)
        self.init(
            time: Instant(nanoseconds: sample.time),
            thread: sample.thread,
            amount: Int64(clamping: sample.amount),
            spans: spans.map { SpanContext(trace: $0.trace, span: $0.span, record: $0.record, subject: $0.subject) },
            frames: arrays.array(\.frames, sample.frame_count),
            words: arrays.array(\.words, sample.word_count),
            isCut: flags & axiom_sample_is_cut != 0,
            hasNoStack: flags & axiom_sample_has_no_stack != 0
        )
    }
}

extension ProfilerError {
    fileprivate static let signalTaken = ProfilerError(
        code: .profilerSignalTaken,
        message: "The program handles or ignores SIGPROF, which the profiler needs.",
        recoverySuggestion: "Start the profiler without the other user of the signal."
    )

    fileprivate static let cannotRead = unsupported("process_vm_readv(2) fails", remedy: allow + ".")
    private static let allow = "Allow it in the seccomp profile"

    fileprivate static func of(_ problem: axiom_sampler_problem) -> ProfilerError? {
        switch problem {
        case axiom_sampler_works: nil
        case axiom_sampler_runs: .running
        case axiom_sampler_signal_taken: .signalTaken
        case axiom_sampler_signal_blocked:
            .unsupported("the threads that run tasks block SIGPROF", remedy: "Unblock it before a task runs.")
        case axiom_sampler_cannot_read: .cannotRead
        case axiom_sampler_no_timer:
            .unsupported("timer_create(2) fails", remedy: allow + ", and a pending signal for each thread (ulimit -i).")
        case axiom_sampler_no_threads: .unsupported("/proc/self/task cannot be read", remedy: "Mount /proc.")
        default: .unsupported("the system gives no thread", remedy: "Allow more threads (ulimit -u).")
        }
    }
}
#endif
