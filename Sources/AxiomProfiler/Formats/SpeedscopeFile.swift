// SPDX-License-Identifier: Apache-2.0

internal import AxiomInstrumentation
internal import Foundation

/// JSON for https://www.speedscope.app: a profile of samples for each value.
///
/// https://github.com/jlfwong/speedscope/blob/main/src/lib/file-format-spec.ts
enum SpeedscopeFile {
    /// - Parameter began: When the range of the profile begins, in seconds since 1970.
    static func bytes(of profile: Profile, began: Double) -> [UInt8] {
        let frames = profile.frames.map { frame in
            let members: [String: Any?] = ["name": frame.title, "file": frame.file ?? frame.module, "line": frame.line]
            return members.compactMapValues(\.self)
        }
        let kind = profile.stacks.isEmpty ? "Empty profile" : "Profile"
        let file: [String: Any] = [
            "$schema": "https://www.speedscope.app/file-format-schema.json", "exporter": "Axiom",
            "activeProfileIndex": 0,
            "name": "\(kind) of \(Date(timeIntervalSince1970: began.rounded()).formatted(.iso8601))",
            "shared": ["frames": frames], "profiles": profile.measures.map { samples($0, of: profile) },
        ]
        // Texts and integers alone: they can be encoded.
        let json = try? JSONSerialization.data(withJSONObject: file, options: [.sortedKeys, .withoutEscapingSlashes])
        return json.map(Array.init) ?? []
    }

    private static func samples(_ measure: Profile.Measure, of profile: Profile) -> [String: Any] {
        let stacks = profile.stacks.filter { measure.value($0) > 0 }
        let weights = stacks.map(measure.value)
        return [
            "type": "sampled", "name": measure.name, "unit": measure.unit, "startValue": 0,
            "endValue": weights.reduce(0, +), "samples": stacks.map(\.frames), "weights": weights,
        ]
    }
}
