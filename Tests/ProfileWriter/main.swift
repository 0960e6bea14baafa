// SPDX-License-Identifier: Apache-2.0

import AxiomStatistics
import Foundation

// Saves one generation of a baseline after the other at a given path, and prints its number, until it is killed.
var path = ""
var generation = 0
for (position, argument) in CommandLine.arguments.enumerated() {
    if position == 1 { path = argument }
    if position == 2 { generation = Int(argument) ?? 0 }
}

var file = BaselineFile()
var benchmark = BenchmarkRecord()
benchmark.id = "Writer/generation"
var metric = RecordedMetric()
metric.unit = "1"
benchmark.metrics = ["generation": metric]
file.benchmarks = [benchmark]

while true {
    generation += 1
    let samples = [Double](repeating: Double(generation), count: 200)
    file.name = "\(generation)"
    file.benchmarks[0].runs = [ProcessRun(process: 0, start: "", samples: ["generation": samples])]
    try file.save(to: path)
    // Written without a buffer, and only when the file must outlive the process.
    FileHandle.standardOutput.write(Data("\(generation)\n".utf8))
}
