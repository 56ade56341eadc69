import { completeWord } from './complete-words.ts';

/** Shells with a completion script. */
export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/**
 * Scripts that pass the words before the cursor to `lateen __complete` and its answer to the shell; the program alone knows
 * commands, flags and objects. They read nothing from the terminal and print no errors on it.
 */
export const completionScript = (shell: Shell): string => scripts[shell];

const ask = `lateen ${completeWord}`;
const quietly = '</dev/null 2>/dev/null';

/**
 * bash also splits words at characters such as `=`, `:` and `@` (COMP_WORDBREAKS): the script joins pieces without a space
 * between them, and removes what is before the last piece from the candidates, because bash replaces that piece only.
 */
const bash = `_lateen() {
  local line=\${COMP_LINE:0:COMP_POINT} gap piece word quoted='' directive=''
  local -i at
  local -a words=()
  for ((at = 0; at <= COMP_CWORD; at++)); do
    gap=\${line%%[![:space:]]*} line=\${line#"\${line%%[![:space:]]*}"}
    # Of the last word only what stands before the cursor.
    if ((at < COMP_CWORD)); then piece=\${COMP_WORDS[at]} line=\${line#"\${COMP_WORDS[at]}"}; else piece=$line; fi
    if [[ -z $gap && at -gt 0 ]]; then words[\${#words[@]} - 1]+=$piece; else words+=("$piece"); fi
  done
  [[ $piece == [\\"\\']* ]] && quoted=yes
  words=("\${words[@]//[\\"\\'\\\\]/}") piece=\${piece//[\\"\\'\\\\]/}
  [[ $piece == [=:] ]] && piece=''
  local head=\${words[\${#words[@]} - 1]%"$piece"}
  COMPREPLY=()
  while IFS= read -r line; do
    word=\${line%%$'\\t'*}
    if [[ $word == :* ]]; then directive=\${word#:}; continue; fi
    word=\${word#"$head"}
    [[ -z $word || -n $quoted ]] || printf -v word %q "$word"
    COMPREPLY+=("$word")
  done < <(${ask} "\${words[@]:1}" ${quietly})
  case $directive in
    0) compopt -o default 2>/dev/null || while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$piece") ;;
    6) compopt -o nospace 2>/dev/null ;;
  esac
}
complete -F _lateen lateen
`;

const zsh = `#compdef lateen
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
_lateen() {
  local line word about directive=''
  local -a found more
  for line in "\${(@f)$(${ask} "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" ${quietly})}"; do
    if [[ $line == :* ]]; then directive=\${line#:}; continue; fi
    word=\${line%%$'\\t'*}
    about=\${line#"$word"} about=\${about#$'\\t'}
    found+=("\${word//:/\\\\:}\${about:+:$about}")
  done
  case $directive in
    0) compset -P '-*='; _files; return ;;
    6) more=(-S '') ;;
  esac
  _describe lateen found $more
}
if [[ \${funcstack[1]} == _lateen ]]; then _lateen "$@"; else compdef _lateen lateen; fi
`;

const fish = `function __lateen_complete
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    set -l answer (${ask} $before[2..-1] "$current" ${quietly})
    set -q answer[1]; or return
    if test "$answer[-1]" = :0
        __fish_complete_path "$current"
        return
    end
    set -e answer[-1]
    set -q answer[1]; and printf '%s\\n' $answer
end
complete -c lateen -f -a '(__lateen_complete)'
`;

const scripts: Readonly<Record<Shell, string>> = { bash, zsh, fish };
