extension HTTPHeaders {
    /// Refuses what would change the shape of the request, and what the transport alone may say.
    func check() throws(InvalidRequest) {
        try checkForm()
        try refuse(Self.ofTransport)
    }

    /// Refuses what would change the shape of the request, or tell its length otherwise than it is: the server then
    /// waits for what never comes, or takes the rest of the body for another request.
    func checkForm() throws(InvalidRequest) {
        try refuse(Self.ofFraming)
        for field in fields {
            guard ByteSet.isToken(field.name) else {
                throw InvalidRequest(
                    member: .headers,
                    reason: "\(ByteSet.quotedToken(field.name)) is no header name (RFC 9110 section 5.1)")
            }
            guard ByteSet.fieldValue.containsAll(of: field.value) else {
                throw InvalidRequest(
                    member: .headers,
                    reason: "the value of \(field.name) holds a line break or another control character "
                        + "(RFC 9110 section 5.5)")
            }
        }
    }

    private func refuse(_ names: [String]) throws(InvalidRequest) {
        for field in fields where names.contains(where: { Self.matches($0, field.name) }) {
            throw InvalidRequest(member: .headers, reason: "\(field.name) is set by the transport; leave it out")
        }
    }

    private static let ofTransport = ["Host", "Connection"]
    private static let ofFraming = ["Content-Length", "Transfer-Encoding"]
}
