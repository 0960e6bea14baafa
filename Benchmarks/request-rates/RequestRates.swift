// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomBase

/// `request-rates`: how many requests some callers get answered in a second, by a request handler, by a context and by plain
/// actors.
@main
struct RequestRates: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "request-rates",
        abstract: "Compares the rates and durations of requests by a handler, by a context and by plain actors.",
        discussion: """
            Callers without a pause send bodies of about 200 bytes; each answer reads the body, changes a dictionary of an \
            actor and writes a text, by the same code. Each way runs in slices of a quarter of a second. All ways have one \
            slice in each round, in an order by chance, so that other programs on the machine disturb all of them. A ratio \
            is the median over the rounds, with the middle half of the rounds. Build it in release.
            """
    )

    @Option(help: "How long each way runs, in seconds: 1 to 600.")
    var seconds = 10

    @Option(help: "How many callers there are: 1 to 1000.")
    var callers = 16

    @Option(help: "How a body is read and answered: small, by code of its own, or json, by the coders of Foundation.")
    var work = RateWork.small

    @Option(help: "The seed of the order of the slices.")
    var seed = UInt64.random(in: 1...999_999)

    @Option(help: "Runs only the ways whose names contain this text, for a profiler.")
    var only = ""

    func validate() throws {
        guard (1...600).contains(seconds) else {
            throw ValidationError("--seconds is \(seconds); 1 to 600 are allowed.")
        }
        guard (1...1_000).contains(callers) else {
            throw ValidationError("--callers is \(callers); 1 to 1000 are allowed.")
        }
    }

    func run() async throws {
        let ways = try await RateWays.start(work)
        let all = ways.all.filter { only.isEmpty || $0.name.contains(only) }
        guard !all.isEmpty else { throw ValidationError("--only is \(only): no way has it in its name.") }
        var random = SeededGenerator(seed: seed)
        var results = all.map { _ in RateMeasurement() }
        // The first round only warms up.
        for round in 0...seconds * 4 {
            for way in all.indices.shuffled(using: &random) {
                let slice = try await RateSlice.run(all[way], callers: callers, for: .milliseconds(250))
                if round > 0 { results[way].add(slice) }
            }
        }
        print("\(callers) callers, \(seconds) s for each way, in slices of 250 ms; work \(work); seed \(seed)")
        print(Self.line(["way", "requests/s", "p50 us", "p99 us", "cpu us", "rate", "cpu"]))
        for (way, result) in zip(all, results) { print(Self.line(Self.cells(way, result, comparedTo: results[0]))) }
        withExtendedLifetime(ways) {}
    }

    private static func cells(
        _ way: RateWay,
        _ result: RateMeasurement,
        comparedTo first: RateMeasurement
    ) -> [String] {
        let rate = result.rates.reduce(0, +) / Double(max(1, result.rates.count))
        let processor = result.processorTimes.sorted()[result.processorTimes.count / 2] / 1_000
        let durations = result.microseconds([0.5, 0.99])
        return [way.name, "\(Int(rate))"] + (durations + [processor]).map { rounded($0, 1) }
            + [result.ratio(to: first, \.rates), result.ratio(to: first, \.processorTimes)].map { median, middle in
                "\(rounded(median, 2)) (\(rounded(middle.lowerBound, 2))-\(rounded(middle.upperBound, 2)))"
            }
    }

    private static func line(_ cells: [String]) -> String {
        let widths = [36, 12, 10, 10, 8, 18, 18]
        return zip(cells, widths).enumerated().map { index, cell in
            let space = String(repeating: " ", count: max(1, cell.1 - cell.0.count))
            return index == 0 ? cell.0 + space : space + cell.0
        }.joined()
    }

    private static func rounded(_ value: Double, _ digits: Int) -> String {
        let scale = digits == 1 ? 10.0 : 100.0
        return "\((value * scale).rounded() / scale)"
    }
}
