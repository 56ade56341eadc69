import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { AppError } from '@lateen/errors';
import { type LogFormat, type LogLevel, logFormats, logLevels } from '@lateen/kernel';

/** The flags that every program in a pod of its own has. */
export const commonFlags = {
  'log-level': { type: 'string' },
  'log-format': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsOptionsConfig;

/** Beside our levels, the names of Velero's logger (logrus): pods inherit the flag from templates that people write. */
const levelsOfReference: Readonly<Record<string, LogLevel>> = {
  trace: 'debug',
  warning: 'warn',
  fatal: 'error',
  panic: 'error',
};

/**
 * How such a program reads its command line: one command, flags, `--help`. Node's own parser, for these programs start once per
 * volume or task and carry no library for it. Everything throws USAGE naming the flag.
 */
export function flagRules(program: string) {
  const usage = (message: string): AppError => new AppError('USAGE', message, { nextStep: `See ${program} --help.` });

  const oneOf = <const T extends string>(flag: string, value: string, allowed: readonly T[]): T => {
    const found = allowed.find((each) => each === value);
    if (found === undefined) throw usage(`--${flag} "${value}" is not one of ${allowed.join(', ')}`);
    return found;
  };

  const parsed = <const O extends ParseArgsOptionsConfig>(argv: readonly string[], options: O) => {
    try {
      return parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
    } catch (cause) {
      // The texts of parseArgs name the flag ("Unknown option '--x'. To specify …"); their first sentence is enough.
      const text = cause instanceof Error ? (cause.message.split('. ')[0] ?? '') : String(cause);
      throw usage(text.charAt(0).toLowerCase() + text.slice(1));
    }
  };

  return {
    usage,
    oneOf,

    /**
     * The command and its flags; undefined when it asks for help, and then nothing else counts. `commands`: for each the flags that
     * only it, or only some, have.
     */
    read: <const O extends ParseArgsOptionsConfig & typeof commonFlags, const C extends string>(
      argv: readonly string[],
      options: O,
      commands: Readonly<Record<C, readonly (keyof O & string)[]>>,
    ) => {
      const { values, positionals } = parsed(argv, options);
      const [word, unexpected] = positionals;
      if (('help' in values && values.help === true) || word === 'help') return undefined;
      const command = (Object.keys(commands) as C[]).find((each) => each === word);
      if (command === undefined) throw usage(word === undefined ? 'a command is missing' : `unknown command "${word}"`);
      if (unexpected !== undefined) throw usage(`unexpected argument "${unexpected}"`);
      const others = Object.values<readonly string[]>(commands).flat();
      const foreign = others.find((flag) => flag in values && !commands[command].some((own) => own === flag));
      if (foreign !== undefined) throw usage(`--${foreign} does not belong to ${command}`);
      return { command, values };
    },

    required: (flag: string, value: string | undefined): string => {
      if (value === undefined || value === '') throw usage(`--${flag} is required`);
      return value;
    },

    logOf: (values: { 'log-level'?: string; 'log-format'?: string }): { logLevel: LogLevel; logFormat: LogFormat } => {
      const level = values['log-level'] ?? 'info';
      return {
        logLevel: oneOf('log-level', levelsOfReference[level] ?? level, logLevels),
        logFormat: oneOf('log-format', values['log-format'] ?? 'text', logFormats),
      };
    },
  };
}
