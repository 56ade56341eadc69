import {
  type Backup,
  backupStorageLocationType,
  backupType,
  eventType,
  isTerminalPhase,
  type KubeObject,
  labels,
  type Pod,
  type PodVolumeBackup,
  type PodVolumeRestore,
  podType,
  podVolumeBackupType,
  podVolumeRestoreType,
  type ResourceType,
  type Restore,
  restoreType,
} from '@lateen/api-types';
import { deleteNamespace, kubectlIn } from '@lateen/demo';
import { systemClock } from '@lateen/kernel';
import { type ObjectKey, readObject } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import type { LateenUnderTest } from '../environment/provided-lateen.ts';
import { journeyTools } from '../restore/journey-tools.ts';

/** Longer than any step takes on a busy machine, so that a test does not wait for ever. */
const waitMsMax = 240_000;
const pollMs = 500;

/** Bytes per second; kopia transfers about a minute's worth at full speed before it slows down. */
export const slowRate = '48Ki';
/** More than kopia transfers in a minute at that rate: the movement is still running when something happens to its pod. */
export const largeBytes = 8_000_000;

const endedPhases = ['Completed', 'PartiallyFailed', 'Failed', 'FailedValidation'];

export interface PlaceOptions {
  namespace: string;
  /** Label of all backups and restores, as `key=value`. */
  mark: string;
}

/** One namespace for a fault, with what a user does and sees there. */
export function faultPlace(lateen: LateenUnderTest, { namespace, mark }: PlaceOptions) {
  const { kube, veleroNamespace } = lateen;
  const within = () => systemClock.deadline(waitMsMax);
  const tools = journeyTools(lateen, { namespace, mark });
  const kubectl = kubectlIn({ ...lateen, namespace, signal: AbortSignal.any([]) });
  const [key = '', value = ''] = mark.split('=');
  const metadata = (name: string) => ({ namespace: veleroNamespace, name, labels: { [key]: value } });
  const until = <T extends KubeObject, R>(type: ResourceType<T>, at: ObjectKey, found: (object: T) => R | undefined) =>
    waitForObject<T, R>({
      api: kube,
      type,
      key: at,
      clock: systemClock,
      signal: within(),
      until: (object) => (object === undefined ? undefined : found(object)),
    });
  const ofLabel = <T extends KubeObject>(type: ResourceType<T>, label: string, name: string) =>
    kube.list(type, { namespace: veleroNamespace, labelSelector: `${label}=${name}` }).then(({ items }) => items);
  const inVelero = (name: string) => ({ namespace: veleroNamespace, name });

  /** Polls until the result is defined. */
  const eventually = async <R>(ask: () => Promise<R | undefined>): Promise<R> => {
    const signal = within();
    for (;;) {
      const answer = await ask();
      if (answer !== undefined) return answer;
      await systemClock.sleep(pollMs, signal);
    }
  };
  const backupsOf = (name: string) => ofLabel(podVolumeBackupType, labels.backupName, name);
  const restoresOf = (name: string) => ofLabel(podVolumeRestoreType, labels.restoreName, name);
  const movementsOf = (type: 'backup' | 'restore', name: string): Promise<(PodVolumeBackup | PodVolumeRestore)[]> =>
    type === 'backup' ? backupsOf(name) : restoresOf(name);
  const node = () => kubectl(['get', 'nodes', '-o', 'jsonpath={.items[0].metadata.name}']);

  return {
    lateen,
    namespace,
    tools,
    kubectl,
    create: async () => {
      await kubectl(['create', 'namespace', namespace]);
    },
    lose: () => deleteNamespace(kube, namespace, systemClock, within()),
    apply: (...items: readonly object[]) =>
      kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items })),
    ready: (...pods: string[]) =>
      kubectl(['wait', '--for=condition=Ready', ...pods.map((pod) => `pod/${pod}`), '--timeout=200s']),
    inPod: (pod: string, script: string) => kubectl(['exec', pod, '-c', 'main', '--', 'sh', '-euc', script]),
    eventually,
    startBackup: (name: string, spec: Partial<Backup['spec']> = {}, annotations: Record<string, string> = {}) =>
      kube.create<Backup>(backupType, {
        apiVersion: 'velero.io/v1',
        kind: 'Backup',
        metadata: { ...metadata(name), annotations },
        spec: { includedNamespaces: [namespace], ...spec },
      }),
    backupEnd: (name: string) =>
      until<Backup, Backup>(backupType, inVelero(name), (seen) =>
        endedPhases.includes(seen.status?.phase ?? '') ? seen : undefined,
      ),
    startRestore: (name: string, spec: Partial<Restore['spec']>, annotations: Record<string, string> = {}) =>
      kube.create<Restore>(restoreType, {
        apiVersion: 'velero.io/v1',
        kind: 'Restore',
        metadata: { ...metadata(name), annotations },
        spec: spec as Restore['spec'],
      }),
    restoreEnd: (name: string) =>
      until<Restore, Restore>(restoreType, inVelero(name), (seen) =>
        endedPhases.includes(seen.status?.phase ?? '') ? seen : undefined,
      ),
    backupsOf,
    restoresOf,
    /** Resolves when the movements of these pods are InProgress. */
    underWay: (type: 'backup' | 'restore', name: string, ...pods: string[]) =>
      eventually(async () => {
        const running = (await movementsOf(type, name)).filter(({ status }) => status?.phase === 'InProgress');
        return pods.every((pod) => running.some(({ spec }) => spec.pod.name?.startsWith(pod))) ? true : undefined;
      }),
    /** Resolves when the movement of this pod has ended. */
    ended: (type: 'backup' | 'restore', name: string, pod: string) =>
      eventually(async () =>
        (await movementsOf(type, name)).find(
          ({ spec, status }) => spec.pod.name?.startsWith(pod) && isTerminalPhase(status?.phase),
        ),
      ),
    described: async (noun: 'backup' | 'restore', name: string) =>
      (await tools.cli(noun, 'describe', name, '--details')).stdout,
    logs: async (noun: 'backup' | 'restore', name: string) => (await tools.cli(noun, 'logs', name)).stdout,
    /** An eviction of one pod, as `kubectl drain` requests it. */
    drain: async (pod: string) => {
      await kubectl(['cordon', await node()]);
      const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { namespace, name: pod } };
      const path = `/api/v1/namespaces/${namespace}/pods/${pod}/eviction`;
      await kubectl(['create', '--raw', path, '-f', '-'], JSON.stringify(eviction));
    },
    admitAgain: async () => {
      await kubectl(['uncordon', await node()]);
    },
    pod: (name: string) => readObject(kube, podType, { namespace, name }, within()),
    untilPod: <R>(name: string, found: (pod: Pod) => R | undefined) => until(podType, { namespace, name }, found),
    eventsOf: async (pod: string, reason: string) =>
      (await kube.list(eventType, { namespace, fieldSelector: `involvedObject.name=${pod},reason=${reason}` })).items,
  };
}

export type FaultPlace = ReturnType<typeof faultPlace>;

/** A folder that the default location, which has no prefix, accepts as one of its own. */
export const slowPrefix = (name: string): string => `plugins/${name}/`;

/** A separate, slow location in the bucket of the default one. */
export async function createSlowLocation({ kube, veleroNamespace }: LateenUnderTest, name: string): Promise<void> {
  const { spec } = await kube.get(backupStorageLocationType, { namespace: veleroNamespace, name: 'default' });
  const { default: _, ...kept } = spec as typeof spec & { default?: boolean };
  await kube.create(backupStorageLocationType, {
    apiVersion: 'velero.io/v1',
    kind: 'BackupStorageLocation',
    metadata: {
      namespace: veleroNamespace,
      name,
      annotations: { 'lateen.dev/upload-bytes-per-second': slowRate },
    },
    spec: { ...kept, objectStorage: { bucket: spec.objectStorage?.bucket ?? '', prefix: slowPrefix(name) } },
  });
}
