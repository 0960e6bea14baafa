// SPDX-License-Identifier: Apache-2.0

/// A final response status, 200 to 599.
///
/// The server answers 500 in place of a response whose status lies outside that range, and reports it.
public struct HTTPStatus: Hashable, Sendable, CustomStringConvertible {
    /// The three-digit code.
    public let code: Int

    /// Makes a status from its code; 200 to 599 can be sent.
    public init(_ code: Int) {
        self.code = code
    }

    /// 200
    public static let ok = HTTPStatus(200)
    /// 201
    public static let created = HTTPStatus(201)
    /// 202
    public static let accepted = HTTPStatus(202)
    /// 204
    public static let noContent = HTTPStatus(204)
    /// 304
    public static let notModified = HTTPStatus(304)
    /// 400
    public static let badRequest = HTTPStatus(400)
    /// 403: also what the server itself answers to a `Host` that is not its own.
    public static let forbidden = HTTPStatus(403)
    /// 404
    public static let notFound = HTTPStatus(404)
    /// 405
    public static let methodNotAllowed = HTTPStatus(405)
    /// 406
    public static let notAcceptable = HTTPStatus(406)
    /// 409
    public static let conflict = HTTPStatus(409)
    /// 413
    public static let contentTooLarge = HTTPStatus(413)
    /// 421
    public static let misdirectedRequest = HTTPStatus(421)
    /// 422
    public static let unprocessableContent = HTTPStatus(422)
    /// 429
    public static let tooManyRequests = HTTPStatus(429)
    /// 500
    public static let internalServerError = HTTPStatus(500)
    /// 501
    public static let notImplemented = HTTPStatus(501)
    /// 503
    public static let serviceUnavailable = HTTPStatus(503)
    /// 504
    public static let gatewayTimeout = HTTPStatus(504)

    /// The code in decimal digits.
    public var description: String { String(code) }

    /// Whether the status can end a request: 200 to 599.
    var isFinal: Bool { (200...599).contains(code) }
}
