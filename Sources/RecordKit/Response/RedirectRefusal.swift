/// A redirect that is not followed.
public struct RedirectRefusal: Error, Sendable, CustomStringConvertible {
    public enum Reason: Sendable, Equatable {
        /// More redirects than the policy allows.
        case tooMany(limit: Int)
        /// The same method and address for the second time.
        case loop
        /// To another scheme, host or port, and the policy allows none.
        case otherOrigin
        /// From https to http.
        case insecure
        /// `Location` cannot be read, or names a scheme that is neither http nor https.
        case badLocation
        /// The body would have to be sent again, and it cannot be: a stream that was read, or any body in a data task
        /// that was handed back.
        case bodyCannotBeSentAgain
    }

    public let reason: Reason
    /// The redirect itself.
    public let response: NetworkResponse
    /// Where it points, as it may be printed.
    public let location: String

    public init(reason: Reason, response: NetworkResponse, location: String) {
        self.reason = reason
        self.response = response
        self.location = location
    }

    public var description: String {
        let why =
            switch reason {
            case .tooMany(let limit): "more than \(limit) redirects"
            case .loop: "the redirects go round in a loop"
            case .otherOrigin: "it leaves the origin"
            case .insecure: "it leaves https for http"
            case .badLocation: "its Location is no http or https address"
            case .bodyCannotBeSentAgain: "the body would have to be sent again, and cannot be"
            }
        return "The redirect \(response.statusCode) to \(location) was not followed: \(why)."
    }
}
