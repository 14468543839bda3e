/// Scripts that complete command lines, from the commands' own descriptions.
enum CompletionScript {
    enum Shell: String, CaseIterable, Sendable {
        case bash, zsh, fish
    }

    static func text(for shell: Shell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    private static let usages = CommandList.all.map { $0.usage }

    private static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: #"'\''"#) + "'" }

    // MARK: bash and zsh

    /// Sets `kind` to what the word after `$previous` is, and `choices` to its words, in the syntax of both shells.
    private static let table: String = {
        func assignment(_ completion: ValueKind.Completion) -> String {
            switch completion {
            case .files: "kind=file"
            case .words(let words): "kind=words choices=\(quoted(words.joined(separator: " ")))"
            case .list(let words): "kind=list choices=\(quoted(words.joined(separator: " ")))"
            case .stock(let values): "kind=\(values.rawValue)"
            case .nothing: "kind=none"
            }
        }
        var lines = [#"case "$command $previous" in"#]
        for usage in usages {
            for option in usage.options {
                if let value = option.value {
                    lines.append("    '\(usage.name) \(option.name)') \(assignment(value.completion)) ;;")
                }
            }
        }
        for option in Option.global {
            if let value = option.value { lines.append("    *' \(option.name)') \(assignment(value.completion)) ;;") }
        }
        lines.append(#"    *) case "$command" in"#)
        for usage in usages where usage.operands.placeholder != nil {
            lines.append("        '\(usage.name)') \(assignment(usage.operands.kind.completion)) ;;")
        }
        lines.append("        '') kind=words choices=\(quoted(usages.map(\.name).joined(separator: " "))) ;;")
        lines.append("    esac ;;")
        lines.append("esac")
        return lines.map { "    " + $0 }.joined(separator: "\n")
    }()

    /// Sets `choices` to the options of `$command`.
    private static let options: String = {
        let global = Option.global.map(\.name)
        let cases = usages.map { usage in
            "        '\(usage.name)') choices=\(quoted((usage.options.map(\.name) + global).joined(separator: " "))) ;;"
        }
        return """
                case "$command" in
            \(cases.joined(separator: "\n"))
                    *) choices=\(quoted(global.joined(separator: " "))) ;;
                esac
            """
    }()

    private static let names = usages.map(\.name).joined(separator: "|")

    private static let bash = """
        # Completes record-inventory in bash.
        _record_inventory() {
            local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
            local command= kind=none choices= index
            local -a place=()
            for ((index = 1; index < COMP_CWORD; index++)); do
                case ${COMP_WORDS[index]} in
                    --store|--bucket) place+=("${COMP_WORDS[index]}" "${COMP_WORDS[index+1]}") ;;
                    \(names)) [ -n "$command" ] || command=${COMP_WORDS[index]} ;;
                esac
            done
        \(table)
            if [[ $word == -* ]]; then
                kind=words
        \(options)
            fi
            COMPREPLY=()
            case $kind in
                words) COMPREPLY=($(compgen -W "$choices" -- "$word")) ;;
                list) COMPREPLY=($(compgen -P "${word%"${word##*,}"}" -W "$choices" -- "${word##*,}")) ;;
                file) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
                sku|shelf)
                    mapfile -t COMPREPLY < <(record-inventory "${place[@]}" completions --values "$kind" -- "$word" 2>/dev/null)
                    for index in "${!COMPREPLY[@]}"; do printf -v "COMPREPLY[index]" %q "${COMPREPLY[index]}"; done ;;
            esac
        }
        complete -F _record_inventory record-inventory
        """

    private static let zsh = """
        #compdef record-inventory
        # Completes record-inventory in zsh.
        _record_inventory() {
            local word=$PREFIX previous=${words[CURRENT-1]}
            local command= kind=none choices= index
            local -a place found
            for ((index = 2; index < CURRENT; index++)); do
                case ${words[index]} in
                    --store|--bucket) place+=("${words[index]}" "${words[index+1]}") ;;
                    \(names)) [[ -n $command ]] || command=${words[index]} ;;
                esac
            done
        \(table)
            if [[ $word == -* ]]; then
                kind=words
        \(options)
            fi
            case $kind in
                words) compadd -- ${=choices} ;;
                list) compadd -- ${word%${word##*,}}${^${=choices}} ;;
                file) _files ;;
                sku|shelf)
                    found=("${(@f)$(record-inventory "${place[@]}" completions --values "$kind" -- "$word" 2>/dev/null)}")
                    compadd -- $found ;;
            esac
        }
        if [[ $funcstack[1] == _record-inventory ]]; then _record_inventory "$@"; else compdef _record_inventory record-inventory; fi
        """

    // MARK: fish

    private static let fish: String = {
        var lines = [
            """
            # Completes record-inventory in fish.
            function __record_inventory_values
                set -l words (commandline -opc)
                set -l place
                for index in (seq 2 (count $words))
                    if contains -- $words[$index] --store --bucket
                        set -a place $words[$index] $words[(math $index + 1)]
                    end
                end
                record-inventory $place completions --values $argv[1] -- (commandline -ct) 2>/dev/null
            end
            function __record_inventory_list
                printf '%s\\n' (string replace -r '[^,]*$' '' -- (commandline -ct))$argv
            end
            function __record_inventory_lacks_command
                for word in (commandline -opc)[2..-1]
                    contains -- $word \(usages.map(\.name).joined(separator: " ")); and return 1
                end
                return 0
            end
            complete -c record-inventory -f
            """
        ]
        let name = "complete -c record-inventory"
        func argument(_ completion: ValueKind.Completion) -> String {
            switch completion {
            case .files: " -F"
            case .words(let words): " -a \(quoted(words.joined(separator: " ")))"
            case .list(let words): " -a '(__record_inventory_list \(words.joined(separator: " ")))'"
            case .stock(let values): " -a '(__record_inventory_values \(values.rawValue))'"
            case .nothing: ""
            }
        }
        func line(_ option: Option, _ condition: String) -> String {
            let flag = option.name.hasPrefix("--") ? "-l \(option.name.dropFirst(2))" : "-s \(option.name.dropFirst())"
            let value = option.value.map { " -x" + argument($0.completion) } ?? ""
            let help = option.help.isEmpty ? "" : " -d \(quoted(option.help))"
            return "\(name)\(condition) \(flag)\(value.replacing(" -x -F", with: " -r -F"))\(help)"
        }
        lines += Option.global.map { line($0, "") }
        for usage in usages {
            lines.append("\(name) -n __record_inventory_lacks_command -a \(usage.name) -d \(quoted(usage.summary))")
            let condition = " -n '__fish_seen_subcommand_from \(usage.name)'"
            if usage.operands.placeholder != nil, usage.operands.kind.completion != .nothing {
                lines.append(name + condition + argument(usage.operands.kind.completion))
            }
            lines += usage.options.map { line($0, condition) }
        }
        return lines.joined(separator: "\n")
    }()
}
