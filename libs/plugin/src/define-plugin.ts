import { AppError, quoted } from '@lateen/errors';
import type { ResourceSelector } from '@lateen/item-actions';
import { parseSelector } from '@lateen/kube';
import { type PluginKind, parallelCallsMax, wrongInPluginName } from '@lateen/plugin-protocol';
import type { BackupItemAction } from './contract/backup-item-action.ts';
import type { PluginDefinition } from './contract/plugin-definition.ts';
import type { RestoreItemAction } from './contract/restore-item-action.ts';

/** One thing that a program offers, as it is listed. */
export interface Offer {
  kind: PluginKind;
  name: string;
}

/** A definition that has been checked: for `servePlugin` and for the test kit. */
export interface Plugin extends PluginDefinition {
  /** In the order in which programs of Velero list theirs: by kind, then by name. */
  readonly offers: readonly Offer[];
}

/**
 * Checks a definition. An action is listed as version 2 where it has functions of version 2 (`progress` and `cancel`,
 * `areAdditionalItemsReady`), else as version 1.
 * @throws PLUGIN_NAME_INVALID, PLUGIN_ACTION_INCOMPLETE, PLUGIN_SELECTOR_INVALID, PLUGIN_PARALLEL_CALLS_INVALID, PLUGIN_EMPTY: it can never be served
 */
export function definePlugin(definition: PluginDefinition): Plugin {
  requireName(definition.name, 'the plugin');
  requireParallelCalls(definition);
  const offers = offersOf(definition);
  if (offers.length === 0) {
    throw new AppError('PLUGIN_EMPTY', `plugin ${definition.name} offers nothing`, {
      nextStep:
        'Give it backupItemActions, restoreItemActions, itemBlockActions, deleteItemActions, volumeSnapshotters or objectStores.',
    });
  }
  for (const { kind, name } of offers) requireName(name, `a ${kind}`);
  return { ...definition, offers };
}

function offersOf(definition: PluginDefinition): Offer[] {
  const offered = <Part>(
    part: Readonly<Record<string, Part>> | undefined,
    kindOf: (one: Part, name: string) => PluginKind,
  ) =>
    Object.entries(part ?? {})
      .map(([name, one]): Offer => ({ kind: kindOf(one, name), name }))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
  const backup = offered(definition.backupItemActions, backupKind);
  const restore = offered(definition.restoreItemActions, restoreKind);
  const ofKind = (kind: PluginKind) => (offer: Offer) => offer.kind === kind;
  return [
    ...backup.filter(ofKind('BackupItemAction')),
    ...backup.filter(ofKind('BackupItemActionV2')),
    ...offered(definition.volumeSnapshotters, () => 'VolumeSnapshotter'),
    ...offered(definition.objectStores, () => 'ObjectStore'),
    ...restore.filter(ofKind('RestoreItemAction')),
    ...restore.filter(ofKind('RestoreItemActionV2')),
    ...offered(definition.deleteItemActions, selecting('DeleteItemAction')),
    ...offered(definition.itemBlockActions, selecting('ItemBlockAction')),
  ];
}

function backupKind(action: BackupItemAction, name: string): PluginKind {
  requireSelector(action, name);
  requireBoth(action, name);
  return action.progress === undefined ? 'BackupItemAction' : 'BackupItemActionV2';
}

function restoreKind(action: RestoreItemAction, name: string): PluginKind {
  requireSelector(action, name);
  requireBoth(action, name);
  const isOfVersion1 = action.progress === undefined && action.areAdditionalItemsReady === undefined;
  return isOfVersion1 ? 'RestoreItemAction' : 'RestoreItemActionV2';
}

const selecting = (kind: PluginKind) => (action: { appliesTo?: ResourceSelector }, name: string) => {
  requireSelector(action, name);
  return kind;
};

function requireName(name: string, what: string): void {
  const wrong = wrongInPluginName(name);
  if (wrong === undefined) return;
  throw new AppError('PLUGIN_NAME_INVALID', `${quoted(name)} cannot be the name of ${what}: ${wrong}`, {
    nextStep: 'Names are a DNS subdomain of yours, a slash, and a word: example.io/wait-for-webapp.',
  });
}

function requireParallelCalls({ name, parallelCalls: calls = 1 }: PluginDefinition): void {
  if (Number.isInteger(calls) && calls >= 1 && calls <= parallelCallsMax) return;
  throw new AppError('PLUGIN_PARALLEL_CALLS_INVALID', `parallelCalls of ${name} is ${calls}`, {
    nextStep: `Set it to a whole number from 1 to ${parallelCallsMax}, or leave it out.`,
  });
}

function requireSelector({ appliesTo }: { appliesTo?: ResourceSelector | undefined }, name: string): void {
  if (appliesTo?.labelSelector === undefined) return;
  try {
    parseSelector(appliesTo.labelSelector);
  } catch (cause) {
    throw new AppError('PLUGIN_SELECTOR_INVALID', `appliesTo.labelSelector of ${name} cannot be read`, {
      cause,
      nextStep: 'Write it as for kubectl: app=db,tier in (data,cache).',
    });
  }
}

/** Code that is not checked by a compiler can have one of the two. */
function requireBoth({ progress, cancel }: { progress?: unknown; cancel?: unknown }, name: string): void {
  if ((progress === undefined) === (cancel === undefined)) return;
  throw new AppError(
    'PLUGIN_ACTION_INCOMPLETE',
    `${name} has ${progress === undefined ? 'cancel without progress' : 'progress without cancel'}`,
    { nextStep: 'An action that starts operations needs both.' },
  );
}
