// SPDX-License-Identifier: Apache-2.0

/// What a type is in the architecture.
package struct Roles: OptionSet, Sendable, Hashable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static let component = Roles(rawValue: 1 << 0)
    package static let capability = Roles(rawValue: 1 << 1)
    /// A client of either kind.
    package static let client = Roles(rawValue: 1 << 2)
    /// A client with a state.
    package static let stateOwner = Roles(rawValue: 1 << 3)
    package static let context = Roles(rawValue: 1 << 4)
    package static let presentation = Roles(rawValue: 1 << 5)
    package static let state = Roles(rawValue: 1 << 6)
    package static let action = Roles(rawValue: 1 << 7)
    /// A view of SwiftUI.
    package static let view = Roles(rawValue: 1 << 8)
    package static let orchestrator = Roles(rawValue: 1 << 9)
    package static let presentationHost = Roles(rawValue: 1 << 10)
    /// Navigators and flows.
    package static let navigation = Roles(rawValue: 1 << 11)
    package static let capabilityReference = Roles(rawValue: 1 << 12)
    package static let scope = Roles(rawValue: 1 << 13)
    package static let store = Roles(rawValue: 1 << 14)
    package static let route = Roles(rawValue: 1 << 15)
    /// A class or an actor, or a protocol of them.
    package static let reference = Roles(rawValue: 1 << 16)
    /// A request handler.
    package static let handler = Roles(rawValue: 1 << 17)
    /// What sends requests to a handler.
    package static let endpoint = Roles(rawValue: 1 << 18)

    /// Isolation to the main actor comes from the protocol.
    package static let mainActor = Roles([.context, .presentation])
}

/// A type of a module whose source is not part of the project.
package struct ExternalType: Sendable, Hashable {
    package var module: String
    package var name: String
    package var roles: Roles
}

/// The types that the rules know without their source.
enum KnownTypes {
    /// The types of a name, one for each module that has one.
    static let byName: [String: [ExternalType]] = {
        var table: [String: [ExternalType]] = [:]
        for type in axiom + system { table[type.name, default: []].append(type) }
        return table
    }()

    /// The modules that a file sees if it imports one.
    static let reexports = [
        "AxiomMacros": ["Axiom"], "AxiomTesting": ["Testing"], "SwiftUI": ["Foundation"], "UIKit": ["Foundation"],
        "AppKit": ["Foundation"], "Foundation": ["FoundationEssentials", "Dispatch"], "Observation": ["Swift"],
    ]

    /// The modules of the framework. Some of their components are also made without an orchestrator.
    static let modules: Set = [
        "Axiom", "AxiomNavigation", "AxiomStorage", "AxiomUI", "AxiomTesting", "AxiomSystem", "AxiomMacros",
    ]

    private static func types(_ module: String, _ roles: Roles, _ names: String...) -> [ExternalType] {
        names.map { ExternalType(module: module, name: $0, roles: roles) }
    }

    private static let axiom: [ExternalType] =
        types("Axiom", [.component, .reference], "Component")
        + types(
            "Axiom",
            [.component, .capability, .reference],
            "Capability",
            "Configurable",
            "SystemCapability",
            "NetworkCapability",
            "StorageCapability"
        )
        + types("Axiom", [.client, .reference], "StatelessClient", "ScheduledClient")
        + types("Axiom", [.client, .stateOwner, .reference], "Client", "ObservationAwareClient", "ClientOf")
        + types("Axiom", [.component, .context, .reference], "Context")
        + types("AxiomNavigation", [.component, .context, .reference], "RestorableContext")
        + types("Axiom", [.component, .handler, .reference], "RequestHandler")
        + types("Axiom", .endpoint, "Endpoint", "RequestSession")
        + types("Axiom", .presentation, "Presentation") + types("Axiom", .action, "Action", "NoAction")
        + types("Axiom", .state, "OwnedState")
        + types("Axiom", .scope, "CapabilityScope", "ClientScope", "ContextScope", "HandlerScope", "ServiceScope")
        + types("Axiom", .capabilityReference, "CapabilityRef")
        + types("Axiom", [.store, .reference], "StateStore")
        + types("AxiomStorage", [.store, .reference], "PersistentStore", "DurableStore")
        + types("Axiom", [.orchestrator, .reference], "Orchestrator")
        + types("Axiom", [.presentationHost, .reference], "PresentationHost")
        + types("AxiomNavigation", .navigation, "Navigator") + types("AxiomNavigation", .route, "Route")
        + types("AxiomNavigation", [.navigation, .reference], "NavigationFlow", "DeepLinkOpener", "RestorableFlow")
        + types(
            "AxiomStorage",
            [.component, .capability, .reference],
            "BackgroundTasks",
            "SQLiteStorage",
            "FileStorage",
            "DiskStorage"
        )
        + types("Axiom", [], "KeyValueStorage")
        + types("AxiomTesting", [.client, .stateOwner, .reference], "TestableClient", "TestClient")
        + types("AxiomTesting", [.component, .capability, .reference], "SimulatedCapability", "MockCapability")

    private static let system: [ExternalType] =
        types("SwiftUI", .view, "View")
        + types("Swift", .reference, "AnyObject", "Actor", "AnyActor", "ManagedBuffer", "AnyKeyPath")
        + types(
            "FoundationEssentials",
            .reference,
            "FileManager",
            "JSONDecoder",
            "JSONEncoder",
            "PropertyListDecoder",
            "PropertyListEncoder",
            "ProcessInfo"
        )
        + types(
            "Foundation",
            .reference,
            "NSObject",
            "NSArray",
            "NSMutableArray",
            "NSDictionary",
            "NSMutableDictionary",
            "NSSet",
            "NSMutableSet",
            "NSString",
            "NSMutableString",
            "NSData",
            "NSMutableData",
            "NSNumber",
            "NSDate",
            "NSURL",
            "NSCache",
            "NSLock",
            "NSRecursiveLock",
            "NSCondition",
            "NSAttributedString",
            "NSMutableAttributedString",
            "Formatter",
            "DateFormatter",
            "NumberFormatter",
            "ISO8601DateFormatter",
            "ByteCountFormatter",
            "URLSession",
            "URLSessionTask",
            "URLSessionDataTask",
            "NotificationCenter",
            "UserDefaults",
            "FileHandle",
            "Process",
            "Pipe",
            "Thread",
            "Timer",
            "RunLoop",
            "OperationQueue",
            "Operation",
            "Bundle",
            "Progress",
            "UndoManager",
            "HTTPCookieStorage",
            "URLCache",
            "NSRegularExpression"
        )
        + types("Dispatch", .reference, "DispatchQueue", "DispatchSemaphore", "DispatchGroup", "DispatchWorkItem")
}

extension KnownTypes {
    static func roles(of path: String, in module: String) -> Roles? {
        byName[path]?.first { $0.module == module }?.roles
    }

    static func type(_ path: String, in modules: [String]) -> ExternalType? {
        byName[path]?.first { modules.contains($0.module) }
    }
}
