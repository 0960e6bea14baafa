// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

extension Diagnosis {
    /// The diagnosis as `Documentation/schemas/diagnosis-1.schema.json` describes it.
    package var json: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Texts and finite numbers alone: they can be encoded.
        return (try? encoder.encode(self)).map(Array.init) ?? []
    }

    /// The diagnosis for people and for language models.
    ///
    /// - Parameter address: Where the page is, for links; empty if that is not known.
    package func markdown(address: String = "") -> String {
        var lines = ["# \(app): \(headline)", "", "Observed \(QuantityText.moment(at))."]
        for (number, cause) in causes.enumerated() {
            lines += ["", "\(number + 1). **\(cause.says)**"] + cause.lines(at: at, address)
        }
        if !observed.isEmpty { lines += ["", "Observations, which are no problems:"] + observed.map { "- \($0)" } }
        let more = problems - causes.count + observations - observed.count
        if more > 0 { lines += ["", "\(more) more are on the page: \(address)#"] }
        return lines.joined(separator: "\n") + "\n"
    }

    private var headline: String {
        switch verdict {
        case .healthy: "no problems"
        case .observations: "no failures, \(observations) \(observations == 1 ? "observation" : "observations")"
        case .problems: problems == 1 ? "1 problem" : "\(problems) problems"
        }
    }
}

extension Diagnosis.Cause {
    fileprivate func lines(at now: Double, _ address: String) -> [String] {
        let age = QuantityFormat.duration(max(0, now - since)) ?? "some time"
        var lines = ["   - since \(DiagnosisEvidence.time(since)), for \(age)\(isHarmful ? "" : "; it may do harm")"]
        if !path.isEmpty { lines.append("   - path: \(path.joined(separator: " → "))") }
        lines += effects.map { "   - effect: \($0)" }
        if let evidence { lines.append("   - evidence: \(evidence)") }
        return lines + ["   - next: \(address)\(next)"]
    }
}
