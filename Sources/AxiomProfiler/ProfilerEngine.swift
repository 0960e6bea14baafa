// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomInstrumentation
internal import AxiomSymbols

#if os(Linux) && canImport(Glibc)
/// The parts of a profiler: what samples, what names, and what stores.
final class ProfilerEngine: SampleConsumer {
    private let options: Profiler.Options
    private let sampler: ThreadSampler
    private let heap: HeapSampler?
    private let store: ProfileStore

    init(_ spans: ProfiledSpans?, _ options: Profiler.Options) {
        self.options = options
        sampler = ThreadSampler()
        heap = HeapSampler.isLinked ? HeapSampler() : nil
        store = ProfileStore(spans, Symbolizer())
    }

    func start() async throws(ProfilerError) {
        try heap?.start(interval: options.allocationInterval) { [store] in store.take($0, isAllocation: true) }
        try await sampler.start(consumer: self, rate: options.rate)
    }

    func stop() {
        sampler.stop()
        heap?.stop()
        store.stop()
    }

    func take(_ sample: RawSample) { store.take(sample) }

    func tick() {
        heap?.drain()
        store.tick(lost: sampler.counts.lost, lostAllocated: heap?.lost.samples ?? 0)
    }

    func profile(_ query: ProfileQuery) -> Profile {
        let live = heap?.live()
        var profile = store.profile(query, rate: options.rate, live: live, lostLive: heap?.lost.blocks ?? 0)
        let sampled = sampler.counts
        (profile.ended, profile.unsampled) = (sampled.end, sampled.unsampledThreads)
        return profile
    }

    var counts: Profiler.Counts {
        var counts = Profiler.Counts()
        let sampled = sampler.counts
        (counts.labelled, counts.outside) = store.counts
        (counts.lost, counts.end) = (sampled.lost, sampled.end)
        (counts.threads, counts.unsampledThreads) = (sampled.threads, sampled.unsampledThreads)
        return counts
    }
}
#else
/// Stands for the profiler on systems for which there is none.
final class ProfilerEngine: Sendable {
    init(_ spans: ProfiledSpans?, _ options: Profiler.Options) {}

    func start() async throws(ProfilerError) { throw .unsupported("it needs Linux with glibc") }
    func stop() {}

    func profile(_ query: ProfileQuery) -> Profile {
        Profile(start: TimeSource.live.now, end: TimeSource.live.now, rate: 0)
    }

    var counts: Profiler.Counts { Profiler.Counts() }
}
#endif
