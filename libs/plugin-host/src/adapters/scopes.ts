import type { KubeObject } from '@lateen/api-types';
import type { Logger } from '@lateen/kernel';
import type { PluginScope } from '../calls/plugin-call.ts';

const identity = ({ metadata: { uid, namespace = '', name = '' } }: KubeObject): string =>
  uid ?? `${namespace}/${name}`;

/** One process of a program works for all items of one backup, restore or deletion, and its lines are in the log of that. */
export const backupScope = ({ backup, log }: { backup: KubeObject; log: Logger }): PluginScope => ({
  run: `backup:${identity(backup)}`,
  log,
});
export const restoreScope = ({ restore, log }: { restore: KubeObject; log: Logger }): PluginScope => ({
  run: `restore:${identity(restore)}`,
  log,
});
export const deleteScope = ({ backup, log }: { backup: KubeObject; log: Logger }): PluginScope => ({
  run: `delete:${identity(backup)}`,
  log,
});

/** Operations outlive their runs and are asked now and then: one process for all of them, with the server's log. */
export const operationsRun = 'operations';
