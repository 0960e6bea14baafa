// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Foundation

/// The keys of an archive.
struct ArchiveKeys: Sendable {
    let images: String
    let launches: StorageKey
    let setAside: String

    init(_ name: String) {
        images = "\(name)/image-"
        launches = StorageKey("\(name)/launches")
        setAside = "\(name)/aside/"
    }

    func image(_ number: UInt64) -> StorageKey { StorageKey("\(images)\(number)") }

    /// The number in a key; nil if it is not one of an image. Below 2^62, so that the next one always exists.
    func number(_ key: StorageKey) -> UInt64? {
        guard let number = UInt64(key.name.dropFirst(images.count)), number < 1 << 62, image(number) == key else {
            return nil
        }
        return number
    }

    /// A key that says when and why, as `state/aside/2026-11-23t02-34-40z-damaged`, and that no other image has.
    func aside(
        _ reason: SetAsideImage.Reason,
        at time: Double,
        besides known: Set<StorageKey>
    ) -> SetAsideImage {
        let stamp = Date(timeIntervalSince1970: time).formatted(.iso8601).replacing(":", with: "-").lowercased()
        let name = "\(setAside)\(stamp)-\(reason.rawValue)"
        var key = StorageKey(name)
        var copy = 1
        while known.contains(key) {
            copy += 1
            key = StorageKey("\(name).\(copy)")
        }
        return SetAsideImage(key: key, reason: reason, time: time.rounded(.down))
    }

    /// What the key of an image says; nil if it is not one that was set aside.
    func image(aside key: StorageKey) -> SetAsideImage? {
        let stamp = key.name.dropFirst(setAside.count).prefix("2026-11-23t02-34-40z".count)
        let words = key.name.dropFirst(setAside.count + stamp.count + 1).split(separator: ".")
        guard let reason = words.first.flatMap({ SetAsideImage.Reason(rawValue: String($0)) }) else { return nil }
        let halves = stamp.uppercased().split(separator: "T")
        guard halves.count == 2,
            let date = try? Date("\(halves[0])T\(halves[1].replacing("-", with: ":"))", strategy: .iso8601)
        else { return nil }
        return SetAsideImage(key: key, reason: reason, time: date.timeIntervalSince1970)
    }
}
