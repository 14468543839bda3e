/// The members of a request whose types a request may choose, as they are sent.
public struct SentMembers {
    public var query: RequestQuery
    public var headers: HTTPHeaders
    public var body: (any NetworkEncodable)?

    public init(query: RequestQuery, headers: HTTPHeaders, body: (any NetworkEncodable)?) {
        self.query = query
        self.headers = headers
        self.body = body
    }
}

// What encodes a body need not cross threads: a call is made in one place.
@available(*, unavailable)
extension SentMembers: Sendable {}

extension NetworkRequest
where QueryType == RequestQuery, HeadersType == HTTPHeaders, BodyType == (any NetworkEncodable)? {
    public func sentMembers() -> SentMembers {
        SentMembers(query: query, headers: headers, body: body)
    }
}

extension NetworkRequest {
    public func sentMembers() throws(NetworkError.InvalidRequest) -> SentMembers {
        SentMembers(
            query: try sent(query, as: .query), headers: try sent(headers, as: .headers),
            body: try sent(body, as: .body))
    }

    private func sent<Member, Sent>(_ member: Member, as name: NetworkError.InvalidRequest.Member) throws(NetworkError
        .InvalidRequest) -> Sent
    {
        if let sent = member as? Sent { return sent }
        throw NetworkError.InvalidRequest(
            member: name,
            reason: "its type, \(Member.self), cannot be sent; "
                + (name == .body ? "make it conform to NetworkEncodable" : "declare it as \(Sent.self)"))
    }
}
