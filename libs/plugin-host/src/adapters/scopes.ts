import type { KubeObject } from '@lateen/api-types';
import type { Logger } from '@lateen/kernel';
import type { PluginScope } from '../calls/plugin-call.ts';

const identity = ({ metadata: { uid, namespace = '', name = '' } }: KubeObject): string =>
  uid ?? `${namespace}/${name}`;

/** The part of an action's input that identifies its run. */
interface RunContext {
  log: Logger;
  /** Log of the run; a process's lines belong to the item that it works on at that time. */
  runLog?: Logger;
}

const scope = (run: string, { log, runLog = log }: RunContext): PluginScope => ({ run, log: runLog });

/** One process of a program works for all items of one backup, restore or deletion, and its lines are in the log of that. */
export const backupScope = (context: RunContext & { backup: KubeObject }): PluginScope =>
  scope(`backup:${identity(context.backup)}`, context);
export const restoreScope = (context: RunContext & { restore: KubeObject }): PluginScope =>
  scope(`restore:${identity(context.restore)}`, context);
export const deleteScope = (context: RunContext & { backup: KubeObject }): PluginScope =>
  scope(`delete:${identity(context.backup)}`, context);

/** Operations outlive their runs and are polled occasionally: one process for all of them, with the server's log. */
export const operationsRun = 'operations';
