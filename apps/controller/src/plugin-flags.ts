import { AppError } from '@lateen/errors';
import { parseQuantity, wholeUnits } from '@lateen/kube';
import { pluginLimitsDefault } from '@lateen/plugin-host';
import { booleanFlag } from '@lateen/process/server';
import { type Command, Option, type OptionValues } from 'commander';
import { durationMs } from './flag-values.ts';
import { numberFlag } from './server-flags.ts';

/** Plugin programs that run next to the controller (docs/plugins.md). */
export interface PluginSettings {
  directory: string;
  /** Time limit of one call, in ms. */
  callMs: number;
  /** The most calls of actions at the same time, per program and per backup or restore. */
  parallelCalls: number;
  /** Memory limit of one process; undefined: the limit of the pod. */
  memoryBytesMax: number | undefined;
  passCredentials: boolean;
}

const defaultCallMs = 5 * 60_000;

/** `--plugin-dir` has Velero's name; the others are ours. */
export function addPluginFlags(command: Command): Command {
  return command
    .option('--plugin-dir <path>', 'folder with programs of plugins', '/plugins')
    .addOption(
      new Option('--plugin-call-timeout <duration>', 'longest time that one call of a plugin may take')
        .argParser((text) => durationMs('--plugin-call-timeout', text, '5m0s') || defaultCallMs)
        .default(defaultCallMs, '5m0s'),
    )
    .addOption(
      numberFlag(
        '--plugin-parallel-calls',
        'calls of actions that one program gets at the same time from one backup or restore; more than 1 for programs that bear it',
        pluginLimitsDefault.actionCallsInFlightMax,
        1,
        1_000,
      ),
    )
    .addOption(
      new Option(
        '--plugin-memory-limit <quantity>',
        'memory of one process of a plugin; it is ended when it takes more (default: no limit but the pod’s)',
      ).argParser(parseMemory),
    )
    .addOption(
      booleanFlag(
        '--plugin-credentials',
        'whether programs of plugins get the variables that point at the credentials of clouds',
      ),
    );
}

export const pluginSettings = (flags: OptionValues): PluginSettings => ({
  directory: flags.pluginDir,
  callMs: flags.pluginCallTimeout,
  parallelCalls: flags.pluginParallelCalls,
  memoryBytesMax: flags.pluginMemoryLimit,
  passCredentials: flags.pluginCredentials,
});

/** A program with less memory than this does not start. */
const memoryBytesMin = 16 * 1024 * 1024;

function parseMemory(text: string): number {
  const quantity = parseQuantity(text);
  const bytes = quantity === undefined ? Number.NaN : Number(wholeUnits(quantity));
  if (bytes >= memoryBytesMin && Number.isSafeInteger(bytes)) return bytes;
  throw new AppError('USAGE', `--plugin-memory-limit "${text}" is not a quantity of at least 16Mi, such as 512Mi`);
}
