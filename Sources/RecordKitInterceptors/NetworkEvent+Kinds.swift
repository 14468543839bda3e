public import RecordKit

extension NetworkEvent.Kind {
    /// An interceptor waited. The detail says for what.
    public static let wait = NetworkEvent.Kind(rawValue: "wait")
    /// A token was loaded or refreshed, by this call or by another that it joined. The detail says what became of it if there
    /// is none.
    public static let refresh = NetworkEvent.Kind(rawValue: "refresh")
    /// An equal call was in flight, whose response is shared.
    public static let joined = NetworkEvent.Kind(rawValue: "joined")
}
