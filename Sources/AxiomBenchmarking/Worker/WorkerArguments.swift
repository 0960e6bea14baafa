// SPDX-License-Identifier: Apache-2.0

/// The arguments with which a program runs itself as a worker, a list of benchmarks, or a load.
enum WorkerArguments: Equatable {
    /// Measure one benchmark, on one processor unless it is nil, and take so much longer than it would (0.05 is 5 %).
    case worker(id: String, processor: Int?, injected: Double)
    /// Print the benchmarks.
    case list
    /// Keep a processor busy until the parent ends.
    case hog

    private static let workerFlag = "--axiom-worker"
    private static let listFlag = "--axiom-worker-list"
    private static let hogFlag = "--axiom-worker-hog"

    var arguments: [String] {
        switch self {
        case .worker(let id, let processor, let injected):
            [Self.workerFlag, id, processor.map(String.init) ?? "any", "\(injected)"]
        case .list: [Self.listFlag]
        case .hog: [Self.hogFlag]
        }
    }

    init?(_ arguments: [String]) {
        switch arguments.first {
        case Self.workerFlag where arguments.count == 4:
            self = .worker(id: arguments[1], processor: Int(arguments[2]), injected: Double(arguments[3]) ?? 0)
        case Self.listFlag: self = .list
        case Self.hogFlag: self = .hog
        default: return nil
        }
    }
}
