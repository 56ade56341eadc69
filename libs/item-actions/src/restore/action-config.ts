import type { RestoreActionContext } from '../contract/restore-item-action.ts';
import { findActionConfig } from '../item/find-action-config.ts';
import { perRestore } from '../per-run.ts';

/**
 * Reads a user's configuration of an action: the data of the ConfigMap with the action's name, or undefined when there is none.
 */
export type ActionConfig = (
  context: RestoreActionContext,
  signal: AbortSignal,
) => Promise<Readonly<Record<string, string>> | undefined>;

/**
 * The configuration of a restore action, read once per restore.
 * @throws ACTION_CONFIG_AMBIGUOUS when several carry its name
 */
export const actionConfig = (action: string): ActionConfig =>
  perRestore(async ({ kube, veleroNamespace: namespace }, signal) =>
    findActionConfig(kube, { namespace, action, kinds: ['RestoreItemAction'], signal }),
  );
