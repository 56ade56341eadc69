import { AppError } from '@lateen/errors';
import { type Command, Option } from 'commander';

interface ForeignFlag {
  /** The flag in Velero's form; its value is optional, so that booleans are accepted with and without one. */
  flag: `--${string}`;
  fate: 'ignored' | 'refused';
  /** The text after "--flag is ignored: " or "--flag is refused: ". */
  why: string;
  /** Values that ask for nothing: they cause no remark. */
  harmless?: readonly string[];
}

const noPrivilege =
  'the node-agent needs no privilege; privilegedFsBackup of its ConfigMap is for data movers of pod volumes';

/** Flags of Velero's `install` that have no effect here (cli.md section 13). */
const foreignFlags: readonly ForeignFlag[] = [
  {
    flag: '--use-node-agent-windows',
    fate: 'refused',
    why: 'there is no image for Windows nodes',
    harmless: ['false'],
  },
  { flag: '--privileged-node-agent', fate: 'ignored', why: noPrivilege, harmless: ['false'] },
  {
    flag: '--disable-informer-cache',
    fate: 'ignored',
    why: 'caches are bounded and cannot be switched off',
    harmless: ['false'],
  },
];

/** The flags are hidden from --help, which lists only flags with an effect. */
export function addFlagsWithoutEffect(command: Command): void {
  for (const { flag } of foreignFlags) command.addOption(new Option(`${flag} [value]`).hideHelp());
}

/** One line for each given flag without effect. @throws AppError BAD_FLAG for one that asks for something unsupported */
export function remarksOnFlags(flags: Readonly<Record<string, unknown>>): string[] {
  return foreignFlags.flatMap(({ flag, fate, why, harmless = [] }) => {
    const value = flags[camelCase(flag)];
    if (value === undefined || harmless.includes(String(value))) return [];
    if (fate === 'refused') throw new AppError('BAD_FLAG', `${flag} is refused: ${why}`);
    return [`${flag} is ignored: ${why}.`];
  });
}

const camelCase = (flag: string): string =>
  flag.slice(2).replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
