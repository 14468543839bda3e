extension HTTPMethod {
    /// Refuses what would change the shape of the request.
    func check() throws(InvalidRequest) {
        if !ByteSet.isToken(rawValue) {
            throw InvalidRequest(member: .method, reason: "\"\(self)\" is no token (RFC 9110 section 9.1)")
        }
    }
}
