/// What may be set for a single request, and for all of them in ``NetworkConfiguration/options``.
///
/// `nil` takes the configuration's value; where that is `nil` too, the default that is named here. Interceptors add
/// options of their own with ``RequestOption``.
public struct RequestOptions: Sendable, Equatable {
    /// How long one attempt may take, from the moment it has a slot to the last byte, redirects included. For a stream:
    /// to its head, and then each wait for a chunk. Any time above zero; a year stands for every longer one. Default: 60
    /// seconds.
    public var timeout: Duration?
    /// How long the whole call may take, retries and waits included. Any time above zero; a year stands for every longer
    /// one. Default: no limit.
    public var deadline: Duration?
    /// The largest body that is collected, in bytes after decompression; a transfer past it is stopped while it arrives.
    /// The body of a redirect that is followed, and a stream, do not count. Default: 64 MB.
    public var sizeLimit: Int?
    /// Which redirects are followed. Default: up to 10, to anywhere except from https to http.
    public var redirects: RedirectPolicy?
    /// The content type of a 2xx with a body: a media type, or a range such as `image/*`. `application/json` stands for
    /// every JSON type, `application/xml` for every XML type. Any other is ``NetworkResponse/Unreadable/unexpectedType(_:expected:)``, in a
    /// ``NetworkError/decoding(_:)``: the page of a captive portal, mostly. It is also asked for in `Accept`.
    /// Default: `*/*`, anything.
    public var expectedType: String?
    private var others: [ObjectIdentifier: Other] = [:]

    public init(
        timeout: Duration? = nil, deadline: Duration? = nil, sizeLimit: Int? = nil, redirects: RedirectPolicy? = nil,
        expectedType: String? = nil
    ) {
        self.timeout = timeout
        self.deadline = deadline
        self.sizeLimit = sizeLimit
        self.redirects = redirects
        self.expectedType = expectedType
    }

    /// An option of an interceptor's, by its type.
    public subscript<Option: RequestOption>(option: Option.Type) -> Option? {
        get { others[ObjectIdentifier(option)]?.option as? Option }
        set { others[ObjectIdentifier(option)] = newValue.map { Other(option: $0) } }
    }

    /// These options, with those of `other` where they are `nil`.
    func filled(from other: RequestOptions) -> RequestOptions {
        var filled = RequestOptions(
            timeout: timeout ?? other.timeout, deadline: deadline ?? other.deadline,
            sizeLimit: sizeLimit ?? other.sizeLimit, redirects: redirects ?? other.redirects,
            expectedType: expectedType ?? other.expectedType)
        filled.others = others.isEmpty ? other.others : others.merging(other.others) { own, _ in own }
        return filled
    }

    private struct Other: Equatable, Sendable {
        let option: any RequestOption

        static func == (one: Other, other: Other) -> Bool {
            AnyHashable(one.option) == AnyHashable(other.option)
        }
    }
}

/// An option that an interceptor adds to ``RequestOptions``, where its type is the name.
///
/// ```swift
/// enum Priority: RequestOption { case low, high }
///
/// extension RequestOptions {
///     var priority: Priority? {
///         get { self[Priority.self] }
///         set { self[Priority.self] = newValue }
///     }
/// }
/// ```
public protocol RequestOption: Hashable, Sendable {}

extension NetworkCall {
    /// The time that one attempt may take: ``RequestOptions/timeout`` or its default.
    public var timeout: Duration { options.timeout ?? .seconds(60) }
    var sizeLimit: Int { options.sizeLimit ?? 64 << 20 }
}
