// SPDX-License-Identifier: Apache-2.0

public import Axiom

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The state of an application as it is saved: the stacks of its flows and the images of its contexts.
public struct AppImage: Sendable, Hashable, Codable {
    /// The format that this version of Axiom writes, and the latest that it reads.
    package static let currentFormat = 1

    var format = AppImage.currentFormat
    /// The version of the application that saved it.
    public var appVersion: Version
    /// When it was saved, in seconds since 1970-01-01 00:00 UTC.
    package var savedAt: Double
    /// The routes of each flow by its name, the root first, each encoded on its own.
    package var stacks: [String: [Data]]
    /// The images of the contexts, by type and name.
    package var contexts: [String: ContextImage]

    /// Creates an image in the current format.
    package init(
        appVersion: Version,
        savedAt: Double,
        stacks: [String: [Data]] = [:],
        contexts: [String: ContextImage] = [:]
    ) {
        self.appVersion = appVersion
        self.savedAt = savedAt
        self.stacks = stacks
        self.contexts = contexts
    }
}

/// The saved image of one context.
package struct ContextImage: Sendable, Hashable, Codable {
    /// ``RestorableContext/imageVersion`` of the type that saved it.
    package var version: Int
    /// The image as JSON.
    package var data: Data

    package init(version: Int, data: Data) {
        self.version = version
        self.data = data
    }
}

/// A saved image that could not be used.
public struct SetAsideImage: Sendable, Hashable {
    /// Why an image was set aside.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The bytes are not what was written.
        case damaged
        /// A newer version of the application or of Axiom wrote it.
        case newer
        /// It could not be read, or is larger than the archive allows.
        case unreadable
        /// Two launches with it did not become active.
        case launchFailed = "launch-failed"

        /// The reason as the predicate of a sentence.
        var clause: String {
            switch self {
            case .damaged: "is damaged"
            case .newer: "was written by a newer version"
            case .unreadable: "cannot be read"
            case .launchFailed: "was used by two launches that did not become active"
            }
        }
    }

    /// Where it is kept now.
    public let key: StorageKey
    /// Why it was set aside.
    public let reason: Reason
    /// When it was set aside, in seconds since 1970-01-01 00:00 UTC.
    public let time: Double

    /// Describes an image that was set aside, for an archive of your own.
    public init(key: StorageKey, reason: Reason, time: Double) {
        self.key = key
        self.reason = reason
        self.time = time
    }
}

/// Keeps the state of an application between two runs.
///
/// ``StorageArchive`` keeps it in a storage. An archive of your own may keep it elsewhere. It has to be safe against the
/// end of the process at any time, and against images that make the launch fail.
public protocol StateArchive: Sendable {
    /// The version of the application, which new images get. Images of newer versions are not loaded.
    var appVersion: Version { get }

    /// Replaces the saved image. If it throws, the image before stays.
    ///
    /// - Returns: The size of the saved image, in bytes.
    @discardableResult
    func save(_ image: AppImage) async throws -> Int

    /// Loads the latest image that can be used, and counts a launch with it.
    func load() async throws -> LoadedState

    /// The launch became active, so its image did no harm.
    func launched() async throws

    /// Removes all saved images, such as when the user signs out.
    func discard() async throws
}

/// What an archive found at a launch.
public struct LoadedState: Sendable, Hashable {
    /// The latest image that can be used; nil if there is none.
    public var image: AppImage?
    /// The images that this launch set aside.
    public var setAside: [SetAsideImage]

    /// Creates a result.
    public init(image: AppImage?, setAside: [SetAsideImage] = []) {
        self.image = image
        self.setAside = setAside
    }
}
