// SPDX-License-Identifier: Apache-2.0

internal import AxiomStatistics
internal import Foundation

/// Makes the records of baseline files from measurements.
enum Recorder {
    /// The metrics of each process.
    private static let sampled: [Metric] = [.wall, .cpu, .peakRSS, .faults, .switches]

    /// The record of one benchmark. The first runs have the counts, one number in each.
    static func record(
        _ benchmark: BenchmarkInfo,
        _ runs: [ProcessRun],
        _ counts: [Metric: [Double]],
        _ settings: RunSettings
    ) -> BenchmarkRecord {
        var record = BenchmarkRecord()
        record.id = benchmark.id
        record.sourceHash = "version \(benchmark.version)"
        record.innerIterations = benchmark.countedIterations
        record.warmup = benchmark.own == nil ? Sampler.warmUps : 0
        record.runs = merged(runs, counts)
        let present = Set(record.runs.flatMap(\.samples.keys))
        let own = benchmark.ownMetric.map { [$0] } ?? []
        for metric in sampled + own + Array(counts.keys) where present.contains(metric.name) {
            record.metrics[metric.name] = recorded(metric, benchmark, settings)
        }
        record.floor = floor(record)
        return record
    }

    private static func merged(_ runs: [ProcessRun], _ counts: [Metric: [Double]]) -> [ProcessRun] {
        var runs = runs
        for (metric, values) in counts {
            for (index, value) in values.enumerated() {
                if index >= runs.count { runs.append(ProcessRun(process: index, start: UTC.now, samples: [:])) }
                runs[index].samples[metric.name] = [value]
            }
        }
        return runs
    }

    private static func recorded(
        _ metric: Metric,
        _ benchmark: BenchmarkInfo,
        _ settings: RunSettings
    ) -> RecordedMetric {
        var recorded = RecordedMetric()
        recorded.unit = metric.unit
        recorded.better = metric.isLowerBetter ? "lower" : "higher"
        let isTime = metric == .wall || metric == .cpu
        recorded.kind = (isTime && !benchmark.judgesTime ? .information : metric.kind).name
        let row = settings.rows(0, benchmark).first { $0.metric == metric }
        recorded.relativeFloor = row?.minimumEffect
        recorded.absoluteFloor = row?.absoluteFloor
        if isTime { recorded.percentiles = [50, 90, 99] }
        return recorded
    }

    /// The deviation between processes, and the smallest effect that as many could show.
    private static func floor(_ record: BenchmarkRecord) -> MeasuredFloor? {
        let medians = record.runs.compactMap { run in
            run.samples[Metric.wall.name].flatMap { try? Statistics.median($0) }
        }
        guard medians.count > 2, medians.allSatisfy({ $0 > 0 }),
            let deviation = try? Statistics.standardDeviation(medians.map { log($0) }),
            let effect = try? MinimumDetectableEffect.effect(deviation: deviation, count: medians.count)
        else { return nil }
        var floor = MeasuredFloor()
        (floor.deviation, floor.detectableEffect) = (deviation, effect)
        return floor
    }

    /// A whole file.
    static func file(
        _ records: [BenchmarkRecord],
        name: String,
        settings: RunSettings,
        package: PackageFolder?
    ) -> BaselineFile {
        var file = BaselineFile()
        file.tool.version = "1"
        file.createdAt = UTC.now
        file.name = name
        file.source = package.map { Git(folder: $0.path).source } ?? SourceIdentity()
        file.build.configuration = PackageFolder.isDebugBuild ? "debug" : "release"
        file.fingerprint = .current()
        let counters = Counters()
        file.counters = [
            "instructions": counters.instructions, "malloc": counters.allocations, "references": counters.references,
        ]
        file.environment.variables = ["SWIFT_DETERMINISTIC_HASHING": "1 where counted"]
        file.design.mode = "solo"
        file.design.seed = settings.seed
        file.design.pin = "same-cpu"
        file.design.order = "random"
        file.design.familyAlpha = settings.alpha
        file.design.minimumEffect = [
            Metric.wall.name: settings.minimumEffect, Metric.peakRSS.name: settings.residentEffect,
        ]
        file.benchmarks = records
        return file
    }
}
