import type { Backup, Restore, Unstructured } from '@lateen/api-types';
import type { ActionContext, BackupItemAction, RestoreItemAction } from '@lateen/item-actions';
import type { PluginHost } from '@lateen/plugin-host';
import { aRestoreContext, fakeCluster, recordingLog } from '@lateen/testing';
import type { ItemScript } from '../item-script.ts';

/** Names of the plugins of a test program, by kind. */
export const fixturePlugins = {
  BackupItemAction: 'fixture.lateen.dev/backup-v1',
  BackupItemActionV2: 'fixture.lateen.dev/backup',
  RestoreItemAction: 'fixture.lateen.dev/restore-v1',
  RestoreItemActionV2: 'fixture.lateen.dev/restore',
  ItemBlockAction: 'fixture.lateen.dev/block',
  DeleteItemAction: 'fixture.lateen.dev/delete',
  VolumeSnapshotter: 'fixture.lateen.dev/volumes',
  ObjectStore: 'fixture.lateen.dev/store',
} as const;
export const environmentAnnotation = 'fixture.lateen.dev/environment';
export const fillerAnnotation = 'fixture.lateen.dev/filler';
const scriptAnnotation = 'fixture.lateen.dev/script';

export const never = new AbortController().signal;

/** A ConfigMap with a script for the plugins of a test program. */
export function anItem(script: ItemScript = {}, name = 'settings'): Unstructured {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name,
      namespace: 'shop',
      labels: { fixture: 'yes' },
      annotations: { [scriptAnnotation]: JSON.stringify(script) },
    },
    data: { a: '1' },
  };
}

const aBackup = (uid: string): Backup => ({
  apiVersion: 'velero.io/v1',
  kind: 'Backup',
  metadata: { name: 'nightly', namespace: 'velero', uid },
  spec: { includedNamespaces: ['shop'] },
});

/** The context of actions of one backup; the uid identifies the backup, and each has a separate process. */
export function aBackupContext(uid = 'backup-uid') {
  const { clock, random } = aRestoreContext();
  const context = {
    backup: aBackup(uid),
    kube: fakeCluster({ clock }),
    clock,
    random,
    log: recordingLog(),
    veleroNamespace: 'velero',
    volumes: { shouldSnapshot: async () => ({ snapshot: false as const, reason: '' }), podsUsing: async () => [] },
    noteVolume: () => {},
  };
  return context satisfies ActionContext;
}

/** The same for a restore, with a script for the polls whether additional items are ready. */
export function aContextOfRestore(
  script: { readyAfter?: number; readyFails?: string } = {},
  restoreUid = 'restore-uid',
  dryRun = false,
) {
  const context = aRestoreContext({ restoreUid, dryRun });
  const annotations = { [scriptAnnotation]: JSON.stringify(script) };
  const restore: Restore = { ...context.restore, metadata: { ...context.restore.metadata, annotations } };
  return { ...context, restore };
}

type Kind = keyof typeof fixturePlugins;

function named<T extends { name: string }>(actions: readonly T[], kind: Kind): T {
  const found = actions.find(({ name }) => name === fixturePlugins[kind]);
  if (found === undefined) throw new Error(`the host has no ${kind} ${fixturePlugins[kind]}`);
  return found;
}

export const backupAction = (host: PluginHost, kind: Kind = 'BackupItemActionV2'): BackupItemAction =>
  named(host.actions().backup, kind);
export const restoreAction = (host: PluginHost, kind: Kind = 'RestoreItemActionV2'): RestoreItemAction =>
  named(host.actions().restore, kind);
export const blockAction = (host: PluginHost) => named(host.actions().block, 'ItemBlockAction');
export const deleteAction = (host: PluginHost) => named(host.actions().delete, 'DeleteItemAction');

export const claim = { group: '', resource: 'persistentvolumeclaims', namespace: 'shop', name: 'data' };
export const zone = { group: 'example.io', resource: 'zones', name: 'eu' };
