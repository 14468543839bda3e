extension NetworkRequest
where QueryType == RequestQuery, HeadersType == HTTPHeaders, BodyType == (any NetworkEncodable)? {
    /// Returns the members as they are.
    public func sentMembers() -> SentMembers {
        (query, headers, body)
    }
}

extension NetworkRequest {
    /// Returns the members, if their types can be sent.
    public func sentMembers() throws(NetworkError.InvalidRequest) -> SentMembers {
        (try sent(query, as: .query), try sent(headers, as: .headers), try sent(body, as: .body))
    }

    private func sent<Member, Sent>(
        _ member: Member, as name: NetworkError.InvalidRequest.Member
    ) throws(NetworkError.InvalidRequest) -> Sent {
        if let sent = member as? Sent { return sent }
        throw NetworkError.InvalidRequest(
            member: name,
            reason: "its type, \(Member.self), cannot be sent; "
                + (name == .body ? "make it conform to NetworkEncodable" : "declare it as \(Sent.self)"))
    }
}
