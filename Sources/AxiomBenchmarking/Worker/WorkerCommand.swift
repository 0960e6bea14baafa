// SPDX-License-Identifier: Apache-2.0

/// What a worker is asked, as a line of words, and what it answers: `ok` and numbers, or `error` and words.
///
/// Both sides may be of different builds, so the greeting carries a version.
enum WorkerCommand: Equatable {
    /// How many iterations fill so many nanoseconds? Answer: iterations, nanoseconds for each, and by how much the time
    /// of four times as many is longer.
    case calibrate(nanoseconds: Int64)
    /// Take one sample. Answer: nanoseconds on the clock and of the processor, for the whole sample.
    case sample(iterations: Int)
    /// Count. Answer: allocations, bytes, instructions for the whole; -1 for what is not counted.
    case count(iterations: Int)
    /// Count references. Answer: retains, releases; -1 when the runtime has no hooks. Later samples are slower.
    case references(iterations: Int)
    /// Measure the value. Answer: the value.
    case value
    /// Answer: peak size in bytes, faults, context switches.
    case facts

    /// What the first line of a worker is.
    static let greeting = "axiom-worker 1"

    var line: String {
        switch self {
        case .calibrate(let nanoseconds): "calibrate \(nanoseconds)"
        case .sample(let iterations): "sample \(iterations)"
        case .count(let iterations): "count \(iterations)"
        case .references(let iterations): "references \(iterations)"
        case .value: "value"
        case .facts: "facts"
        }
    }

    init?(_ line: String) {
        let words = line.split(separator: " ")
        let number = words.count > 1 ? Int(words[1]) : nil
        switch (words.first, number) {
        case ("calibrate", let number?): self = .calibrate(nanoseconds: Int64(number))
        case ("sample", let number?): self = .sample(iterations: number)
        case ("count", let number?): self = .count(iterations: number)
        case ("references", let number?): self = .references(iterations: number)
        case ("value", nil): self = .value
        case ("facts", nil): self = .facts
        default: return nil
        }
    }
}
