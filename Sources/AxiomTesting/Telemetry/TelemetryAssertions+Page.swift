// SPDX-License-Identifier: Apache-2.0

internal import AxiomInstrumentation
internal import AxiomMetrics
public import Testing

extension TelemetryAssertions {
    /// Compares the page of metrics with a golden file.
    ///
    /// ```swift
    /// await assertions.expectPage("Golden/cart.prom", masking: [.only("axiom_client_", "shop_"), .durations])
    /// ```
    /// The page is in Prometheus' text format and contains everything since the telemetry was made, when nothing is under
    /// way. A difference is shown
    /// as a unified diff. With `AXIOM_RECORD=1` in the environment the file is written instead if it differs, and the test
    /// has a warning. The `exclude:` of the test target should name the folder of golden files.
    ///
    /// - Parameters:
    ///   - name: The path of the file, relative to the folder of the calling source file, or absolute.
    ///   - masks: What is not compared because it differs from run to run.
    ///   - sourceLocation: Where failures are reported.
    ///   - source: The calling source file.
    public func expectPage(
        _ name: String,
        masking masks: [PageMask] = [.process, .durations, .sizes, .budgets],
        sourceLocation: SourceLocation = #_sourceLocation,
        source: String = #filePath
    ) async {
        if let obstacle = obstacle("the page \(name)") { return fail(obstacle, sourceLocation) }
        await settle(sourceLocation: sourceLocation)
        let page = telemetry.registry.collect()
        for problem in page.problems { fail("The page is incomplete: \(problem)", sourceLocation) }
        let text = MaskedPage(page.text, masks).text
        let file = GoldenFile(name, besides: source)
        switch file.compare(text, isRecording: GoldenFile.isRecording) {
        case .equal: break
        case .recorded(let message):
            Issue.record(Comment(rawValue: message), severity: .warning, sourceLocation: sourceLocation)
        case .failed(let message): fail(message, sourceLocation)
        }
    }
}
