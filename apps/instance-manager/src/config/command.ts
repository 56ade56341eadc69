import { commonFlags, flagRules } from '@lateen/process';
import { type Environment, type ServeConfig, serveConfig, serveFlags } from './serve-config.ts';

export type InstanceManagerCommand =
  | { readonly kind: 'help' }
  /** `argv`: arguments for `serve`. */
  | { readonly kind: 'keep'; readonly config: ServeConfig; readonly graceMs: number; readonly argv: readonly string[] }
  | { readonly kind: 'serve'; readonly config: ServeConfig }
  /** Started only by `serve`. */
  | { readonly kind: 'engine'; readonly configPath: string }
  | { readonly kind: 'transfer'; readonly configPath: string };

const program = 'lateen-instance-manager';
const rules = flagRules(program);

/** Time that an ending pod has for its volumes; Kubernetes kills the rest a little later. */
const graceSecondsDefault = 90;

const options = {
  ...commonFlags,
  ...serveFlags,
  'grace-seconds': { type: 'string' },
  config: { type: 'string' },
} as const;
const serveNames = Object.keys(serveFlags) as (keyof typeof serveFlags)[];
const commands = {
  keep: [...serveNames, 'grace-seconds'],
  serve: serveNames,
  engine: ['config'],
  transfer: ['config'],
} as const;

/** Flags take precedence over the environment. @throws USAGE naming the flag */
export function readCommand(argv: readonly string[], environment: Environment): InstanceManagerCommand {
  const line = rules.read(argv, options, commands);
  if (line === undefined) return { kind: 'help' };
  const { command, values } = line;
  if (command === 'engine' || command === 'transfer')
    return { kind: command, configPath: rules.required('config', values.config) };
  const config = serveConfig(rules, values, environment);
  if (command === 'serve') return { kind: 'serve', config };
  const graceMs = wholeNumber('grace-seconds', values['grace-seconds'], graceSecondsDefault) * 1_000;
  return { kind: 'keep', config, graceMs, argv: serveArguments(argv) };
}

/** The same flags for `serve`: with its own command, and without the grace period. */
function serveArguments(argv: readonly string[]): readonly string[] {
  const rest: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? '';
    if (word === '--grace-seconds') at++;
    else if (!word.startsWith('--grace-seconds='))
      rest.push(word === 'keep' && !rest.includes('serve') ? 'serve' : word);
  }
  return rest;
}

function wholeNumber(flag: string, text: string | undefined, usual: number): number {
  if (text === undefined) return usual;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw rules.usage(`--${flag} "${text}" is not a whole number`);
  return value;
}
