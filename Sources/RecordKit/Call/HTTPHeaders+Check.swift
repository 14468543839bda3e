extension HTTPHeaders {
    /// Refuses what would change the shape of the request, and what the transport alone may say.
    func check() throws(NetworkError.InvalidRequest) {
        try checkForm()
        for field in fields where field.use == .ofTransport { throw Self.isOfTransport(field) }
    }

    /// Refuses what would change the shape of the request, or tell its length otherwise than it is: the server then
    /// waits for what never comes, or takes the rest of the body for another request.
    func checkForm() throws(NetworkError.InvalidRequest) {
        for field in fields {
            switch field.use {
            case .free, .ofTransport: break
            case .ofFraming: throw Self.isOfTransport(field)
            case .badName:
                let name = ByteSet.quotedToken(field.name)
                throw NetworkError.InvalidRequest(
                    member: .headers, reason: "\(name) is no header name (RFC 9110 section 5.1)")
            case .badValue:
                throw NetworkError.InvalidRequest(
                    member: .headers,
                    reason: "the value of \(field.name) holds a line break or another control character "
                        + "(RFC 9110 section 5.5)")
            }
        }
    }

    /// How many bytes the field lines take in a request's head, each with a colon, a space and a line break.
    var lineBytes: Int {
        fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    }

    private static func isOfTransport(_ field: Field) -> NetworkError.InvalidRequest {
        NetworkError.InvalidRequest(member: .headers, reason: "\(field.name) is set by the transport; leave it out")
    }
}
