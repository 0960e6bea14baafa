// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation

/// A series with the changes that each of several people marked, from files of the Turing Change Point Dataset.
struct AnnotatedSeries {
    let name: String
    let values: [Double]
    let annotations: [[Int]]

    private struct File: Decodable {
        struct Part: Decodable { let raw: [Double?] }
        let name: String
        let series: [Part]
    }

    /// The series in a folder and below it that have annotations, and the names of those that cannot be used.
    static func load(from folder: String) throws -> (series: [AnnotatedSeries], leftOut: [String]) {
        let url = URL(filePath: folder)
        guard let data = try? Data(contentsOf: url.appending(path: "annotations.json")),
            let annotations = try? JSONDecoder().decode([String: [String: [Int]]].self, from: data)
        else {
            throw ValidationError("There is no annotations.json in \(folder): name a clone of the dataset.")
        }
        var (series, leftOut) = ([AnnotatedSeries](), Set(annotations.keys))
        for path in FileManager.default.enumerator(atPath: folder)?.compactMap({ $0 as? String }).sorted() ?? [] {
            guard path.hasSuffix(".json"), let data = try? Data(contentsOf: url.appending(path: path)),
                let file = try? JSONDecoder().decode(File.self, from: data), let marks = annotations[file.name],
                leftOut.contains(file.name), file.series.count == 1
            else { continue }
            let values = file.series[0].raw.compactMap(\.self)
            guard values.count == file.series[0].raw.count else { continue }
            leftOut.remove(file.name)
            series.append(
                AnnotatedSeries(
                    name: file.name,
                    values: values,
                    annotations: marks.sorted { $0.key < $1.key }.map(\.value)
                )
            )
        }
        guard !series.isEmpty else {
            throw ValidationError("There is no annotated series in \(folder): name a clone of the dataset.")
        }
        return (series, leftOut.sorted())
    }
}
