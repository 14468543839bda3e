public import Foundation
public import RecordKit
import RecordKitInterceptors

/// Checks the requests of a domain, all at once:
///
/// - each can be built, and has a valid URL;
/// - no two have method, address and names of query items in common;
/// - none has a body where none may be;
/// - the answers of its samples give the value or the error that they are to give;
/// - nothing that is printed of it, its answers and its errors holds the value of a sensitive header or query item, or
///   one of `secrets`.
///
/// ```swift
/// try audit(RecordService.One.samples + RecordService.Many.samples)
/// ```
///
/// - Parameters:
///   - samples: written by hand, one for each case.
///   - environment: what relative base URLs are joined to.
///   - sensitiveNames: as the app's configuration has them.
///   - secrets: values in the samples that may not be printed, such as the password of a sign-in.
/// - Throws: ``AuditError`` with everything that is wrong.
public func audit(
    _ samples: [Sample], in environment: NetworkEnvironment = NetworkEnvironment("https://audit.test"),
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

/// Checks requests without answers, as the audit of samples does.
public func audit<Request: NetworkRequest>(
    _ samples: [Request], in environment: NetworkEnvironment = NetworkEnvironment("https://audit.test"),
    sensitiveNames: Set<String> = [], secrets: [String] = []
) throws(AuditError) {
    try audit(samples.map { Sample($0) }, in: environment, sensitiveNames: sensitiveNames, secrets: secrets)
}

/// An audit under way.
private struct Audit {
    private(set) var findings: [AuditError.Finding] = []
    private let secrets: [String]
    /// Who has an endpoint, by its method, address and names.
    private var endpoints: [String: String] = [:]

    init(secrets: [String]) {
        self.secrets = secrets.filter { !$0.isEmpty }
    }

    mutating func note(_ sample: String, _ problem: String) {
        findings.append(AuditError.Finding(sample: sample, problem: problem))
    }

    mutating func check(_ sample: Sample, _ call: NetworkCall) {
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

    private mutating func checkSensitiveValues(_ sample: Sample, _ call: NetworkCall, _ printed: [String]) {
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

    /// A value as it is, and as an address, a form, a JSON text and a shell's argument hold it.
    private static func forms(of value: String) -> Set<String> {
        let json = (try? JSONEncoder().encode(value)).map { String(decoding: $0.dropFirst().dropLast(), as: UTF8.self) }
        // As addresses are encoded strictly, as RFC 3986 section 2.3 has it, and as forms are.
        let encoded = ["", "-._~", "*-._ "].map { kept in
            let allowed = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: kept))
            return (value.addingPercentEncoding(withAllowedCharacters: allowed) ?? value).replacing(" ", with: "+")
        }
        let plain = [value, json ?? value, json?.replacing(#"\/"#, with: "/") ?? value] + encoded
        return Set(plain + plain.map { $0.replacing("'", with: #"'\''"#) })
    }

    /// What may not be printed, and whose it is.
    private func sensitiveValues(of call: NetworkCall) -> [(value: String, owner: String)] {
        var values: [(String, String)] = []
        for field in call.headers.fields where call.headers.isSensitive(field.name) {
            // The value of each cookie, or the credential behind its scheme.
            let secrets =
                field.name.lowercased() == "cookie"
                ? field.value.split(separator: ";").map { $0.drop { $0 != "=" }.dropFirst() }
                : field.value.split(separator: " ").suffix(1)
            for secret in secrets { values.append((String(secret), "the value of its header \(field.name)")) }
        }
        for item in call.url.queryItems where call.headers.isSensitive(item.name) {
            values.append((item.value, "the value of its query item \(item.name)"))
        }
        // What is that short may stand anywhere by chance.
        values = values.filter { $0.0.count > 3 }
        return values + secrets.enumerated().map { ($0.element, "secret \($0.offset + 1) of those given") }
    }
}

/// All that is wrong with the samples of an audit.
public struct AuditError: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
    public struct Finding: Sendable, Hashable, CustomStringConvertible {
        /// The case of the request, such as `RecordService.One.fetch`; of two requests, both.
        public let sample: String
        /// What is wrong with it, as part of a sentence.
        public let problem: String

        public var description: String { "\(sample): \(problem)" }
    }

    public let findings: [Finding]
    /// How many samples were looked at.
    public let sampleCount: Int

    /// A line for each finding.
    public var description: String {
        let head = "The audit of \(sampleCount) \(sampleCount == 1 ? "sample" : "samples") found:"
        return ([head] + findings.map { "- \($0)" }).joined(separator: "\n")
    }

    public var errorDescription: String? { description }
}
