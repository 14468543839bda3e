/// Scripts that complete command lines. They ask the tool, with the words so far: see ``Completion``.
enum CompletionScript: String, CaseIterable, Sendable {
    case bash, zsh, fish

    var text: String {
        switch self {
        case .bash:
            #"""
            # Completes record-inventory in bash.
            _record_inventory() {
                local index piece quote= rest=${COMP_LINE:0:COMP_POINT}
                # Bash divides words at : and = too. These are the words as they were typed.
                local -a words=()
                for ((index = 0; index <= COMP_CWORD; index++)); do
                    piece=${COMP_WORDS[index]}
                    if ((index > 0)) && [[ $rest != [[:space:]]* && ($piece == [=:]* || ${COMP_WORDS[index-1]} == \#
                    *[=:]) ]]; then
                        words[-1]+=$piece
                    else
                        words+=("$piece")
                    fi
                    rest=${rest#"${rest%%[![:space:]]*}"}
                    rest=${rest#"$piece"}
                done
                local word=${words[-1]}
                # Bash keeps what stands before the last piece.
                piece=${piece#[=:]}
                local kept=${word%"$piece"}
                case $word in
                    [\"\']*) quote=${word:0:1} word=${word:1} kept= ;;
                    *) word=${word//\\/} ;;
                esac
                mapfile -t COMPREPLY < <(record-inventory completions --words -- "${words[@]:1:${#words[@]}-2}" \#
                "$word" 2>/dev/null)
                if [[ ${COMPREPLY[0]} == '<file>' ]]; then
                    # With this, bash itself quotes what is offered.
                    compopt -o filenames
                    quote=file kept=${kept#--*=}
                    mapfile -t COMPREPLY < <(compgen -f -- "${word#--*=}")
                fi
                for index in "${!COMPREPLY[@]}"; do
                    piece=${COMPREPLY[index]%%$'\t'*}
                    piece=${piece#"$kept"}
                    # Within quotes, bash takes what is offered as it is.
                    if [[ -z $quote && $piece == *[^a-zA-Z0-9_.,:=%@+/-]* ]]; then printf -v piece %q "$piece"; fi
                    COMPREPLY[index]=$piece
                done
            }
            complete -F _record_inventory record-inventory
            """#
        case .zsh:
            #"""
            #compdef record-inventory
            # Completes record-inventory in zsh.
            _record_inventory() {
                # The last word without quotes and backslashes.
                local -a before=("${(@)words[2,CURRENT-1]}")
                local -a found=("${(@f)$(record-inventory completions --words -- "${before[@]}" "${(Q)PREFIX}" \#
                2>/dev/null)}")
                if [[ $found[1] == '<file>' ]]; then _files; elif [[ -n $found ]]; \#
                then compadd -- "${found[@]%%$'\t'*}"; fi
            }
            if [[ $funcstack[1] == _record-inventory ]]; then _record_inventory "$@"; \#
            else compdef _record_inventory record-inventory; fi
            """#
        case .fish:
            #"""
            # Completes record-inventory in fish.
            function __record_inventory
                # The word at the cursor, without quotes and backslashes.
                set -l word (string unescape -- (string replace -r '^["\']' '' -- (commandline -ct)))
                set -l found (record-inventory completions --words -- (commandline -opc)[2..-1] "$word" 2>/dev/null)
                if test "$found[1]" = '<file>'
                    __fish_complete_path "$word"
                else
                    string join \n -- $found
                end
            end
            complete -c record-inventory -f -a '(__record_inventory)'
            """#
        }
    }
}
