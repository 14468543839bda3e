extension HTTPHeaders {
    /// Refuses what would change the shape of the request, and what the transport alone may say.
    func check() throws(InvalidRequest) {
        try checkForm()
        for index in fields.indices where fields[index].use == .ofTransport { throw Self.isOfTransport(fields[index]) }
    }

    /// Refuses what would change the shape of the request, or tell its length otherwise than it is: the server then
    /// waits for what never comes, or takes the rest of the body for another request.
    func checkForm() throws(InvalidRequest) {
        for index in fields.indices {
            switch fields[index].use {
            case .free, .ofTransport: break
            case .ofFraming: throw Self.isOfTransport(fields[index])
            case .badName:
                let name = ByteSet.quotedToken(fields[index].name)
                throw InvalidRequest(member: .headers, reason: "\(name) is no header name (RFC 9110 section 5.1)")
            case .badValue:
                throw InvalidRequest(
                    member: .headers,
                    reason: "the value of \(fields[index].name) holds a line break or another control character "
                        + "(RFC 9110 section 5.5)")
            }
        }
    }

    private static func isOfTransport(_ field: Field) -> InvalidRequest {
        InvalidRequest(member: .headers, reason: "\(field.name) is set by the transport; leave it out")
    }
}
