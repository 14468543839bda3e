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

    // MARK: bash and zsh

    /// Sets `kind` to what the word after `$previous` is, and `choices` to its words, in the syntax of both shells.
    private static let table: String = {
        func assignment(_ value: ValueKind) -> String {
            let choices = value.words.isEmpty ? "" : " choices=\(value.words.joined(separator: " ").quotedForShell)"
            return "kind=\(value.completion.rawValue)\(choices)"
        }
        var lines = [#"case "$command $previous" in"#]
        for usage in usages {
            for option in usage.options {
                if let value = option.value {
                    lines.append("    '\(usage.name) \(option.name)') \(assignment(value)) ;;")
                }
            }
        }
        for option in Option.global {
            if let value = option.value { lines.append("    *' \(option.name)') \(assignment(value)) ;;") }
        }
        lines.append(#"    *) case "$command" in"#)
        for usage in usages where usage.operands.placeholder != nil {
            lines.append("        '\(usage.name)') \(assignment(usage.operands.kind)) ;;")
        }
        lines.append("        '') kind=words choices=\(usages.map(\.name).joined(separator: " ").quotedForShell) ;;")
        lines.append("    esac ;;")
        lines.append("esac")
        return lines.map { "    " + $0 }.joined(separator: "\n")
    }()

    /// Sets `choices` to the options of `$command`, if the word begins like one.
    private static let options: String = {
        let global = Option.global.map(\.name)
        let cases = usages.map { usage in
            let names = (usage.options.map(\.name) + global).joined(separator: " ")
            return "            '\(usage.name)') choices=\(names.quotedForShell) ;;"
        }
        return """
                if [[ $word == -* && $kind != order ]]; then
                    kind=words
                    case "$command" in
            \(cases.joined(separator: "\n"))
                        *) choices=\(global.joined(separator: " ").quotedForShell) ;;
                    esac
                fi
            """
    }()

    private static let names = usages.map(\.name).joined(separator: "|")

    private static let bash = """
        # Completes record-inventory in bash.
        _record_inventory() {
            local command= kind=none choices= index piece
            # Bash divides words at : and = too. These are the words as they were typed.
            local -a words=() place=()
            local rest=${COMP_LINE:0:COMP_POINT}
            for ((index = 0; index <= COMP_CWORD; index++)); do
                piece=${COMP_WORDS[index]}
                if ((index > 0)) && [[ $rest != [[:space:]]* && ($piece == [=:]* || ${COMP_WORDS[index-1]} == *[=:]) ]]; then
                    words[-1]+=$piece
                else
                    words+=("$piece")
                fi
                rest=${rest#"${rest%%[![:space:]]*}"}
                rest=${rest#"$piece"}
            done
            for ((index = 1; index < ${#words[@]} - 1; index++)); do
                case ${words[index]} in
                    --store|--bucket) place+=("${words[index]}" "${words[index+1]}") ;;
                    --store=*|--bucket=*) place+=("${words[index]}") ;;
                    \(names)) [ -n "$command" ] || command=${words[index]} ;;
                esac
            done
            local word=${words[-1]} previous=${words[-2]} quote=
            if [[ $word == --*=* ]]; then previous=${word%%=*} word=${word#*=}; fi
            # Bash keeps what stands before the last piece.
            piece=${piece#[=:]}
            local kept=${word%"$piece"}
            case $word in
                [\\\"\\']*) quote=${word:0:1} word=${word:1} kept= ;;
                *) word=${word//\\\\/} ;;
            esac
        \(table)
        \(options)
            COMPREPLY=()
            case $kind in
                words) COMPREPLY=($(compgen -W "$choices" -- "$word")) ;;
                list|order)
                    piece=${word##*,}
                    [[ $kind == order ]] && piece=${piece#-}
                    COMPREPLY=($(compgen -P "${word%"$piece"}" -W "$choices" -- "$piece")) ;;
                file) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
                sku|shelf)
                    mapfile -t COMPREPLY < <(record-inventory "${place[@]}" completions --values "$kind" -- "$word" 2>/dev/null) ;;
            esac
            for index in "${!COMPREPLY[@]}"; do
                piece=${COMPREPLY[index]#"$kept"}
                # Within quotes, bash takes what is offered as it is.
                if [[ $kind == @(sku|shelf) && -z $quote ]]; then printf -v piece %q "$piece"; fi
                COMPREPLY[index]=$piece
            done
        }
        complete -F _record_inventory record-inventory
        """

    private static let zsh = """
        #compdef record-inventory
        # Completes record-inventory in zsh.
        _record_inventory() {
            # Without quotes and backslashes.
            local word=${(Q)PREFIX} previous=${words[CURRENT-1]}
            local command= kind=none choices= index piece
            local -a place found
            for ((index = 2; index < CURRENT; index++)); do
                case ${words[index]} in
                    --store|--bucket) place+=("${words[index]}" "${words[index+1]}") ;;
                    \(names)) [[ -n $command ]] || command=${words[index]} ;;
                esac
            done
        \(table)
        \(options)
            case $kind in
                words) compadd -- ${=choices} ;;
                list|order)
                    piece=${word##*,}
                    [[ $kind == order ]] && piece=${piece#-}
                    compadd -- ${word%$piece}${^${=choices}} ;;
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
                record-inventory $place completions --values $argv[1] -- (__record_inventory_word) 2>/dev/null
            end
            # The word at the cursor, without quotes and backslashes.
            function __record_inventory_word
                string unescape -- (string replace -r '^["\\']' '' -- (commandline -ct))
            end
            function __record_inventory_list
                printf '%s\\n' (string replace -r '[^,]*$' '' -- (__record_inventory_word))$argv
            end
            function __record_inventory_order
                printf '%s\\n' (string replace -r '[^,-]*$' '' -- (__record_inventory_word))$argv
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
        func argument(_ value: ValueKind) -> String {
            let (kind, words) = (value.completion.rawValue, value.words.joined(separator: " "))
            return switch value.completion {
            case .none: ""
            case .file: " -F"
            case .words: " -a \(words.quotedForShell)"
            case .list, .order: " -a '(__record_inventory_\(kind) \(words))'"
            case .sku, .shelf: " -a '(__record_inventory_values \(kind))'"
            }
        }
        func line(_ option: Option, _ condition: String) -> String {
            let flag = option.name.hasPrefix("--") ? "-l \(option.name.dropFirst(2))" : "-s \(option.name.dropFirst())"
            let value = option.value.map { " -x" + argument($0) } ?? ""
            let help = option.help.isEmpty ? "" : " -d \(option.help.quotedForShell)"
            return "\(name)\(condition) \(flag)\(value.replacing(" -x -F", with: " -r -F"))\(help)"
        }
        lines += Option.global.map { line($0, "") }
        for usage in usages {
            lines.append(
                "\(name) -n __record_inventory_lacks_command -a \(usage.name) -d \(usage.summary.quotedForShell)")
            let condition = " -n '__fish_seen_subcommand_from \(usage.name)'"
            if usage.operands.placeholder != nil, usage.operands.kind.completion != .none {
                lines.append(name + condition + argument(usage.operands.kind))
            }
            lines += usage.options.map { line($0, condition) }
        }
        return lines.joined(separator: "\n")
    }()
}
