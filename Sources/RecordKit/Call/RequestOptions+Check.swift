extension RequestOptions {
    func check() throws(NetworkError.InvalidRequest) {
        try Self.check(timeout, "timeout")
        try Self.check(deadline, "deadline")
        if let sizeLimit, sizeLimit < 0 {
            throw NetworkError.InvalidRequest(
                member: .options, reason: "the size limit is \(sizeLimit); it cannot be less than zero")
        }
        // The default is looked at by every call.
        if let expectedType, expectedType != "*/*", !MediaType.isValid(expectedType) {
            throw NetworkError.InvalidRequest(
                member: .options,
                reason: "the expected type \"\(expectedType)\" is no media type (RFC 9110 section 8.3.1)")
        }
    }

    private static func check(_ duration: Duration?, _ name: StaticString) throws(NetworkError.InvalidRequest) {
        guard let duration, duration <= .zero else { return }
        throw NetworkError.InvalidRequest(
            member: .options, reason: "the \(name) is \(duration); it has to be more than zero")
    }
}
