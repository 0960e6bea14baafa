// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// A dashboard as a file that needs no server, of snapshots that were saved.
///
/// ```swift
/// let file = try DashboardFile.render(snapshot, from: "snapshot.json")
/// ```
/// A snapshot is what `/api/snapshot` answers and the page saves; `Dashboards/web/snapshot-1.schema.json` and
/// `snapshot-2.schema.json` are the schemas of its versions.
package enum DashboardFile {
    /// The page of one snapshot.
    ///
    /// - Parameters:
    ///   - snapshot: JSON.
    ///   - source: What the input is called in errors, such as the path of its file.
    /// - Throws: ``DashboardFileError`` that names the input and says what to do.
    package static func render(_ snapshot: [UInt8], from source: String) throws(DashboardFileError) -> [UInt8] {
        let facts = try SnapshotFacts(snapshot, from: source)
        return page(facts.title, embeddable(snapshot), hasProfile: facts.hasProfile)
    }

    /// The page that shows two snapshots side by side, and what changed between them.
    ///
    /// - Throws: ``DashboardFileError`` that names the input and says what to do.
    package static func diff(
        _ before: [UInt8],
        from beforeSource: String,
        _ after: [UInt8],
        from afterSource: String
    ) throws(DashboardFileError) -> [UInt8] {
        let facts = (try SnapshotFacts(before, from: beforeSource), try SnapshotFacts(after, from: afterSource))
        var data = Array("{\"schema\":\"axiom/comparison\",\"version\":1,\"before\":".utf8)
        data += embeddable(before) + Array(",\"after\":".utf8) + embeddable(after) + Array("}".utf8)
        return page("\(facts.0.title) → \(facts.1.title)", data, hasProfile: facts.1.hasProfile)
    }

    private static func page(_ title: String, _ data: [UInt8], hasProfile: Bool) -> [UInt8] {
        var html = HTMLWriter()
        html.element("p") { $0.text("\(title). This page needs JavaScript.") }
        return PageAssembler.page(title: title, data: data, noscript: html.output, hasProfile: hasProfile)
    }

    /// JSON that cannot end its script element: in JSON these characters stand in strings only, where they may be escaped.
    static func embeddable(_ json: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(json.count)
        for (index, byte) in json.enumerated() {
            let isSeparator = index >= 2 && json[index - 2] == 0xE2 && json[index - 1] == 0x80
            switch byte {
            case UInt8(ascii: "<"): text += "\\u003c".utf8
            case 0xA8 where isSeparator, 0xA9 where isSeparator:
                text.removeLast(2)
                text += (byte == 0xA8 ? "\\u2028" : "\\u2029").utf8
            default: text.append(byte)
            }
        }
        return text
    }
}

/// Reports that a file is not a snapshot that can be shown.
package struct DashboardFileError: MessageError, Hashable, CustomStringConvertible {
    /// The name of the input, what is wrong with it, and what to do.
    package let message: String

    package var description: String { message }
}

/// The parts of a snapshot that are checked before a page is made of it. The page itself checks the rest.
struct SnapshotFacts {
    private static let versions = 1...2

    let title: String
    /// Whether the page has the view of the profile.
    let hasProfile: Bool

    init(_ json: [UInt8], from source: String) throws(DashboardFileError) {
        func refuse(_ what: String) -> DashboardFileError { DashboardFileError(message: "\(source) \(what)") }
        // Foundation reads UTF-16, which has zeros, and a byte order mark as well; the page does not.
        guard String(validating: json, as: UTF8.self) != nil, !json.contains(0), !json.starts(with: [0xEF, 0xBB, 0xBF])
        else {
            throw refuse("is not UTF-8 without a byte order mark: give the file as the dashboard made it.")
        }
        guard let found = try? JSONSerialization.jsonObject(with: Data(json)) else {
            throw refuse("is not JSON: give a file that the dashboard's Save JSON or /api/snapshot made.")
        }
        guard let object = found as? [String: Any], object["schema"] as? String == "axiom/snapshot" else {
            throw refuse("is not an Axiom snapshot: give a file that the dashboard's Save JSON or /api/snapshot made.")
        }
        guard (object["version"] as? Int).map(Self.versions.contains) == true else {
            let version = object["version"].map { "\($0)" } ?? "unknown"
            throw refuse(
                "is a snapshot of version \(version), and this axiom-dashboard reads versions 1 and 2: use the one that belongs to the process."
            )
        }
        guard let at = object["capturedAt"] as? Double, object["components"] is [Any] else {
            throw refuse("has no capturedAt or no components: it was cut or changed. Save the snapshot again.")
        }
        let app = object["app"] as? [String: Any]
        let name = app?["name"] as? String ?? "Axiom"
        hasProfile = app?["profile"] as? Bool == true
        title = "\(name), \(QuantityText.moment(at))"
    }
}
