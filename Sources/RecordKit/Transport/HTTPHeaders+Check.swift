extension HTTPHeaders {
    /// Refuses what would change the shape of the request, and what the transport alone may say.
    func check() throws(InvalidRequest) {
        try checkForm()
        for field in fields where Self.ofTransport.contains(where: { Self.matches($0, field.name) }) {
            throw InvalidRequest(member: .headers, reason: "\(field.name) is set by the transport; leave it out")
        }
    }

    /// Refuses what would change the shape of the request.
    func checkForm() throws(InvalidRequest) {
        for field in fields {
            guard ByteSet.isToken(field.name) else {
                throw InvalidRequest(
                    member: .headers, reason: "\"\(field.name)\" is no header name (RFC 9110 section 5.1)")
            }
            guard ByteSet.fieldValue.containsAll(of: field.value) else {
                throw InvalidRequest(
                    member: .headers,
                    reason: "the value of \(field.name) holds a line break or another control character "
                        + "(RFC 9110 section 5.5)")
            }
        }
    }

    private static let ofTransport = ["Host", "Content-Length", "Transfer-Encoding", "Connection"]
}
