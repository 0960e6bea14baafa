// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Dispatch
internal import Foundation

/// One benchmark: its name, how it is measured, and how its body is made in the process that measures it.
struct Benchmark: Sendable {
    /// Sets up, runs the body `iterations` times between the meter's start and stop, and tears down.
    typealias Body = (_ iterations: Int, _ meter: Meter) throws -> Void

    /// What is measured.
    enum Work: Sendable {
        /// A body. Made once in each process, together with its fixtures.
        case body(@Sendable () throws -> Body)
        /// A value, measured once in each process.
        case value(Metric, @Sendable () throws -> Double)
        /// A goal that is not measured, with the reason.
        case nothing(String)
    }

    /// The name with the suite's and the size, as `strings/sort?n=1000`.
    let id: String
    let suite: String
    let options: BenchmarkOptions
    let work: Work
    /// The size of the work, for a benchmark that has several.
    let size: Int?
    let file: String
    let line: Int

    /// The name without the size.
    var family: String { String(id.prefix { $0 != "?" }) }

    /// The metric that the benchmark defines itself.
    var ownMetric: Metric? {
        guard case .value(let metric, _) = work else { return nil }
        return metric
    }
}

/// How often a benchmark of a value repeats its work in this process.
package enum Repetitions {
    /// A variable of processes that judge goals: the best of several decides, so that each may be short.
    static let variable = "AXIOM_BENCH_SHORT"
    private static let isShort = ProcessInfo.processInfo.environment[variable] != nil

    /// `usual`, or in a process that judges goals a fifth of it, and not fewer than `least`.
    package static func count(_ usual: Int, least: Int = 1) -> Int { isShort ? max(least, usual / 5) : usual }
}

/// Runs asynchronous code from the synchronous main of a worker, off the main actor.
enum DetachedBody {
    private final class Box<Value: Sendable>: Sendable {
        /// Set once by the task, read once after the semaphore says so.
        let result = Lock<Result<Value, any Error>?>(nil)
    }

    private struct Unfinished: Error {}

    /// Blocks the calling thread, which must not be one of the concurrency pool, until the task has ended.
    static func run<Value: Sendable>(_ operation: @escaping @Sendable () async throws -> Value) throws -> Value {
        let box = Box<Value>()
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            let result: Result<Value, any Error>
            do {
                result = .success(try await operation())
            } catch {
                result = .failure(error)
            }
            box.result.withLock { $0 = result }
            done.signal()
        }
        done.wait()
        guard let result = box.result.withLock({ $0 }) else { throw Unfinished() }
        return try result.get()
    }
}
