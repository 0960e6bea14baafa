// SPDX-License-Identifier: Apache-2.0

import AxiomBenchmarking
import Greeting

@main
struct GreetingBenchmarks: BenchmarkProgram {
    static var suites: [BenchmarkSuite] { [greeting] }

    private static let greeting = BenchmarkSuite("greeting") { suite in
        suite.add("letters", fixture: Greeting(names: (0..<1_000).map { "name \($0)" })) { greeting, iterations in
            for _ in 0..<iterations { blackHole(opaque(greeting).letters()) }
        }
        suite.add("make") { iterations in
            for _ in 0..<iterations { blackHole(Greeting(names: [opaque("Ada"), opaque("Grace")])) }
        }
    }
}
