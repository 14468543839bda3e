public import Foundation
public import RecordKit
import RecordKitInterceptors

/// Checks the requests of a domain:
///
/// - Each can be built, and has a valid URL.
/// - No two share method, URL and the names of their query items.
/// - None has a body where none is allowed.
/// - The responses of its samples give the expected values and errors.
/// - No description of a request, its responses and its errors contains the value of a sensitive header field or query
///   item, or one of `secrets`.
///
/// ```swift
/// try audit(RecordService.One.samples + RecordService.Many.samples)
/// ```
///
/// - Parameters:
///   - samples: The samples, written by hand, one for each case.
///   - environment: The environment that relative base URLs are resolved in. Default: `https://audit.test`.
///   - sensitiveNames: The sensitive names of the app's configuration. Default: none.
///   - secrets: Values in the samples that must not be printed, such as the password of a sign-in. Default: none.
/// - Throws: ``AuditError`` with all findings.
public func audit(
    _ samples: [AuditSample], in environment: NetworkEnvironment = NetworkEnvironment("https://audit.test"),
    sensitiveNames: Set<String> = [], secrets: [String] = []
) throws(AuditError) {
    var audit = Audit(secrets: secrets)
    if samples.isEmpty { audit.note("The list", "it has no samples") }
    var headers = HTTPHeaders()
    headers.markSensitive(sensitiveNames)
    for sample in samples {
        do throws(NetworkError) {
            audit.check(sample, try sample.call(environment, headers))
        } catch {
            switch error {
            case .invalidRequest(let failure):
                audit.note(sample.name, "\(failure.member.rawValue): \(failure.reason)")
            default: audit.note(sample.name, "\(error)")
            }
        }
    }
    if !audit.findings.isEmpty { throw AuditError(findings: audit.findings, sampleCount: samples.count) }
}

/// Checks the requests of a domain without responses.
///
/// - Parameters:
///   - samples: The requests, one for each case.
///   - environment: The environment that relative base URLs are resolved in. Default: `https://audit.test`.
///   - sensitiveNames: The sensitive names of the app's configuration. Default: none.
///   - secrets: Values in the requests that must not be printed. Default: none.
/// - Throws: ``AuditError`` with all findings.
public func audit<Request: NetworkRequest>(
    _ samples: [Request], in environment: NetworkEnvironment = NetworkEnvironment("https://audit.test"),
    sensitiveNames: Set<String> = [], secrets: [String] = []
) throws(AuditError) {
    try audit(samples.map { AuditSample($0) }, in: environment, sensitiveNames: sensitiveNames, secrets: secrets)
}

/// An audit in progress.
private struct Audit {
    private(set) var findings: [AuditError.Finding] = []
    private let secrets: [String]
    /// The names of the samples by their endpoints: method, URL and names of query items.
    private var endpoints: [String: String] = [:]

    init(secrets: [String]) {
        self.secrets = secrets.filter { !$0.isEmpty }
    }

    mutating func note(_ sample: String, _ problem: String) {
        findings.append(AuditError.Finding(sample: sample, problem: problem))
    }

    mutating func check(_ sample: AuditSample, _ call: NetworkCall) {
        let names = Set(call.url.queryItems.map(\.name)).sorted()
        let address = call.url.absoluteString.prefix { $0 != "?" }
        let items = names.isEmpty ? "" : " with \(names.joined(separator: ", "))"
        let endpoint = "\(call.method) \(address)\(items)"
        if let other = endpoints.updateValue(sample.name, forKey: endpoint) {
            note("\(other) and \(sample.name)", "both are \(endpoint)")
        }
        let (problems, printed) = sample.reading(call)
        for problem in problems { note(sample.name, problem) }
        checkSensitiveValues(sample, call, printed)
    }

    private mutating func checkSensitiveValues(_ sample: AuditSample, _ call: NetworkCall, _ printed: [String]) {
        var dumped = ""
        dump(call, to: &dumped)
        let texts = printed + ["\(call)", String(reflecting: call), dumped, call.curl]
        for (value, owner) in sensitiveValues(of: call) {
            let forms = Self.forms(of: value)
            if texts.contains(where: { text in forms.contains { text.contains($0) } }) {
                note(sample.name, "it prints \(owner)")
            }
        }
    }

    /// Returns the ways in which a value can be written: unchanged, in a URL, a form, a JSON string and a shell
    /// argument.
    private static func forms(of value: String) -> Set<String> {
        let json = (try? JSONEncoder().encode(value)).map { String(decoding: $0.dropFirst().dropLast(), as: UTF8.self) }
        // Percent-encoded strictly, according to RFC 3986 section 2.3, and as in forms.
        let encoded = ["", "-._~", "*-._ "].map { kept in
            let allowed = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: kept))
            return (value.addingPercentEncoding(withAllowedCharacters: allowed) ?? value).replacing(" ", with: "+")
        }
        let plain = [value, json ?? value, json?.replacing(#"\/"#, with: "/") ?? value] + encoded
        return Set(plain + plain.map { $0.replacing("'", with: #"'\''"#) })
    }

    /// Returns the values that must not be printed, and where each comes from.
    private func sensitiveValues(of call: NetworkCall) -> [(value: String, owner: String)] {
        var values: [(String, String)] = []
        for field in call.headers.fields where call.headers.isSensitive(field.name) {
            // The value of each cookie, or the credential after the scheme.
            let secrets =
                field.name.lowercased() == "cookie"
                ? field.value.split(separator: ";").map { $0.drop { $0 != "=" }.dropFirst() }
                : field.value.split(separator: " ").suffix(1)
            for secret in secrets { values.append((String(secret), "the value of its header \(field.name)")) }
        }
        for item in call.url.queryItems where call.headers.isSensitive(item.name) {
            values.append((item.value, "the value of its query item \(item.name)"))
        }
        // Shorter values may occur by chance.
        values = values.filter { $0.0.count > 3 }
        return values + secrets.enumerated().map { ($0.element, "value \($0.offset + 1) of `secrets`") }
    }
}

/// The findings of an audit.
public struct AuditError: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
    /// A finding of an audit.
    public struct Finding: Sendable, Hashable, CustomStringConvertible {
        /// The case of the request, such as `RecordService.One.fetch`, or both of two requests.
        public let sample: String
        /// What is wrong, as part of a sentence.
        public let problem: String

        /// The sample and what is wrong with it.
        public var description: String { "\(sample): \(problem)" }
    }

    /// The findings, in the order of the samples.
    public let findings: [Finding]
    /// The number of samples that were checked.
    public let sampleCount: Int

    /// A message with a line for each finding.
    public var description: String {
        let head = "The audit of \(sampleCount) \(sampleCount == 1 ? "sample" : "samples") found:"
        return ([head] + findings.map { "- \($0)" }).joined(separator: "\n")
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}
