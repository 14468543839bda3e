import Foundation
public import RecordKit

extension NetworkCall {
    /// The call as a command for a POSIX shell, which runs as it is printed.
    ///
    /// Every sensitive value is a variable, named for its header, query item or body field, to be set before:
    ///
    /// ```
    /// curl --header 'Authorization: '"$AUTHORIZATION" 'https://store.example/v1/records/LP-0042'
    /// ```
    ///
    /// The value of a header's variable is the whole value of the header. Body fields are those of JSON and of forms; any
    /// other body is printed whole, in base64 if it is no text. Files are named; a stream is taken from standard input.
    /// The transport's own headers, and redirects, are left to curl.
    public var curl: String {
        CurlCommand(self).text
    }
}

/// See ``NetworkCall/curl``.
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
        for (field, redacted) in zip(headers.fields, headers.redacted().fields) {
            arguments.append(header(field, redacted))
        }
        if let body = call.body {
            if !call.headers.contains("Content-Type") {
                // Otherwise curl takes it for a form.
                arguments.append("--header \(ShellWord.quoted("Content-Type: \(body.contentType)"))")
            }
            // Before a large body curl would ask whether to send it.
            if body.length ?? .max > 1_000_000, !call.headers.contains("Expect") {
                arguments.append("--header 'Expect:'")
            }
            arguments.append(self.body(body, of: call, source: &source))
        }
        // To curl these are patterns.
        if call.url.absoluteString.contains(where: { "[]{}".contains($0) }) { arguments.append("--globoff") }
        arguments.append(address(call))
        text = source + arguments.joined(separator: " ")
    }

    private mutating func header(_ field: HTTPHeaders.Field, _ redacted: HTTPHeaders.Field) -> String {
        var word = ShellWord()
        if field.value.utf8.allSatisfy({ " \t".utf8.contains($0) }) {
            // Otherwise curl leaves it out.
            word.append(plain: "\(field.name);")
        } else if redacted.value != field.value {
            word.append(plain: "\(field.name): ")
            word.append(variable: variables.name(for: field.name))
        } else {
            word.append(plain: "\(field.name): \(field.value)")
        }
        return "--header \(word.text)"
    }

    /// - Parameter source: gets the command that the bytes come from, when they do not fit into the argument.
    private mutating func body(_ body: EncodedBody, of call: NetworkCall, source: inout String) -> String {
        let type = MediaType(call.headers["Content-Type"] ?? body.contentType)
        func parts(_ data: Data) -> [RedactedPart] {
            RedactedPart.all(in: data, type, sensitive: call.headers.sensitiveNames) ?? [.plain(Array(data)[...])]
        }
        switch body.content {
        case .data(let data):
            // An argument holds no zero and is limited in size.
            if data.count < 100_000, !data.contains(0), String(validating: data, as: UTF8.self) != nil {
                return "--data-raw \(argument(parts(data)))"
            }
            source = "{ \(commands(parts(data)).joined(separator: "; ")); } | "
        case .pieces(let pieces):
            var commands: [String] = []
            for piece in pieces {
                switch piece {
                case .data(let data): commands += self.commands(parts(data))
                case .file(let file): commands.append("cat \(ShellWord.quoted(file.url.path(percentEncoded: false)))")
                }
            }
            source = "{ \(commands.joined(separator: "; ")); } | "
        case .stream: break
        }
        return "--data-binary @-"
    }

    private mutating func argument(_ parts: [RedactedPart]) -> String {
        var word = ShellWord()
        var plain: [UInt8] = []
        for part in parts {
            switch part {
            case .plain(let bytes): plain += bytes
            case .sensitive(let name, _):
                word.append(plain: String(decoding: plain, as: UTF8.self))
                plain = []
                word.append(variable: variables.name(for: name))
            }
        }
        word.append(plain: String(decoding: plain, as: UTF8.self))
        return word.text.isEmpty ? "''" : word.text
    }

    private mutating func commands(_ parts: [RedactedPart]) -> [String] {
        var commands: [String] = []
        for part in parts {
            switch part {
            case .plain(let bytes): commands.append("printf %s '\(Data(bytes).base64EncodedString())' | base64 -d")
            case .sensitive(let name, _): commands.append("printf %s \"$\(variables.name(for: name))\"")
            }
        }
        return commands
    }

    private mutating func address(_ call: NetworkCall) -> String {
        let text = call.url.absoluteString.prefix { $0 != "#" }
        let place = text.prefix { $0 != "?" }
        func plain(_ text: some StringProtocol) -> RedactedPart { .plain(Array(text.utf8)[...]) }
        var parts = [plain(place)]
        if let user = call.url.user(percentEncoded: true), let at = place.lastIndex(of: "@"),
            let start = place.range(of: "://\(user)")
        {
            // Credentials before the host.
            let value = place[start.lowerBound...].dropFirst("://".count).prefix(upTo: at)
            parts = [
                plain(place[..<value.startIndex]), .sensitive(name: "credentials", value: Array(value.utf8)[...]),
                plain(place[at...]),
            ]
        }
        if place.count < text.count {
            parts.append(plain("?"))
            parts += RedactedPart.all(inFields: String(text[place.endIndex...].dropFirst()), call.headers)
        }
        return argument(parts)
    }
}

extension HTTPHeaders {
    /// With all cookies in one field (RFC 6265 section 5.4), as URLSession sends them.
    fileprivate var withOneCookie: HTTPHeaders {
        let cookies = values(for: "Cookie")
        if cookies.count < 2 { return self }
        var headers = self
        headers["Cookie"] = cookies.joined(separator: "; ")
        return headers
    }
}

/// One word of a POSIX shell: text, and variables for sensitive values.
struct ShellWord {
    private(set) var text = ""

    mutating func append(plain: String) {
        if !plain.isEmpty { text += Self.quoted(plain) }
    }

    mutating func append(variable: String) {
        text += "\"$\(variable)\""
    }

    /// Quoted also where it need not be.
    static func quoted(_ text: String) -> String {
        // Byte by byte: a quotation mark with an accent is another character to Swift, and the same to a shell.
        var bytes = [UInt8(ascii: "'")]
        for byte in text.utf8 {
            if byte == UInt8(ascii: "'") { bytes += Array("'\\'".utf8) }
            bytes.append(byte)
        }
        return String(decoding: bytes + [UInt8(ascii: "'")], as: UTF8.self)
    }
}

/// The names of the shell variables for sensitive values: `AUTHORIZATION` for the header of that name.
struct ShellVariables {
    private var taken: Set<String> = []

    /// A name that no other variable has.
    mutating func name(for field: String) -> String {
        var name = String(
            decoding: field.uppercased().utf8.map { Self.plain.contains($0) ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
        if name.first.map({ !$0.isLetter }) ?? true || Self.ofShell.contains(name) { name = "VALUE_\(name)" }
        var candidate = name
        var number = 1
        while !taken.insert(candidate).inserted {
            number += 1
            candidate = "\(name)_\(number)"
        }
        return candidate
    }

    private static let plain = Set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_".utf8)

    /// Set already, or to be left alone.
    private static let ofShell: Set<String> = [
        "PATH", "HOME", "IFS", "ENV", "PWD", "OLDPWD", "SHELL", "USER", "LOGNAME", "LANG", "TERM", "PS1", "PS2", "PS4",
        "CDPATH", "UID", "PPID", "OPTARG", "OPTIND", "MAIL", "TMPDIR", "RANDOM",
    ]
}
