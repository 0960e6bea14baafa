// SPDX-License-Identifier: Apache-2.0

// Attacks an exporter from the address from which it is scraped, and reports how the scrapes fare.
//
//     exporter-attack [--tls] [CONNECTIONS] [SECONDS] [NEW-PER-SECOND]
//
// The exporter, the attacker and the scraper are three processes. Exits with 1 if a request failed, if the 99th
// percentile of the scrapes reached 100 ms, or if the exporter's memory grew by more than 192 MiB; with 2 if it could
// not run.

import AxiomExporter
import AxiomHTTP
import AxiomInstrumentation
import AxiomMetrics
import AxiomTLS
import Foundation

let isTLS = CommandLine.arguments.contains("--tls")
let arguments = CommandLine.arguments.dropFirst().filter { $0 != "--tls" }
switch arguments.first {
case "serve": try await serve(certificates: isTLS ? arguments.last : nil)
case "attack": attack(Array(arguments.dropFirst()))
default: exit(try siege(arguments.map { Double($0) ?? 0 }))
}

/// Serves a page of metrics that is larger than what the kernel takes for a client that does not read.
///
/// - Parameter certificates: The folder of `server.pem` and `server.key`; nil for plain HTTP.
func serve(certificates: String?) async throws {
    let registry = Registry()
    let family = try registry.gauges(
        "attack_queue_depth_messages",
        help: "Messages that wait.",
        labels: Label<Int>("queue"),
        options: MetricOptions(seriesLimit: 20_000)
    )
    for queue in 0..<15_000 { family(queue).set(Double(queue)) }
    var configuration = HTTPServerConfiguration(port: 0)
    configuration.tls = certificates.map {
        TLSConfiguration(certificateFile: "\($0)/server.pem", keyFile: "\($0)/server.key")
    }
    let telemetry = try Telemetry(registry: registry)
    let exporter = try Exporter(telemetry: telemetry, configuration: configuration, onFailure: { _ in })
    try exporter.start()
    FileHandle.standardOutput.write(Data("\(exporter.port ?? 0)\n".utf8))
    // Ends with the parent, which closes the pipe.
    while readLine() != nil {}
    await exporter.stop()
}

func attack(_ arguments: [String]) {
    guard arguments.count == 4, let port = UInt16(arguments[0]), let limit = Int(arguments[1]),
        let seconds = Double(arguments[2]), let rate = Double(arguments[3])
    else { exit(2) }
    var attacker = Attacker(port: port, limit: limit, rate: rate, isTLS: isTLS)
    print(attacker.run(seconds: seconds))
}

/// Runs the three processes and judges.
func siege(_ numbers: [Double]) throws -> Int32 {
    let connections = numbers.first ?? 1_000
    let seconds = numbers.dropFirst().first ?? 10
    let rate = numbers.dropFirst(2).first ?? 500
    guard connections >= 1, seconds > 0, rate > 0 else {
        print("usage: exporter-attack [--tls] [CONNECTIONS] [SECONDS] [NEW-PER-SECOND], each a number above 0")
        return 2
    }
    let folder = FileManager.default.temporaryDirectory.appending(path: "exporter-attack-\(getpid())").path
    if isTLS { try makeCertificate(in: folder) }
    let (server, input, output) = try spawn(["serve", folder])
    defer {
        try? input.close()
        server.waitUntilExit()
        if isTLS { try? FileManager.default.removeItem(atPath: folder) }
    }
    let line = String(decoding: output.availableData, as: UTF8.self)
    guard let port = UInt16(line.filter(\.isNumber)), port > 0 else { return 2 }
    var report = Report(process: server.processIdentifier)
    report.scrape(port, seconds: 2, isTLS: isTLS)
    report.beginAttack()
    let (attacker, _, words) = try spawn(["attack", "\(port)", "\(Int(connections))", "\(seconds)", "\(rate)"])
    report.scrape(port, seconds: seconds, isTLS: isTLS)
    attacker.waitUntilExit()
    print(String(decoding: words.availableData, as: UTF8.self), terminator: "")
    return report.verdict()
}

/// Makes a certificate for localhost by `openssl`.
func makeCertificate(in folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
        "openssl", "req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-newkey", "ec", "-pkeyopt",
        "ec_paramgen_curve:prime256v1", "-keyout", "\(folder)/server.key", "-out", "\(folder)/server.pem",
    ]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
}

func spawn(_ arguments: [String]) throws -> (process: Process, input: FileHandle, output: FileHandle) {
    let process = Process()
    let (input, output) = (Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = (isTLS ? ["--tls"] : []) + arguments
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    return (process, input.fileHandleForWriting, output.fileHandleForReading)
}
