/// The options of a request. ``NetworkConfiguration/options`` contains those for all requests.
///
/// A property that is `nil` takes the configuration's value. If that is `nil` too, the default applies. Interceptors
/// add their own options with ``RequestOption``.
public struct RequestOptions: Sendable, Equatable {
    /// The time limit of one attempt, including redirects. Default: 60 seconds.
    ///
    /// The time starts when the attempt has a slot, and ends with the last byte. For a stream, it ends with the head.
    /// The limit then applies to each wait for a chunk. The duration must be greater than zero. A duration above one
    /// year counts as one year.
    public var timeout: Duration?
    /// The time limit of the whole call, including retries and waits. Default: no limit.
    ///
    /// The duration must be greater than zero. A duration above one year counts as one year.
    public var deadline: Duration?
    /// The size limit of a collected body, in bytes after decompression. Default: 64 MB.
    ///
    /// A transfer that exceeds the limit is stopped. In a stream, the limit applies to each line, event and element. It
    /// doesn't apply to the whole stream, or to the bodies of redirects that are followed.
    public var sizeLimit: Int?
    /// The number of unread bytes of a stream that are kept in memory. Default: 1 MB.
    ///
    /// A transport that can pause pauses there. The others write what follows to a temporary file.
    public var bufferLimit: Int?
    /// The policy for redirects. Default: follow up to 10, to any URL except from https to http.
    public var redirects: RedirectPolicy?
    /// The expected content type of a 2xx response with a body. Default: `*/*`, any type.
    ///
    /// The value is a media type, or a range such as `image/*`. `application/json` includes every JSON type, and
    /// `application/xml` every XML type. The `Accept` field asks for the type, unless it is set after the call was
    /// made.
    ///
    /// A response without a type is accepted, except for server-sent events. Any other type, such as the page of a
    /// captive portal, ends the call with ``NetworkError/decoding(_:)``. The cause is
    /// ``NetworkResponse/ReadingError/unexpectedType(_:expected:)``.
    public var expectedType: String?
    private var others: [ObjectIdentifier: Other] = [:]

    /// Creates options. A parameter that is `nil` takes the configuration's value.
    ///
    /// ```swift
    /// RequestOptions(timeout: .seconds(5)) {
    ///     $0.retry = .never
    ///     $0.cache = .reload
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - timeout: The time limit of one attempt.
    ///   - deadline: The time limit of the whole call.
    ///   - sizeLimit: The size limit of a collected body, in bytes.
    ///   - bufferLimit: The number of unread bytes of a stream that are kept in memory.
    ///   - redirects: The policy for redirects.
    ///   - expectedType: The expected content type of a 2xx response.
    ///   - setOthers: Sets other options, such as those of interceptors.
    public init(
        timeout: Duration? = nil, deadline: Duration? = nil, sizeLimit: Int? = nil, bufferLimit: Int? = nil,
        redirects: RedirectPolicy? = nil, expectedType: String? = nil,
        setOthers: (inout RequestOptions) -> Void = { _ in }
    ) {
        self.timeout = timeout
        self.deadline = deadline
        self.sizeLimit = sizeLimit
        self.bufferLimit = bufferLimit
        self.redirects = redirects
        self.expectedType = expectedType
        setOthers(&self)
    }

    /// Accesses the option that an interceptor declares with a type.
    ///
    /// - Parameter option: The type of the option.
    public subscript<Option: RequestOption>(option: Option.Type) -> Option? {
        get { others[ObjectIdentifier(option)]?.option as? Option }
        set { others[ObjectIdentifier(option)] = newValue.map { Other(option: $0) } }
    }

    /// Returns these options, with those of `other` where they are `nil`.
    func filled(from other: RequestOptions) -> RequestOptions {
        var filled = RequestOptions(
            timeout: timeout ?? other.timeout, deadline: deadline ?? other.deadline,
            sizeLimit: sizeLimit ?? other.sizeLimit, bufferLimit: bufferLimit ?? other.bufferLimit,
            redirects: redirects ?? other.redirects, expectedType: expectedType ?? other.expectedType)
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

/// An option that an interceptor adds to ``RequestOptions``. Its type identifies it.
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
    /// The time limit of one attempt: ``RequestOptions/timeout`` or its default. Setting it sets that option.
    public var timeout: Duration {
        get { options.timeout ?? .seconds(60) }
        set { options.timeout = newValue }
    }
    /// The size limit of a collected body in bytes: ``RequestOptions/sizeLimit`` or its default.
    public var sizeLimit: Int { options.sizeLimit ?? 64 << 20 }
    /// The number of unread bytes of a stream that are kept in memory: ``RequestOptions/bufferLimit`` or its default.
    public var bufferLimit: Int { options.bufferLimit ?? 1 << 20 }
}
