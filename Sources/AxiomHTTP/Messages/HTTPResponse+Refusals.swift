// SPDX-License-Identifier: Apache-2.0

/// What the server answers by itself. The texts say what to do and nothing about the inside of the program.
extension HTTPResponse {
    static let failed = text("The request failed.\n", status: .internalServerError)

    static let malformedTarget = text(
        "The request target is not a path that begins with a slash, or such a path after http:// and a host, in UTF-8, with "
            + "sound % escapes.\n",
        status: .badRequest
    )

    static let shuttingDown: HTTPResponse = {
        var response = text("The server is shutting down.\n", status: .serviceUnavailable)
        response.closesConnection = true
        return response
    }()

    static let tooManyReaders = later("Too many clients have not read their responses yet: try again later.\n")

    static let tooManyStreams = later("There are as many streams as this server allows: try again later.\n")

    private static func later(_ message: String) -> HTTPResponse {
        var response = text(message, status: .serviceUnavailable)
        response.headers["Retry-After"] = "10"
        return response
    }

    static let foreignHost = text(
        "This server does not answer to the name in the Host header. If it should, add the name to allowedHosts.\n",
        status: .forbidden
    )

    static func methodNotAllowed(_ allowed: String) -> HTTPResponse {
        var response = text("Allowed here: \(allowed).\n", status: .methodNotAllowed)
        response.headers["Allow"] = allowed
        return response
    }

    static func contentTooLarge(_ limit: Int) -> HTTPResponse {
        text("The body may have \(limit) bytes here.\n", status: .contentTooLarge)
    }
}
