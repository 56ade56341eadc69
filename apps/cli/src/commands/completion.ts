import { AppError } from '@lateen/errors';
import { Command } from 'commander';
import type { TextOutput } from '../output/live-line.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

/** `lateen completion bash|zsh|fish`: a script made from the program's own commands and flags. */
export function completionCommand(stdout: TextOutput, program: () => Command): Command {
  return new Command('completion')
    .description('Print a completion script for a shell')
    .argument('<shell>', shells.join(', '))
    .addHelpText('after', '\nExamples:\n  source <(lateen completion bash)\n  lateen completion fish | source')
    .action((shell: string) => {
      if (!shells.some((each) => each === shell))
        throw new AppError('BAD_ARGUMENT', `there is no completion for "${shell}"`, {
          nextStep: `Use one of ${shells.join(', ')}.`,
        });
      const words = wordsOf(program());
      stdout.write(shell === 'fish' ? fishScript(words) : bashScript(words, shell === 'zsh'));
    });
}

/** For each command path ("" is the program itself): the words that may follow it. */
function wordsOf(program: Command): Map<string, string[]> {
  const words = new Map<string, string[]>();
  const visit = (command: Command, path: string): void => {
    const flags = [...command.options, ...(path === '' ? [] : program.options)].flatMap((option) => option.long ?? []);
    words.set(path, [...command.commands.map((each) => each.name()), ...flags, '--help']);
    for (const each of command.commands) visit(each, path === '' ? each.name() : `${path} ${each.name()}`);
  };
  visit(program, '');
  return words;
}

function bashScript(words: Map<string, string[]>, isZsh: boolean): string {
  const cases = [...words].map(
    ([path, list]) => `    '${path}') COMPREPLY=($(compgen -W '${list.join(' ')}' -- "$current")) ;;`,
  );
  return [
    ...(isZsh ? ['autoload -U +X bashcompinit && bashcompinit'] : []),
    '_lateen() {',
    '  local current="$' + '{COMP_WORDS[COMP_CWORD]}" path="" word',
    '  for word in "$' + '{COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    '    case "$word" in -*) ;; *) path="$' + '{path:+$path }$word" ;; esac',
    '  done',
    '  while :; do case "$path" in',
    ...cases,
    // An argument that is no command: what stands before it decides. The program itself is always known.
    "    *' '*) path=\"$" + '{path% *}"; continue ;;',
    '    *) path=""; continue ;;',
    '  esac; break; done',
    '}',
    'complete -F _lateen lateen',
    '',
  ].join('\n');
}

function fishScript(words: Map<string, string[]>): string {
  const lines = [...words].flatMap(([path, list]) => {
    const parts = path === '' ? [] : path.split(' ');
    const condition =
      parts.length === 0
        ? '__fish_use_subcommand'
        : parts.map((part) => `__fish_seen_subcommand_from ${part}`).join('; and ');
    return list.map((word) =>
      word.startsWith('--')
        ? `complete -c lateen -n '${condition}' -l ${word.slice(2)}`
        : `complete -c lateen -f -n '${condition}' -a ${word}`,
    );
  });
  return `${lines.join('\n')}\n`;
}
