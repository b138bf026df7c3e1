import HTTPTypes
import Hummingbird
import Logging
import Regnum

/// Logs each request with its identifier, which the client gets in `X-Request-ID`, and turns errors
/// of the realm into responses.
struct RequestLog: RouterMiddleware {
    typealias Context = BasicRequestContext

    func handle(
        _ request: Request, context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        var response: Response
        do {
            response = try await next(request, context)
        } catch let error as any HTTPResponseError {
            response = try error.response(from: request, context: context)
        } catch let error as Realm.Error {
            context.logger.error("request failed", metadata: ["error": "\(error)"])
            response = try HTTPError(error.status, message: "See the log, request \(context.id).")
                .response(from: request, context: context)
        }
        response.headers[.requestID] = context.id
        context.logger.info(
            "request",
            metadata: [
                "method": "\(request.method)", "path": "\(request.uri.path)",
                "status": "\(response.status.code)",
                "milliseconds": "\((ContinuousClock.now - start) / .milliseconds(1))",
            ])
        return response
    }
}

extension Realm.Error {
    /// The status for an error that isn't the client's fault.
    fileprivate var status: HTTPResponse.Status {
        switch code {
        case .busy, .closed, .diskFull: .serviceUnavailable
        default: .internalServerError
        }
    }
}

extension HTTPField.Name {
    fileprivate static let requestID = Self("X-Request-ID")!
}
