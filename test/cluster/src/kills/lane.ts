import {
  attemptOf,
  type DataDownload,
  type DataUpload,
  dataDownloadType,
  dataUploadType,
  isTerminalPhase,
  persistentVolumeClaimType,
  podType,
  type ResourceType,
} from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';
import { type KubeApi, type KubeObject, keyOf, type ObjectKey } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import { aDataDownload, aDataUpload } from '../environment/movement-of.ts';
import { readySnapshot } from '../environment/ready-snapshot.ts';
import { claim, digestPod } from './lane-objects.ts';

export interface LaneOptions {
  kube: KubeApi;
  clock: Clock;
  veleroNamespace: string;
  namespace: string;
  storageClass: string;
  image: string;
  /** The claim that is moved. */
  source: string;
  /** Digest of the source's tree, as a pod has printed it. */
  digest: string;
  signal: AbortSignal;
}

/** Longer than all attempts of both movements and the return of a lost node together. */
const roundMsMax = 15 * 60_000;
const driver = 'csi.lateen.dev';

export interface Round {
  /** Attempts of upload and download together; 2 when nothing was killed. */
  attempts: number;
}

/**
 * One round: snapshot, upload, download into a new claim, compare. Deletes everything that it created.
 * @throws when a movement does not end Completed, or the tree differs from the source's
 */
export async function runRound(options: LaneOptions, round: number): Promise<Round> {
  const { kube, clock, namespace, storageClass, source, veleroNamespace } = options;
  const signal = AbortSignal.any([options.signal, clock.deadline(roundMsMax)]);
  const name = `${source}-${round}`;
  await readySnapshot(kube, { namespace, claim: source, name, signal });
  const upload = await ended<DataUpload>(options, dataUploadType, signal, {
    ...aDataUpload(veleroNamespace, `${namespace}-${name}-up`, {
      csiSnapshot: { volumeSnapshot: name, storageClass, driver },
      sourcePVC: source,
      sourceNamespace: namespace,
      operationTimeout: '10m',
    }),
  });
  const target = `restored-${name}`;
  await kube.create(persistentVolumeClaimType, claim(options, target, { dynamic: true }), { signal });
  await kube.create(podType, digestPod(options, target), { signal });
  const download = await ended<DataDownload>(options, dataDownloadType, signal, {
    ...aDataDownload(veleroNamespace, `${namespace}-${name}-down`, {
      targetVolume: { namespace, pvc: target, pv: '' },
      snapshotID: upload.status?.snapshotID ?? '',
      sourceNamespace: namespace,
      operationTimeout: '10m',
    }),
  });
  const digest = await digestOf(options, target, signal);
  if (digest !== options.digest)
    throw new Error(`${name}: the restored tree is ${digest}, the source is ${options.digest}`);
  await kube.delete(podType, { namespace, name: target }, { signal });
  await kube.delete(persistentVolumeClaimType, { namespace, name: target }, { signal });
  return { attempts: attemptOf(upload) + attemptOf(download) };
}

async function ended<T extends DataUpload | DataDownload>(
  { kube, clock }: LaneOptions,
  type: ResourceType<T>,
  signal: AbortSignal,
  object: T,
): Promise<T> {
  const created = await kube.create<T>(type, object as NoInfer<T>, { signal });
  const end = await waitForObject<T, T>({
    api: kube,
    type,
    key: keyOf(created),
    clock,
    signal,
    until: (seen) => (seen !== undefined && isTerminalPhase(seen.status?.phase) ? seen : undefined),
  });
  if (end.status?.phase !== 'Completed')
    throw new Error(`${type.kind} ${end.metadata.name} is ${end.status?.phase}: ${end.status?.message}`);
  await kube.delete(type, keyOf(created), { signal });
  return end;
}

/** The digest of the volume by a pod. A pod that was lost with its node is created again. */
export async function digestOf(options: LaneOptions, volume: string, signal: AbortSignal): Promise<string> {
  const { kube, clock, namespace } = options;
  for (;;) {
    const pod = await waitForObject({
      api: kube,
      type: podType,
      key: { namespace, name: volume },
      clock,
      signal,
      until: (seen) => (seen?.status?.phase === 'Succeeded' || seen?.status?.phase === 'Failed' ? seen : undefined),
    });
    const said = pod.status?.containerStatuses?.[0]?.state?.terminated?.message?.trim() ?? '';
    if (pod.status?.phase === 'Succeeded' && said !== '') return said;
    await kube.delete(podType, keyOf(pod), { signal });
    await until(options, podType, keyOf(pod), (seen) => seen === undefined, signal);
    await kube.create(podType, digestPod(options, volume), { signal });
  }
}

async function until<T extends KubeObject>(
  { kube, clock }: LaneOptions,
  type: ResourceType<T>,
  key: ObjectKey,
  holds: (seen: T | undefined) => boolean,
  signal: AbortSignal,
): Promise<void> {
  await waitForObject<T, true>({ api: kube, type, key, clock, signal, until: (seen) => holds(seen) || undefined });
}
