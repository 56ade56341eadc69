import {
  type DataDownload,
  dataDownloadType,
  persistentVolumeClaimType,
  podType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { createWorkload, deleteNamespace, waitForPod } from '@lateen/demo';
import { systemClock, systemRandom } from '@lateen/kernel';
import { keyOf } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aDataDownload } from './environment/movement-of.ts';
import { type LateenUnderTest, lateenUnderTest } from './environment/provided-lateen.ts';
import { clusterCatalogue } from './faults/cluster-catalogue.ts';
import { type ClusterFault, matchesMessage } from './faults/cluster-fault.ts';
import type { FaultGround } from './faults/fault-place.ts';
import { type FaultOutcome, runFault } from './faults/run-fault.ts';

/*
 * Faults with a real API server, scheduler, kubelet, CSI driver and engine. Each runs in its own namespace with its own node-agent (in this
 * process, with a short prepare timeout and one attempt); several run in parallel.
 */
const signal = AbortSignal.any([]);
const suffix = systemRandom.suffix(5);
const source = `faults-${suffix}`;
/** More in parallel would only wait for each other on a small machine. */
const atOnceMax = 6;
let lateen: LateenUnderTest;
const outcomes = new Map<string, Promise<FaultOutcome>>();
const namespaceOf = (fault: ClusterFault) => `fault-${clusterCatalogue.indexOf(fault)}-${suffix}`;

beforeAll(async () => {
  lateen = await lateenUnderTest();
  const { kube, image, storageClass } = lateen;
  await createWorkload(kube, { namespace: source, image, storageClass, volumeSize: '64Mi', withPvc: true }, signal);
  await waitForPod(kube, source, systemClock, signal);
  const ground: FaultGround = { lateen, source, silent: await silentServer() };
  const waiting = [...clusterCatalogue];
  const started = new Map(clusterCatalogue.map((fault) => [fault.name, Promise.withResolvers<FaultOutcome>()]));
  for (const [name, { promise }] of started) {
    promise.catch(() => {});
    outcomes.set(name, promise);
  }
  const work = async () => {
    for (let fault = waiting.shift(); fault !== undefined; fault = waiting.shift()) {
      const { resolve, reject } = started.get(fault.name) as PromiseWithResolvers<FaultOutcome>;
      await runFault(fault, ground, namespaceOf(fault)).then(resolve, reject);
    }
  };
  void Promise.all(Array.from({ length: atOnceMax }, work));
});

afterAll(async () => {
  await Promise.allSettled(outcomes.values());
  const { kube } = lateen;
  const namespaces = [...clusterCatalogue.map(namespaceOf), source];
  await Promise.all(namespaces.map((name) => deleteNamespace(kube, name, systemClock, signal)));
  await kube.close();
});

/** A pod that accepts connections on port 9000 and never answers; returns its address. */
async function silentServer(): Promise<string> {
  const command = ['node', '-e', "require('node:net').createServer(() => {}).listen(9000)"];
  const metadata = { namespace: source, name: 'silent' };
  const spec = { containers: [{ name: 'silent', image: lateen.image, imagePullPolicy: 'Never' as const, command }] };
  await lateen.kube.create(podType, { apiVersion: 'v1', kind: 'Pod', metadata, spec });
  return waitForObject({
    api: lateen.kube,
    type: podType,
    key: metadata,
    clock: systemClock,
    signal: systemClock.deadline(60_000),
    until: (pod) => (pod?.status?.phase === 'Running' ? pod.status.podIP : undefined),
  });
}

describe('a fault on a real cluster is named in status.message', () => {
  it.each(clusterCatalogue.filter(({ ends }) => ends === 'failed'))('$name', async (fault) => {
    const outcome = await outcomes.get(fault.name);
    expect(outcome?.phase).toBe('Failed');
    expect(outcome?.message).toSatisfy((text: string) => matchesMessage(fault.message, text), fault.message);
  });

  it.each(clusterCatalogue.filter(({ ends }) => ends === 'stuck'))('$name, also while it waits', async (fault) => {
    const outcome = await outcomes.get(fault.name);
    const words = fault.direction === 'upload' ? 'data upload' : 'data download';
    expect(outcome?.phase).toBe('Failed');
    const isTold = (message: string) => (text: string) => matchesMessage(message, text);
    expect(outcome?.message).toSatisfy(isTold(`timeout on preparing ${words}: ${fault.message}`), fault.message);
    expect(outcome?.waiting.at(-1)).toSatisfy(isTold(`waiting: ${fault.message}`), fault.message);
  });

  it('by the installed node-agent after half a minute, with its own permissions', async () => {
    const { kube, veleroNamespace, storageClass } = lateen;
    await kube.create(persistentVolumeClaimType, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { namespace: source, name: 'target' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: storageClass,
        resources: { requests: { storage: '64Mi' } },
        selector: { matchLabels: { 'velero.io/dynamic-pv-restore': source } },
      },
    });
    const targetVolume = { namespace: source, pvc: 'target', pv: '' };
    const download = aDataDownload(veleroNamespace, source, { targetVolume, sourceNamespace: source });
    await kube.create(dataDownloadType, download);
    const until = <T>(seen: (status: DataDownload['status']) => T | undefined) =>
      waitForObject<DataDownload, T>({
        api: kube,
        type: dataDownloadType,
        key: keyOf(download),
        clock: systemClock,
        signal: systemClock.deadline(120_000),
        until: (object) => seen(object?.status),
      });
    try {
      expect(await until((status) => status?.message)).toBe(
        `waiting: Target PVC ${source}/target waits until a pod that uses it is given a node, and there is none. Start the workload that uses it.`,
      );
      await kube.patch(dataDownloadType, keyOf(download), { type: 'merge', body: { spec: { cancel: true } } });
      expect(await until((status) => (status?.phase === 'Canceled' ? status.message : undefined))).toMatch(
        /^the data download was canceled; until then waiting: Target PVC .* waits until a pod/,
      );
    } finally {
      await kube.delete(dataDownloadType, keyOf(download));
    }
  });

  it('and leaves no snapshots behind', async () => {
    await Promise.allSettled(outcomes.values());
    const { items } = await lateen.kube.list(volumeSnapshotType, { namespace: source });
    expect(items.map(({ metadata }) => metadata.name)).toEqual([]);
  });
});
