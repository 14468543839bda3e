/// Why a request could not be built, or not be sent as it was built: which member of which request, and what is wrong
/// with it.
public struct InvalidRequest: Error, Sendable, CustomStringConvertible {
    /// The members of a request and of its configuration that can be wrong.
    public enum Member: String, Sendable, Hashable {
        case environment, baseURL, path, method, query, headers, body, options, transport
    }

    /// The name of the request's case, such as `RecordService.One.fetch`, without its arguments.
    public internal(set) var request: String
    public let member: Member
    /// What is wrong and what to do, as part of a sentence.
    public let reason: String
    /// What was thrown where ``Member/body`` or ``Member/query`` was made, such as an encoder's error.
    public let cause: (any Error)?
    /// Whether a server may have seen the request all the same: an earlier attempt of the call, or the beginning of a
    /// body that turned out to be another than it was.
    public internal(set) var mayHaveReachedServer = false

    public init(request: String = "", member: Member, reason: String, cause: (any Error)? = nil) {
        self.request = request
        self.member = member
        self.reason = reason
        self.cause = cause
    }

    /// With the name of the request that it concerns.
    package func named(_ request: String) -> InvalidRequest {
        var error = self
        error.request = request
        return error
    }

    public var description: String {
        let name = request.isEmpty ? "The request" : request
        let what = mayHaveReachedServer ? "sent" : "built"
        return "\(name) could not be \(what): \(member.rawValue): \(PlainText.printable(reason, onOneLine: true))."
    }
}
