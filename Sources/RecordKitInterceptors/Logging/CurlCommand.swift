import Foundation
public import RecordKit

extension NetworkCall {
    /// The call as a curl command for a POSIX shell.
    ///
    /// Each sensitive value is a shell variable, named after its header field, query item or body field. Set the
    /// variables to the plain values before running the command, which encodes them for their place:
    ///
    /// ```
    /// curl --header 'Authorization: '"$AUTHORIZATION" \
    ///     'https://store.example/v1/records/LP-0042'
    /// ```
    ///
    /// A header field's variable holds the whole field value, and that of a JSON number, array or object the JSON.
    /// Fields of JSON and form bodies are redacted. The command requires `od`, `tr` and `sed`, as any POSIX system has.
    /// Other bodies are printed completely, in base64 if they aren't UTF-8. Files are read by their paths. A stream is
    /// read from standard input. The header fields that the transport adds, and redirects, are left to curl.
    ///
    /// A call that no interceptor has signed yet, such as that of `call(for:)`, has no credential. Before
    /// `curl` and a semicolon, its line has a command that does nothing and says so:
    ///
    /// ```
    /// : 'no credential: AuthorizationInterceptor adds it when the call is sent'
    /// ```
    public var curl: String {
        CurlCommand(self).text
    }
}

/// The curl command of a call.
struct CurlCommand {
    private(set) var text = ""
    private var variables = ShellVariables()

    init(_ call: NetworkCall) {
        var arguments = ["curl"]
        var source = ""
        if call.method == .head {
            arguments.append("--head")
        } else if call.method != .get, call.method != .post || call.body == nil {
            arguments.append("--request \(ShellWord.quoted(call.method.rawValue))")
        }
        let headers = call.headers.withOneCookie
        for (field, redacted) in zip(headers, headers.redacted()) {
            arguments.append(header(field, redacted))
        }
        if let body = call.body {
            if !call.headers.contains("Content-Type") {
                // Without it, curl sends the type of a form.
                arguments.append("--header \(ShellWord.quoted("Content-Type: \(body.contentType)"))")
            }
            // Without it, curl sends `Expect: 100-continue` for a large body.
            if body.length ?? .max > 1_000_000, !call.headers.contains("Expect") {
                arguments.append("--header 'Expect:'")
            }
            arguments.append(self.body(body, of: call, source: &source))
        }
        // curl expands these characters as patterns.
        if call.url.absoluteString.contains(where: { "[]{}".contains($0) }) { arguments.append("--globoff") }
        arguments.append(address(call))
        text = note(on: call) + source + arguments.joined(separator: " ")
    }

    /// Returns a command that says which interceptors have yet to add a credential. A comment at the end would be
    /// arguments in an interactive zsh.
    private func note(on call: NetworkCall) -> String {
        let signers = call.interceptors.filter { $0 is AuthorizationInterceptor || $0.role == .signs }
        if signers.isEmpty || !variables.isEmpty { return "" }
        let names = signers.map { "\(type(of: $0))" }.joined(separator: " or ")
        return ": \(ShellWord.quoted("no credential: \(names) adds it when the call is sent")); "
    }

    private mutating func header(_ field: HTTPHeaders.Field, _ redacted: HTTPHeaders.Field) -> String {
        var word = ShellWord()
        if field.value.utf8.allSatisfy({ " \t".utf8.contains($0) }) {
            // curl drops an empty field that ends with a colon.
            word.append(plain: "\(field.name);")
        } else if redacted.value != field.value {
            word.append(plain: "\(field.name): ")
            word.append(variables.name(for: field.name), in: .plain)
        } else {
            word.append(plain: "\(field.name): \(field.value)")
        }
        return "--header \(word.text)"
    }

    /// Returns the option for the body.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - call: The call.
    ///   - source: Is set to the commands that print the body, if it doesn't fit into an argument.
    private mutating func body(_ body: EncodedBody, of call: NetworkCall, source: inout String) -> String {
        let type = MediaType(call.headers["Content-Type"] ?? body.contentType)
        let place = type?.isJSON == true ? ShellWord.Place.json : .query
        func parts(_ data: Data) -> [RedactedPart] {
            RedactedPart.all(in: data, type, sensitive: call.headers.sensitiveNames) ?? [.plain(Array(data)[...])]
        }
        switch body.content {
        case .data(let data):
            // An argument can't contain a zero byte, and its size is limited.
            if data.count < 100_000, !data.contains(0), String(validating: data, as: UTF8.self) != nil {
                return "--data-raw \(argument(parts(data), place))"
            }
            source = "{ \(commands(parts(data), place).joined(separator: "; ")); } | "
        case .pieces(let pieces):
            var commands: [String] = []
            for piece in pieces {
                switch piece {
                case .data(let data): commands += self.commands(parts(data), place)
                case .file(let file): commands.append("cat \(ShellWord.quoted(file.url.path(percentEncoded: false)))")
                // A stream is read from the standard input.
                case .stream: commands.append("cat")
                }
            }
            if commands != ["cat"] { source = "{ \(commands.joined(separator: "; ")); } | " }
        }
        return "--data-binary @-"
    }

    /// Returns the parts as one word. The sensitive ones are encoded for their place.
    private mutating func argument(_ parts: [RedactedPart], _ place: ShellWord.Place) -> String {
        var word = ShellWord()
        var plain: [UInt8] = []
        for part in parts {
            switch part {
            case .plain(let bytes): plain += bytes
            case .sensitive(let name, _):
                let place = place.after(plain.last)
                word.append(plain: String(decoding: plain, as: UTF8.self))
                plain = []
                word.append(variables.name(for: name), in: place)
            }
        }
        word.append(plain: String(decoding: plain, as: UTF8.self))
        return word.text.isEmpty ? "''" : word.text
    }

    /// Returns the commands that print the parts.
    private mutating func commands(_ parts: [RedactedPart], _ place: ShellWord.Place) -> [String] {
        var commands: [String] = []
        var last: UInt8?
        for part in parts {
            switch part {
            case .plain(let bytes):
                commands.append("printf %s '\(Data(bytes).base64EncodedString())' | base64 -d")
                last = bytes.last
            case .sensitive(let name, _):
                commands.append("printf %s \(ShellWord.variable(variables.name(for: name), in: place.after(last)))")
            }
        }
        return commands
    }

    private mutating func address(_ call: NetworkCall) -> String {
        let text = call.url.absoluteString.prefix { $0 != "#" }
        let place = text.prefix { $0 != "?" }
        func plain(_ text: some StringProtocol) -> RedactedPart { .plain(Array(text.utf8)[...]) }
        var parts = [plain(place)]
        if let start = place.range(of: "://")?.upperBound,
            let at = place[start...].prefix(while: { $0 != "/" }).lastIndex(of: "@"), at > start
        {
            // The credentials before the host.
            parts = [
                plain(place[..<start]), .sensitive(name: "credentials", value: Array(place[start..<at].utf8)[...]),
                plain(place[at...]),
            ]
        }
        if place.count < text.count {
            parts.append(plain("?"))
            parts += RedactedPart.all(inFields: String(text[place.endIndex...].dropFirst()), call.headers)
        }
        return argument(parts, .query)
    }
}

extension HTTPHeaders {
    /// The header with all cookies in one field (RFC 6265 section 5.4), as URLSession sends them.
    fileprivate var withOneCookie: HTTPHeaders {
        let cookies = values(for: "Cookie")
        if cookies.count < 2 { return self }
        var headers = self
        headers["Cookie"] = cookies.joined(separator: "; ")
        return headers
    }
}

/// A word of a POSIX shell: a string with variables for sensitive values.
struct ShellWord {
    /// What the value of a variable is encoded for.
    enum Place {
        /// A header field, or JSON that isn't a string.
        case plain
        /// A query, a form, or the credentials in a URL.
        case query
        /// JSON, whose strings are between quotation marks.
        case json

        /// Returns the place of a value after this byte.
        func after(_ byte: UInt8?) -> Place {
            self == .json && byte != UInt8(ascii: "\"") ? .plain : self
        }
    }

    private(set) var text = ""

    mutating func append(plain: String) {
        if !plain.isEmpty { text += Self.quoted(plain) }
    }

    mutating func append(_ variable: String, in place: Place) {
        text += Self.variable(variable, in: place)
    }

    /// Returns a word with the value of a variable, encoded for its place.
    ///
    /// In a query, every byte is percent-encoded, except for the first colon, which separates the name and the password
    /// of credentials. In a JSON string, quotation marks and backslashes are escaped, but not control characters.
    static func variable(_ name: String, in place: Place) -> String {
        switch place {
        case .plain: "\"$\(name)\""
        case .query: #""$(printf %s "$\#(name)" | od -An -v -tx1 | tr -d ' \n' | sed 's/../%&/g;s/%3a/:/')""#
        case .json: #""$(printf %s "$\#(name)" | sed 's/[\\"]/\\&/g')""#
        }
    }

    /// Returns a string in quotation marks, even if it doesn't need them.
    static func quoted(_ text: String) -> String {
        // Byte by byte, because a quotation mark with an accent is another character in Swift, but not in a shell.
        var bytes = [UInt8(ascii: "'")]
        for byte in text.utf8 {
            if byte == UInt8(ascii: "'") { bytes += Array("'\\'".utf8) }
            bytes.append(byte)
        }
        return String(decoding: bytes + [UInt8(ascii: "'")], as: UTF8.self)
    }
}

/// The names of the shell variables for sensitive values, such as `AUTHORIZATION` for that header field.
struct ShellVariables {
    /// How many names have been returned for each first choice, and all of them.
    private var counts: [String: Int] = [:]
    private var taken: Set<String> = []

    /// Whether there are no sensitive values.
    var isEmpty: Bool { taken.isEmpty }

    /// Returns a unique name.
    mutating func name(for field: String) -> String {
        var name = String(
            decoding: field.uppercased().utf8.map { Self.plain.contains($0) ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
        if name.first.map({ !$0.isLetter }) ?? true || Self.ofShell.contains(name) { name = "VALUE_\(name)" }
        while true {
            let number = counts[name, default: 0] + 1
            counts[name] = number
            let candidate = number == 1 ? name : "\(name)_\(number)"
            if taken.insert(candidate).inserted { return candidate }
        }
    }

    private static let plain = Set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_".utf8)

    /// The names of variables that the shell uses itself.
    private static let ofShell: Set<String> = [
        "PATH", "HOME", "IFS", "ENV", "PWD", "OLDPWD", "SHELL", "USER", "LOGNAME", "LANG", "TERM", "PS1", "PS2", "PS4",
        "CDPATH", "UID", "PPID", "OPTARG", "OPTIND", "MAIL", "TMPDIR", "RANDOM",
    ]
}
