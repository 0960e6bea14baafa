// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation

/// The options of the commands that add a component to a package.
struct PackageOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The folder of the package. By default this folder.", valueName: "folder"))
    var package = "."

    @Option(
        help: ArgumentHelp(
            "The target of the component, if the package has several that use Axiom.",
            valueName: "target"
        )
    )
    var target: String?

    @Flag(help: "Print the files, and write nothing.")
    var dryRun = false

    /// Writes a component, its test and its registration.
    ///
    /// - Parameter make: Makes the component for the package.
    func write(_ make: (PackageLayout) throws -> any ComponentTemplate) throws {
        let layout = try PackageLayout(package: URL.workingFolder.folder(package), target: target)
        let component = try make(layout)
        try layout.requireProducts(component.products, of: component.name)
        let registration = component.registration.flatMap { Registration($0, in: layout.sources) }
        let files = component.files(layout)
        try GeneratedFiles(files, in: layout.folder, registration: registration).write(dryRun: dryRun)
        if let line = component.registration, registration == nil, !dryRun {
            print("\nRegister it where the application registers its components:\n    \(line)")
        }
        if let note = component.note, !dryRun { print("\n\(note)") }
    }
}

/// `axiom-new client Cart`.
struct ClientCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        abstract: "Writes a client with its state, its actions and its test."
    )

    @Argument(help: "The name without \"Client\", for example Cart.", transform: ComponentName.init(parsing:))
    var name: ComponentName

    @OptionGroup var options: PackageOptions

    func run() throws {
        let name = name.without("Client")
        try options.write { _ in ClientTemplate(base: name) }
    }
}

/// `axiom-new context Cart`.
struct ContextCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "context",
        abstract: "Writes a context that shows a client, with its presentation and its test."
    )

    @Argument(help: "The name without \"Context\", for example Cart.", transform: ComponentName.init(parsing:))
    var name: ComponentName

    @Option(
        help: ArgumentHelp("The client. By default the one with the same name.", valueName: "client"),
        transform: ComponentName.init(parsing:)
    )
    var client: ComponentName?

    @OptionGroup var options: PackageOptions

    func run() throws {
        let name = name.without("Context")
        let client = (client ?? name).without("Client")
        try options.write { layout in
            ContextTemplate(base: name, client: try ExistingClient(client, in: layout))
        }
    }
}

/// `axiom-new capability Prices`.
struct CapabilityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capability",
        abstract: "Writes a capability behind a protocol, with a double and a test."
    )

    @Argument(help: "The name of the protocol, for example PriceService.", transform: ComponentName.init(parsing:))
    var name: ComponentName

    @OptionGroup var options: PackageOptions

    func run() throws {
        let name = name
        try options.write { _ in CapabilityTemplate(base: name) }
    }
}

/// `axiom-new route Shop`.
struct RouteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "route",
        abstract: "Writes the routes of a flow with their deep links, and a test of both."
    )

    @Argument(help: "The name without \"Route\", for example Shop.", transform: ComponentName.init(parsing:))
    var name: ComponentName

    @OptionGroup var options: PackageOptions

    func run() throws {
        let name = name.without("Route")
        try options.write { _ in RouteTemplate(base: name) }
    }
}
