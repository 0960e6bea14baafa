// SPDX-License-Identifier: Apache-2.0

public import Axiom

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A context whose state outlives the process.
///
/// ```swift
/// extension EditorContext: RestorableContext {
///     struct Image: Codable, Sendable { var draft: String }
///
///     var image: Image { Image(draft: draft) }
///     func restore(_ image: Image, version: Int) { draft = image.draft }
/// }
/// ```
/// Keep what the user would miss and no client keeps: a draft, a position, a selection. What clients own belongs in
/// their storage.
@MainActor
public protocol RestorableContext: Context {
    /// What is saved.
    associatedtype Image: Codable & Sendable
    /// The version of the image: increase it when its meaning changes. Default: 1.
    static var imageVersion: Int { get }
    /// Distinguishes the contexts of one type, such as by the id of the item that they show. Default: empty. Contexts of
    /// one type with the same name are distinguished by the order in which they were mounted.
    var imageName: String { get }
    /// What to save now. Read on the main actor and encoded elsewhere.
    var image: Image { get }

    /// Takes over an image from an earlier run. Called once, at the launch, after the context has appeared.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - version: The ``imageVersion`` with which it was saved: this one or an earlier one.
    /// - Throws: Any error. The context's boundary settles it.
    func restore(_ image: Image, version: Int) async throws
}

extension RestorableContext {
    /// 1.
    public static var imageVersion: Int { 1 }
    /// Empty.
    public var imageName: String { "" }
}

/// Runs the restoration of one context within its limit, inside the context's boundary.
typealias RestorationRun =
    @MainActor @Sendable (
        _ context: any Context,
        _ body: @escaping @MainActor @Sendable () async throws -> Void
    ) async -> Void

/// The images of the contexts that are mounted, by their keys.
@MainActor
struct MountedImages {
    /// An image that is not encoded yet.
    struct Unencoded: Sendable {
        let version: Int
        let image: any Codable & Sendable

        func encode() throws -> ContextImage {
            ContextImage(version: version, data: try JSONEncoder().encode(image))
        }
    }

    /// In the order of their mounts.
    private let contexts: [(key: String, context: any RestorableContext)]

    /// - Parameter flows: Their screens are left out: the stacks contain their images.
    init(_ orchestrator: Orchestrator, except flows: [any RestorableFlow]) {
        let others = Set(flows.flatMap(\.contextsOfStack).map(\.identity.id))
        var copies: [String: Int] = [:]
        contexts = orchestrator.mountedContexts.compactMap { context in
            guard let context = context as? any RestorableContext, !others.contains(context.identity.id) else {
                return nil
            }
            let name = context.identity.descriptor.name
            // Doubled, so that no name looks like that of a copy.
            let own = context.imageName.replacing("#", with: "##")
            let key = own.isEmpty ? name : "\(name)/\(own)"
            copies[key, default: 0] += 1
            let copy = copies[key, default: 1]
            return (copy == 1 ? key : "\(key)#\(copy)", context)
        }
    }

    /// The images of all contexts. One that cannot be encoded is left out, and its error is settled by its context.
    func encoded() async -> [String: ContextImage] {
        let (encoded, failures) = await Self.encode(contexts.map { ($0.key, $0.context.unencodedImage) })
        for (key, context) in contexts {
            guard let failure = failures[key] else { continue }
            await context.contain { throw failure }
        }
        return encoded
    }

    /// Restores each context that has an image, one after the other, the first mounted first.
    ///
    /// - Parameter run: Runs one restoration within its limit.
    func restore(
        _ images: [String: ContextImage],
        _ run:
            @MainActor (_ context: any Context, _ body: @escaping @MainActor @Sendable () async throws -> Void)
            async -> Void
    ) async {
        for (key, context) in contexts where !Task.isCancelled {
            guard let image = images[key] else { continue }
            await run(context) { [weak context] in
                if let context { try await context.takeOver(image) }
            }
        }
    }

    private nonisolated static func encode(
        _ images: [(String, Unencoded)]
    ) async -> (images: [String: ContextImage], failures: [String: any Error]) {
        var result: (images: [String: ContextImage], failures: [String: any Error]) = ([:], [:])
        for (key, image) in images {
            do {
                result.images[key] = try image.encode()
            } catch {
                result.failures[key] = error
            }
        }
        return result
    }
}

extension RestorableContext {
    var unencodedImage: MountedImages.Unencoded {
        MountedImages.Unencoded(version: Self.imageVersion, image: image)
    }

    func takeOver(_ saved: ContextImage) async throws {
        let component = identity.descriptor
        guard saved.version <= Self.imageVersion else {
            let versions = "it has the version \(saved.version), and this is version \(Self.imageVersion)"
            throw LifecycleError.notRestored(component, because: versions)
        }
        let value: Image
        do {
            value = try JSONDecoder().decode(Image.self, from: saved.data)
        } catch {
            throw LifecycleError.notRestored(component, because: "\(error)", cause: error)
        }
        try await restore(value, version: saved.version)
    }
}
