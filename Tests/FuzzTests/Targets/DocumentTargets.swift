// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Foundation

@testable import AxiomConfiguration
@testable import AxiomDashboard

extension FuzzTarget {
    /// Documents of the dashboard, and files with settings.
    static let documents: [FuzzTarget] = [
        FuzzTarget("snapshot", share: 5, words: snapshotWords, checkSnapshot),
        FuzzTarget(
            "text-writers",
            maximumLength: 256,
            share: 6,
            words: ["<", "</script>", "<!--", "\u{2028}", "\u{2029}", "\u{202e}", "&", "'"],
            checkWriters
        ),
        FuzzTarget("action-body", maximumLength: 512, share: 4, words: jsonWords + actionWords, checkAction),
        FuzzTarget(
            "configuration",
            maximumLength: 512,
            share: 1,
            words: jsonWords + [":\"\(secret)\"", "- ", "&a ", "*a", "<<: ", "!!binary ", "---\n"],
            checkConfiguration
        ),
    ]

    private static let snapshotWords =
        jsonWords + [
            "\"schema\":\"axiom/snapshot\"", "\"version\":1", "\"version\":2", "\"capturedAt\":1", "\"components\":[]",
            "\"app\":{\"name\":\"A\"}", "</script>", "<!--",
        ]
    private static let actionWords = [
        "\"component\":\"A\"", "\"set\":\"open\"", "\"set\":\"latency\"", "\"value\":0.5", "\"seconds\":60",
        "\"set\":\"reset\"",
    ]

    // MARK: - Snapshots

    /// The snapshot on a page is the same JSON, cannot end its element, and the page has the elements that it had.
    private static func checkSnapshot(_ bytes: [UInt8]) throws {
        guard let facts = try? SnapshotFacts(bytes, from: "input") else { return }
        let embedded = DashboardFile.embeddable(bytes)
        try require(!embedded.contains(UInt8(ascii: "<")), "the data has a <")
        try require(String(validating: embedded, as: UTF8.self) != nil, "the data is not UTF-8")
        let first = embedded.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        try require(first == UInt8(ascii: "{"), "a browser reads no object: the data begins with \(first ?? 0)")
        // Foundation loses a byte order mark that stands behind an escape.
        guard bytes.firstRange(of: [0xEF, 0xBB, 0xBF]) == nil else { return }
        let read = try JSONSerialization.jsonObject(with: Data(embedded)) as? NSDictionary
        let original = try JSONSerialization.jsonObject(with: Data(bytes)) as? NSDictionary
        try require(read == original, "the data on the page is other JSON")
        try checkHTML(facts.title)
    }

    /// Text in HTML is read as the same text, but for control characters.
    private static func checkHTML(_ text: String) throws {
        var html = HTMLWriter()
        html.text(text)
        try require(!html.output.utf8.contains { "<>\"'".utf8.contains($0) }, "markup in \(html.output)")
        let entities = ["lt": "<", "gt": ">", "quot": "\"", "#39": "'", "amp": "&"] as [String: Unicode.Scalar]
        var (read, rest): ([Unicode.Scalar], Substring.UnicodeScalarView) = ([], html.output[...].unicodeScalars)
        while let scalar = rest.popFirst() {
            guard scalar == "&" else {
                read.append(scalar)
                continue
            }
            let name = String(String.UnicodeScalarView(rest.prefix { $0 != ";" }))
            guard let meant = entities[name] else { throw FuzzFailure(description: "the entity \(name)") }
            read.append(meant)
            rest = rest.dropFirst(name.unicodeScalars.count + 1)
        }
        let wanted = text.unicodeScalars.map { scalar -> Unicode.Scalar in
            let isKept = scalar == "\t" || scalar == "\n" || scalar.properties.generalCategory != .control
            return isKept ? scalar : "\u{FFFD}"
        }
        try require(read == wanted, "\(html.output) is not \(text)")
    }

    /// JSON text is read as the same text, and can stand in a script element.
    private static func checkWriters(_ bytes: [UInt8]) throws {
        let text = bytes.text
        try checkHTML(text)
        var json = JSONText()
        json.string(text)
        try require(!json.bytes.contains(UInt8(ascii: "<")), "the JSON has a <")
        let read = try JSONSerialization.jsonObject(with: Data(json.bytes), options: .fragmentsAllowed) as? String
        try require(read?.utf8.elementsEqual(text.utf8) == true, "\(read ?? "nothing") is not \(text)")
        var reader = FuzzReader(bytes)
        let number = Double(bitPattern: reader.word())
        var written = JSONText()
        written.number(number)
        let again = Double(String(decoding: written.bytes, as: UTF8.self))
        try require(number.isFinite ? again == number : again == nil, "\(number) is read as \(again as Any)")
    }

    // MARK: - Requests of the dashboard

    /// An object that is taken is JSON with the same members for another reader.
    private static func checkAction(_ bytes: [UInt8]) throws {
        for subject in ActionSubject.allCases {
            do {
                _ = try ActionDecoder.action(subject, bytes)
            } catch {
                let json = try JSONSerialization.jsonObject(with: Data(error.json)) as? [String: String]
                try require(json?["parameter"] == error.parameter, "the error \(error) is other JSON")
            }
        }
        guard let members = try? ActionDecoder.members(of: bytes) else { return }
        guard let other = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] else {
            throw FuzzFailure(description: "Foundation reads no object")
        }
        try requireEqual(members.count, other.count, "the number of members")
        for (name, member) in members {
            switch member {
            case .text(let text): try require(other[name] as? String == text, "the text of \(name)")
            case .number(let number):
                // Foundation rounds a decimal number of 38 digits once more.
                let read = (other[name] as? NSNumber)?.doubleValue ?? .nan
                try require(abs(read - number) <= number.magnitude * 1e-15, "the number of \(name)")
            }
        }
    }

    // MARK: - Settings

    private static let secret = "averyverysecretword"

    /// What is not read is an error without a value of the file, which may be secret. It may have the name of a key.
    private static func checkConfiguration(_ bytes: [UInt8]) throws {
        for suffix in ["json", "yaml"] {
            let path = "\(scratch)/settings.\(suffix)"
            try Data(bytes).write(to: URL(filePath: path))
            let file = ConfigurationFile(path: path, isOptional: false)
            do {
                _ = try file.read(ConfigurationFile.Fingerprint(path))
            } catch {
                let text = bytes.text
                // As JSON writes it: in YAML `:"secret"r:` is a key, and `"k":"secret": 1` is one, too.
                let values = text.matches(of: /"[ ]?:[ ]?"averyverysecretword"[ ]*(?:[,}\]\n]|$)/)
                let isValue = text.ranges(of: secret).count == values.count
                try require(!isValue || !"\(error)".contains(secret), "\(error) has a value of the file")
            }
        }
    }

    /// A folder of this process, in memory if the system has one there.
    static let scratch: String = {
        let root = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : NSTemporaryDirectory()
        let folder = "\(root)/axiom-fuzz-\(getpid())"
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        atexit { try? FileManager.default.removeItem(atPath: FuzzTarget.scratch) }
        return folder
    }()
}
