import {
  type DataDownload,
  type DataUpload,
  dataDownloadType,
  dataUploadType,
  isTerminalPhase,
} from '@lateen/api-types';
import { movementLimits, runDataMovement } from '@lateen/data-movement';
import { csiSnapshotExposer, genericRestoreExposer } from '@lateen/exposer';
import { silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import type { KubeApi, ResourceType } from '@lateen/kube';
import { kubeClient, loadKubeConfig } from '@lateen/kube-client';
import { waitForObject } from '@lateen/kube-runtime';
import { aDataDownload, aDataUpload } from '../environment/movement-of.ts';
import type { ClusterFault } from './cluster-fault.ts';
import { type FaultGround, type FaultPlace, makePlace, takeSnapshot } from './fault-place.ts';

/** How a movement ended, and its messages while it waited. */
export interface FaultOutcome {
  phase: string;
  message: string;
  /** Messages while it was Accepted, oldest first. */
  waiting: string[];
}

/** Long enough for a pod to start on a busy machine, short enough for a test. */
const prepareTimeoutMs = 45_000;
const endMsMax = 100_000;

/** Injects one fault and returns what the user sees. Deletes everything that was created, without waiting for that. */
export async function runFault(fault: ClusterFault, ground: FaultGround, namespace: string): Promise<FaultOutcome> {
  const config = await loadKubeConfig({ path: ground.lateen.kubeconfig, env: {} });
  const kube = kubeClient({ config, clock: systemClock, random: systemRandom, log: silentLogger });
  const stop = new AbortController();
  const place = await makePlace(ground, namespace, fault.template);
  try {
    await fault.prepare?.(place);
    const agent = runAgent(kube, namespace, fault, stop.signal);
    const outcome = await theEnd(fault, place);
    stop.abort(new Error('the test is over'));
    await agent;
    return outcome;
  } finally {
    stop.abort(new Error('the test is over'));
    await fault.cleanUp?.(place);
    await kube.close();
  }
}

/** The node-agent of node-1 for this namespace, in this process, with its own settings and limits. */
function runAgent(kube: KubeApi, namespace: string, fault: ClusterFault, signal: AbortSignal): Promise<void> {
  const ports = { kube, clock: systemClock, random: systemRandom, log: silentLogger };
  const exposerPorts = { ...ports, settings: fault.settings ?? {} };
  return runDataMovement(
    {
      ...ports,
      namespace,
      node: 'node-1',
      limits: {
        ...movementLimits,
        prepareTimeoutMs,
        attempts: 1,
        explainAfterMs: 4_000,
        explainEveryMs: 3_000,
        stalledAfterMs: 10_000,
      },
      snapshotExposer: csiSnapshotExposer(exposerPorts),
      restoreExposer: genericRestoreExposer(exposerPorts),
      logs: { repeat: async () => {} },
    },
    signal,
  );
}

function theEnd(fault: ClusterFault, place: FaultPlace): Promise<FaultOutcome> {
  return fault.direction === 'upload' ? uploadsEnd(fault, place) : downloadsEnd(fault, place);
}

async function uploadsEnd(fault: ClusterFault, place: FaultPlace): Promise<FaultOutcome> {
  const special = (await fault.spec?.(place)) ?? {};
  const volumeSnapshot = special.csiSnapshot?.volumeSnapshot || (await takeSnapshot(place));
  const csiSnapshot = {
    storageClass: place.lateen.storageClass,
    snapshotClass: 'lateen',
    driver: 'csi.lateen.dev',
    ...special.csiSnapshot,
    volumeSnapshot,
  };
  const spec = { ...special, csiSnapshot, sourceNamespace: place.source, sourcePVC: 'data' };
  // Snapshot contents have no namespace, so two uploads must not have the same name.
  return follow(fault, place, dataUploadType, aDataUpload(place.namespace, place.namespace, spec));
}

async function downloadsEnd(fault: ClusterFault, place: FaultPlace): Promise<FaultOutcome> {
  const targetVolume = { namespace: place.namespace, pvc: 'target', pv: '' };
  const spec = { targetVolume, sourceNamespace: place.source, ...(await fault.spec?.(place)) };
  return follow(fault, place, dataDownloadType, aDataDownload(place.namespace, place.namespace, spec));
}

/** Creates the movement and watches it until its end. */
async function follow<T extends DataUpload | DataDownload>(
  fault: ClusterFault,
  place: FaultPlace,
  type: ResourceType<T>,
  object: T,
): Promise<FaultOutcome> {
  const { kube } = place;
  await kube.create<T>(type, object);
  const key = { namespace: place.namespace, name: object.metadata.name ?? '' };
  const waiting: string[] = [];
  try {
    const ended = await theEndOf(fault, place, { type, key, waiting });
    await concluded(kube, type, key);
    return { phase: ended.status?.phase ?? '', message: ended.status?.message ?? '', waiting };
  } finally {
    // A movement that has not ended would keep its namespace for ever.
    await kube.patch(type, key, { type: 'merge', body: { metadata: { finalizers: null } } });
    await kube.delete(type, key);
  }
}

async function theEndOf<T extends DataUpload | DataDownload>(
  fault: ClusterFault,
  place: FaultPlace,
  { type, key, waiting }: { type: ResourceType<T>; key: { namespace: string; name: string }; waiting: string[] },
): Promise<T> {
  let injected: Promise<void> | undefined;
  const ended = await waitForObject<T, T>({
    api: place.kube,
    type,
    key,
    clock: systemClock,
    signal: systemClock.deadline(endMsMax),
    until: (seen) => {
      const { phase, message } = seen?.status ?? {};
      if (phase === 'Accepted' && message !== undefined && waiting.at(-1) !== message) waiting.push(message);
      if (phase === 'InProgress') injected ??= fault.whileRunning?.(place);
      return seen !== undefined && isTerminalPhase(phase) ? seen : undefined;
    },
  });
  await injected;
  return ended;
}

/** Waits until the agent has cleaned up everything. */
async function concluded<T extends DataUpload | DataDownload>(
  kube: KubeApi,
  type: ResourceType<T>,
  key: { namespace: string; name: string },
): Promise<void> {
  await waitForObject<T, true>({
    api: kube,
    type,
    key,
    clock: systemClock,
    signal: systemClock.deadline(endMsMax),
    until: (seen) => ((seen?.metadata.finalizers?.length ?? 0) === 0 ? true : undefined),
  });
}
