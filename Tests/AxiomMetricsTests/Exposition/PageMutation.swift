// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport

/// A way to break a page.
struct PageMutation: Sendable {
    let name: String
    /// Changes the lines; false if the page has nothing to break in this way.
    let apply: @Sendable (inout MutableLines, inout SplitMix64) -> Bool

    init(_ name: String, _ apply: @escaping @Sendable (inout MutableLines, inout SplitMix64) -> Bool) {
        self.name = name
        self.apply = apply
    }

    /// Changes one random line that has all of `parts`.
    private static func line(
        _ name: String,
        _ prefix: String,
        _ part: String,
        _ change: @escaping @Sendable (inout [UInt8]) -> Bool
    ) -> PageMutation {
        PageMutation(name) { page, generator in
            guard let index = page.pick(prefix, part, using: &generator) else { return false }
            return change(&page.lines[index])
        }
    }

    /// Changes one random sample of a type.
    private static func sample(
        _ name: String,
        _ type: String,
        _ change: @escaping @Sendable (inout [UInt8]) -> Bool
    ) -> PageMutation {
        PageMutation(name) { page, generator in
            guard let index = page.sample(type, using: &generator) else { return false }
            return change(&page.lines[index])
        }
    }

    /// Inserts a line at a random place before the end.
    private static func inserting(_ name: String, _ line: String) -> PageMutation {
        PageMutation(name) { page, generator in
            page.lines.insert(Array(line.utf8), at: Int.random(in: 0..<page.lines.count, using: &generator))
            return true
        }
    }

    /// Inserts a copy of a random line that begins with `prefix` after it.
    private static func twice(_ name: String, _ prefix: String) -> PageMutation {
        PageMutation(name) { page, generator in
            guard let index = page.pick(prefix, using: &generator) else { return false }
            page.lines.insert(page.lines[index], at: index)
            return true
        }
    }

    /// The value of a counter or an info is the last word before its start time.
    private static func replacingValue(_ name: String, _ type: String, _ value: String) -> PageMutation {
        sample(name, type) { line in
            let end = line.firstRange(of: Array(" st@".utf8))?.lowerBound ?? line.endIndex
            guard !line.has(" # {"), let start = line[..<end].lastIndex(of: 32) else { return false }
            line.replaceSubrange((start + 1)..<end, with: Array(value.utf8))
            return true
        }
    }

    static let all: [PageMutation] = lines + metadata + samples + classic + native

    private static let lines: [PageMutation] = [
        PageMutation("no end") { page, _ in page.lines.popLast() != nil },
        PageMutation("a sample after the end") { page, _ in
            page.lines.append(Array("z 1".utf8))
            return true
        },
        inserting("a comment", "# a comment"), inserting("an empty line", ""), inserting("a blank line", " "),
        PageMutation("carriage returns") { page, _ in
            page.lines = page.lines.map { $0 + [13] }
            return true
        },
        PageMutation("a byte order mark") { page, _ in
            page.lines[0].insert(contentsOf: [0xEF, 0xBB, 0xBF], at: 0)
            return true
        },
        line("not UTF-8", "# HELP", "") { line in
            line.append(0xFF)
            return true
        },
        PageMutation("a family in two parts") { page, generator in
            guard let index = page.pick("# TYPE", using: &generator) else { return false }
            let line = page.lines[index]
            page.lines.insert(Array("# TYPE zzz gauge".utf8), at: page.lines.count - 1)
            page.lines.insert(line, at: page.lines.count - 1)
            return true
        },
    ]

    private static let metadata: [PageMutation] = [
        twice("two TYPE lines", "# TYPE"), twice("two HELP lines", "# HELP"), twice("two UNIT lines", "# UNIT"),
        line("an unknown type", "# TYPE", "") { line in
            line.append(UInt8(ascii: "s"))
            return true
        },
        line("a quote in a help", "# HELP", "") { line in
            line.append(UInt8(ascii: "\""))
            return true
        },
        line("a blank after a unit", "# UNIT", "") { line in
            line.append(32)
            return true
        },
        line("a gauge as an info", "# TYPE", " gauge") { $0.replace(" gauge", " info") },
        PageMutation("a gauge as a histogram") { page, generator in
            guard let index = page.sample("gauge", using: &generator),
                let type = page.lines[..<index].lastIndex(where: { $0.starts(with: "# TYPE".utf8) })
            else { return false }
            return page.lines[type].replace(" gauge", " histogram")
        },
        PageMutation("a unit of an info") { page, generator in
            guard
                let index = page.pick("# TYPE", "_info info", using: &generator)
                    ?? page.pick("# TYPE", "_info\" info", using: &generator)
            else { return false }
            var line = page.lines[index].dropLast(4) + Array("seconds".utf8)
            line.replaceSubrange(2..<6, with: Array("UNIT".utf8))
            page.lines.insert(Array(line), at: index)
            return true
        },
        PageMutation("metadata after a sample") { page, generator in
            guard let type = ["gauge", "counter", "histogram"].randomElement(using: &generator),
                let index = page.sample(type, using: &generator),
                let help = page.lines[..<index].lastIndex(where: { $0.starts(with: "# HELP".utf8) })
            else { return false }
            page.lines.insert(page.lines.remove(at: help), at: index)
            return true
        },
    ]

    private static let samples: [PageMutation] = [
        PageMutation("a sample twice") { page, generator in
            guard let index = page.sample("gauge", using: &generator) else { return false }
            page.lines.insert(page.lines[index], at: index)
            return true
        },
        sample("a label twice", "gauge") { line in
            line.insert(labels: "z=\"1\",z=\"2\"")
            return true
        },
        sample("a label without quotes", "counter") { line in
            line.insert(labels: "z=1")
            return true
        },
        sample("a comma without a label", "gauge") { line in
            line.insert(labels: "z=\"1\",")
            return true
        },
        sample("a blank among labels", "gauge") { line in
            line.insert(labels: "z =\"1\"")
            return true
        },
        sample("a start time of a gauge", "gauge") { line in
            line += Array(" st@1".utf8)
            return true
        },
        sample("an exemplar of a gauge", "gauge") { line in
            line += Array(" # {} 1 1".utf8)
            return true
        },
        sample("a blank at the end", "gauge") { line in
            line.append(32)
            return true
        },
        sample("two times", "gauge") { line in
            line += Array(" 1 2".utf8)
            return true
        },
        replacingValue("a negative total", "counter", "-1"),
        replacingValue("a total that is no number", "counter", "NaN"),
        replacingValue("a hexadecimal total", "counter", "0x10"), replacingValue("an empty value", "counter", ""),
        replacingValue("an info of 2", "info", "2"),
        line("a start time in capitals", "", " st@") { $0.replace(" st@", " ST@") },
        line("two blanks", "", " st@") { $0.replace(" st@", "  st@") },
        line("a time after the start time", "", " st@") { line in
            guard !line.has("} # {"), !line.has(" # {") else { return false }
            line += Array(" 5".utf8)
            return true
        },
        line("an exemplar without a time", "", ".125") { line in
            guard line.has(" st@"), line.suffix(4).elementsEqual(".125".utf8), let blank = line.lastIndex(of: 32) else {
                return false
            }
            line.removeSubrange(blank...)
            return true
        },
    ]

    private static let classic: [PageMutation] = [
        line("buckets out of order", "", ",bucket:[") { line in
            line.list(",bucket:[") { $0.count < 2 ? nil : [$0[1], $0[0]] + $0[2...] }
        },
        line("a bucket twice", "", ",bucket:[") { line in line.list(",bucket:[") { [$0[0]] + $0 } },
        line("no bucket +Inf", "", ",bucket:[") { line in line.list(",bucket:[") { $0.dropLast() } },
        line("buckets that are not cumulative", "", ",bucket:[") { line in
            line.list(",bucket:[") { $0.count < 2 ? nil : [$0[0] + "9999999999"] + $0[1...] }
        },
        line("another count than that of +Inf", "", ",bucket:[") { $0.replace("{count:", "{count:1") },
        line("the label le", "", ",bucket:[") { line in
            line.insert(labels: "le=\"1\"")
            return true
        },
        line("a blank in a value", "", "{count:") { $0.replace(",sum:", ", sum:") },
        line("no sum", "", "{count:") { $0.replace(",sum:", ",") },
        line("no count", "", "{count:") { $0.replace("{count:", "{sum:") },
        line("the fields of a gauge histogram", "", "{count:") {
            $0.replace("{count:", "{gcount:") && $0.replace(",sum:", ",gsum:")
        },
        line("a list without its end", "", ",bucket:[") { $0.replace("]}", "}") },
        line("a value without its end", "", ",bucket:[") { $0.replace("]}", "]") },
    ]

    private static let native: [PageMutation] = [
        line("a schema beyond 8", "", ",schema:") { $0.replace(",schema:", ",schema:9") },
        line("no schema", "", ",schema:") { $0.replace(",schema:", ",") },
        line("a negative zero threshold", "", ",schema:") { $0.replace("zero_threshold:", "zero_threshold:-1") },
        line("no zero count", "", ",schema:") { $0.replace(",zero_count:", ",") },
        line("spans longer than buckets", "", "_spans:[") { $0.replace("_spans:[", "_spans:[0:1,") },
        line("more buckets than spans", "", "_buckets:[") { $0.replace("_buckets:[", "_buckets:[1,") },
        line("a negative bucket", "", "_buckets:[") { $0.replace("_buckets:[", "_buckets:[-") },
        line("spans without buckets", "", "_buckets:[") { $0.replace("_buckets:[", "_bucket:[") },
        line("a span that goes back", "", "_spans:[") { line in
            line.list("_spans:[") { spans in
                guard spans.count > 1, let length = spans[1].split(separator: ":").last else { return nil }
                return [spans[0], "-1:\(length)"] + spans[2...]
            }
        },
        line("a bucket beyond infinity", "", "_spans:[") { line in
            line.list("_spans:[") { spans in
                guard let length = spans[0].split(separator: ":").last else { return nil }
                return ["262146:\(length)"] + spans[1...]
            }
        },
        PageMutation("negative buckets after positive ones") { page, generator in
            guard let index = page.pick("", ",negative_spans:[", ",positive_spans:[", using: &generator) else {
                return false
            }
            let line = String(decoding: page.lines[index], as: UTF8.self)
            let swapped = line.replacing(",negative_", with: ",neither_").replacing(",positive_", with: ",negative_")
            page.lines[index] = Array(swapped.replacing(",neither_", with: ",positive_").utf8)
            return true
        },
    ]
}
