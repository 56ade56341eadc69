import type { Backup, KubeObject, PodVolumeBackup, Restore, Unstructured } from '@lateen/api-types';
import { FakeClock } from '../clock/fake-clock.ts';
import { seededRandom } from '../clock/seeded-random.ts';
import { type FakeCluster, fakeCluster } from '../cluster/fake-cluster.ts';
import { recordingLog } from '../log/recording-log.ts';

export interface RestoreContextParts {
  /** Objects in the backup. */
  archive?: readonly KubeObject[];
  /** Objects in the cluster; or the cluster itself, to share the one of another context. */
  objects?: readonly KubeObject[];
  cluster?: FakeCluster;
  backup?: Backup['spec'];
  restore?: Restore['spec'];
  restoreUid?: string;
  dryRun?: boolean;
  podVolumeBackups?: readonly PodVolumeBackup[];
}

/** The context of a restore action, over a cluster in memory and an archive of a few objects; `noted` is keyed by claim, "" for none. */
export function aRestoreContext(parts: RestoreContextParts = {}) {
  const { archive = [], objects = [], backup = {}, restore = {}, restoreUid = 'restore-uid', dryRun = false } = parts;
  const clock = new FakeClock();
  const noted = new Map<string, object>();
  const metadata = { name: 'back', namespace: 'velero', uid: restoreUid };
  return {
    restore: { apiVersion: 'velero.io/v1', kind: 'Restore', metadata, spec: restore } satisfies Restore,
    backup: {
      apiVersion: 'velero.io/v1',
      kind: 'Backup',
      metadata: { name: 'nightly', uid: 'b' },
      spec: backup,
    } satisfies Backup,
    kube: parts.cluster ?? fakeCluster({ clock, objects }),
    clock,
    random: seededRandom(),
    log: recordingLog(),
    veleroNamespace: 'velero',
    dryRun,
    mappedNamespace: (namespace: string) => restore.namespaceMapping?.[namespace] ?? namespace,
    archived: async (named: NamedItem) => archive.find((each) => isNamed(each, named)) as Unstructured | undefined,
    podVolumeBackups: async () => parts.podVolumeBackups ?? [],
    noteVolume: (claim: { namespace: string; name: string } | undefined, facts: object) => {
      noted.set(claim === undefined ? '' : `${claim.namespace}/${claim.name}`, facts);
    },
    noted,
  };
}

interface NamedItem {
  group: string;
  resource: string;
  namespace?: string;
  name: string;
}

function isNamed({ apiVersion, kind, metadata }: KubeObject, { group, resource, namespace, name }: NamedItem): boolean {
  const ofGroup = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
  const isKind = resource.startsWith(kind.toLowerCase());
  return ofGroup === group && isKind && metadata.namespace === namespace && metadata.name === name;
}

/** Runs an object through a restore action in the form that an engine passes: without status and server-side metadata. */
export async function restoredBy<C, R>(
  action: {
    name: string;
    execute(input: { item: Unstructured; itemFromBackup: Unstructured }, context: C, signal: AbortSignal): Promise<R>;
  },
  stored: KubeObject,
  context: C,
): Promise<R> {
  const { status: _, ...rest } = stored as Unstructured;
  const { uid: __, resourceVersion: ___, creationTimestamp: ____, ...metadata } = stored.metadata;
  const item: Unstructured = { ...rest, metadata };
  const before = JSON.stringify([item, stored]);
  const signal = new AbortController().signal;
  const result = await action.execute({ item, itemFromBackup: stored as Unstructured }, context, signal);
  if (JSON.stringify([item, stored]) !== before) throw new Error(`${action.name} has changed what it was given`);
  return result;
}
