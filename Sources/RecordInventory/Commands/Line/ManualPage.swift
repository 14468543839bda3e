import Foundation

/// The manual page, from the commands' own descriptions.
enum ManualPage {
    private static let examples = CommandList.all.flatMap { $0.usage.examples }

    static let text = """
        .Dd \(today)
        .Dt RECORD-INVENTORY 1
        .Os
        .Sh NAME
        .Nm record-inventory
        .Nd keep a record store's stock
        .Sh SYNOPSIS
        .Nm
        .Ar command
        .Op Ar options
        .Sh DESCRIPTION
        Keeps the stock of a record store, in an SQLite file or on a Kinto server.
        Each change of a quantity is a movement in a ledger.
        \(sentences(HelpText.amounts))
        .Pp
        The commands are as follows:
        .Bl -tag -width Ds
        \(CommandList.all.map { command($0.usage) }.joined(separator: "\n"))
        .El
        .Pp
        These options may stand before or after any command:
        \(list(Option.global))
        .Sh ENVIRONMENT
        .Bl -tag -width Ds
        .It Ev RECORD_INVENTORY_STORE , RECORD_INVENTORY_SERVER
        The file or the server, unless an option names one.
        \(sentences(HelpText.defaultStore))
        .It Ev RECORD_INVENTORY_USER , RECORD_INVENTORY_PASSWORD_FILE
        The account on a server.
        .It Ev RECORD_INVENTORY_TILL , RECORD_INVENTORY_PERSON
        The till and the person in the ledger.
        .It Ev RECORD_INVENTORY_MUSICBRAINZ
        The URL of another server to look up releases at.
        .It Ev XDG_CONFIG_HOME , XDG_DATA_HOME , XDG_CACHE_HOME
        The folders of the config file, the default store and the looked-up releases.
        .It Ev NO_COLOR , CLICOLOR_FORCE
        No colors, or colors on pipes too, if it is not empty.
        .It Ev PAGER
        The program for tables longer than the screen.
        The default is less \\-FRX.
        An empty value is none.
        .El
        .Sh EXIT STATUS
        .Bl -tag -width Ds -compact
        \(exits.map { ".It \($0.0)\n\(sentences($0.1))" }.joined(separator: "\n"))
        .El
        .Sh EXAMPLES
        .Bd -literal
        \(examples.map { escaped("record-inventory " + $0) }.joined(separator: "\n"))
        .Ed
        """

    /// The day on which the page is made, in the form that `mdoc` requires.
    private static var today: String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "MMMM d, yyyy"
        return formatter.string(from: Date())
    }

    private static let exits = ExitCode.allCases.map { code in
        ("\(code.rawValue)", "\(code.text.prefix(1).uppercased())\(code.text.dropFirst()).")
    }

    private static func command(_ usage: CommandUsage) -> String {
        let operands = [usage.operands.placeholder, usage.required].compactMap(\.self).joined(separator: " ")
        let head = ".It Cm \(usage.name)\(operands.isEmpty ? "" : " Ar \(argument(operands))")"
        let options = usage.options.isEmpty ? "" : "\n" + list(usage.options)
        return "\(head)\n\(sentences(usage.explanation))\(options)"
    }

    private static func list(_ options: [Option]) -> String {
        let items = options.map { option in
            let value = option.value.map { " Ar \(argument($0.placeholder))" } ?? ""
            return ".It Fl \(argument(String(option.name.dropFirst())))\(value)"
                + (option.help.isEmpty ? "" : "\n\(sentences(option.help))")
        }
        return ".Bl -tag -width Ds -compact\n\(items.joined(separator: "\n"))\n.El"
    }

    /// Returns paragraphs with each sentence on its own line, as mdoc wants it.
    private static func sentences(_ text: String) -> String {
        text.split(separator: "\n\n").map { paragraph(String($0)) }.joined(separator: "\n.Pp\n")
    }

    private static func paragraph(_ text: String) -> String {
        let plain = text.replacing("\n", with: " ")
        return plain.replacing(/([.:?!])\s+(?=[A-Z`])/) { "\($0.1)\n" }.split(separator: "\n")
            .flatMap { wrapped($0) }.map { escaped($0) }.joined(separator: "\n")
    }

    /// Returns the words of a sentence in lines of at most 70 characters, before they are escaped.
    private static func wrapped(_ sentence: Substring) -> [String] {
        sentence.split(separator: " ").reduce(into: [""]) { lines, word in
            let line = lines[lines.count - 1]
            if line.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if line.count + word.count < 70 {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(word))
            }
        }
    }

    private static func escaped(_ text: String) -> String {
        let text = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
        return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
    }

    /// Returns a word on a macro line, where punctuation alone would be set apart.
    private static func argument(_ text: String) -> String {
        "\"" + escaped(text).replacing("\"", with: "\"\"") + "\""
    }
}
