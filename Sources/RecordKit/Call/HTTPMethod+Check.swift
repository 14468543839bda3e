extension HTTPMethod {
    /// Refuses what would change the shape of the request.
    func check() throws(NetworkError.InvalidRequest) {
        if !ByteSet.isToken(rawValue) {
            throw NetworkError.InvalidRequest(
                member: .method, reason: "\(ByteSet.quotedToken(rawValue)) is no method (RFC 9110 section 9.1)")
        }
    }
}
