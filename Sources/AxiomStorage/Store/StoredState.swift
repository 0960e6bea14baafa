// SPDX-License-Identifier: Apache-2.0

internal import Axiom
public import Foundation

/// Migrates a stored state from one version to the next.
///
/// ```swift
/// migrate: [.from(1) { (old: CartV1) in CartV2(lines: old.items.map(Line.init)) }]
/// ```
/// Keep the old types, or copies of their stored properties, as long as the application may find their states.
public struct StateMigration: Sendable {
    /// The version from which it leads; the result has the next version.
    public let version: Int
    let run: @Sendable (Data) throws -> Data

    /// Creates a migration that works with JSON.
    ///
    /// - Parameters:
    ///   - version: The version from which it leads, at least 1.
    ///   - migrate: Receives the state of that version as JSON and returns that of the next version. If it throws, the
    ///     stored state is set aside.
    public init(from version: Int, _ migrate: @escaping @Sendable (Data) throws -> Data) {
        self.version = version
        run = migrate
    }

    /// Makes a migration from a type to the next one.
    ///
    /// - Parameters:
    ///   - version: The version from which it leads, at least 1.
    ///   - migrate: Receives the state of that version and returns that of the next version. If it throws, the stored
    ///     state is set aside.
    public static func from<Old: Decodable & SendableMetatype, New: Encodable & SendableMetatype>(
        _ version: Int,
        _ migrate: @escaping @Sendable (Old) throws -> New
    ) -> StateMigration {
        StateMigration(from: version) { data in
            try StateFormat.encoder.encode(migrate(JSONDecoder().decode(Old.self, from: data)))
        }
    }
}

/// How a state is stored: two lines of JSON. The first one has the version of the second one, which is the state.
struct StateFormat: Sendable {
    /// What was found under a key.
    enum Found<S: Sendable>: Sendable {
        /// A state that had this version.
        case state(S, from: Int)
        /// A state of a version that this program does not know.
        case newer(Int)
        /// A state of a version from which no migration leads.
        case noMigration(from: Int)
        /// The value is not a state, or a migration failed.
        case unreadable(any Error)
    }

    private struct Header: Codable {
        /// The version of the two lines themselves.
        var axiom = 1
        let version: Int
    }

    struct Damage: Error, CustomStringConvertible {
        let description: String
    }

    /// The current version of the state.
    let version: Int
    private let migrations: [StateMigration]

    init(version: Int, _ migrations: [StateMigration]) {
        self.version = version
        self.migrations = migrations
    }

    static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }

    /// What is wrong with the versions; nil if nothing is.
    var mistake: String? {
        if version < 1 { return "the version is \(version), but it must be at least 1" }
        let versions = migrations.map(\.version)
        if let outside = versions.first(where: { !(1..<version).contains($0) }) {
            return "a migration leads from version \(outside), but only those from 1 to \(version - 1) are older"
        }
        let twice = versions.first { version in versions.count { $0 == version } > 1 }
        return twice.map { "two migrations lead from version \($0)" }
    }

    func encode(_ state: some Encodable) throws -> Data {
        var data = try Self.encoder.encode(Header(version: version))
        data.append(UInt8(ascii: "\n"))
        data.append(try Self.encoder.encode(state))
        return data
    }

    func decode<S: Decodable & Sendable>(_ type: S.Type, _ data: Data) -> Found<S> {
        do {
            guard let end = data.firstIndex(of: UInt8(ascii: "\n")) else {
                throw Damage(description: "it has no first line with a version")
            }
            let header = try JSONDecoder().decode(Header.self, from: data[..<end])
            if header.axiom > 1 || header.version > version { return .newer(header.version) }
            guard header.version >= 1 else { throw Damage(description: "its version is \(header.version)") }
            var state = Data(data[data.index(after: end)...])
            for step in header.version..<version {
                guard let migration = migrations.first(where: { $0.version == step }) else {
                    return .noMigration(from: step)
                }
                state = try migration.run(state)
            }
            return .state(try JSONDecoder().decode(type, from: state), from: header.version)
        } catch {
            return .unreadable(error)
        }
    }
}

extension StorageKey {
    /// The key under which an unreadable value of this key is set aside: the first free one.
    ///
    /// - Parameter taken: The keys that begin with ``setAsidePrefix``.
    func setAside(besides taken: [StorageKey]) -> StorageKey {
        let prefix = setAsidePrefix
        let numbers = taken.compactMap {
            Int(String(decoding: $0.name.utf8.dropFirst(prefix.utf8.count), as: UTF8.self))
        }
        return StorageKey("\(prefix)\((numbers.max() ?? 0) &+ 1)")
    }

    var setAsidePrefix: String { "\(name).unreadable-" }
}
