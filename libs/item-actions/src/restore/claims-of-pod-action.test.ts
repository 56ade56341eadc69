import {
  annotations,
  type DataDownload,
  type DataMovementPhase,
  labels,
  type Restore,
  type Unstructured,
} from '@lateen/api-types';
import {
  aDataDownload,
  aPersistentVolumeClaim,
  aPod,
  aStorageClass,
  FakeClock,
  fakeCluster,
  recordingLog,
} from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import type { RestoreActionContext } from '../contract/restore-item-action.ts';
import { claimsOfPodAction } from './claims-of-pod-action.ts';

const signal = new AbortController().signal;
const key = annotations.waitForData;
const items = ['data', 'logs'].map((name) => ({
  group: '',
  resource: 'persistentvolumeclaims',
  namespace: 'shop',
  name,
}));
const volumes = items.map(({ name }) => ({ name, persistentVolumeClaim: { claimName: name } }));

function aContext(objects: readonly object[] = [], onRestore: Record<string, string> = {}) {
  const log = recordingLog();
  const metadata = { name: 'back', uid: 'r-1', annotations: onRestore };
  const context = {
    restore: { metadata, spec: {} } as unknown as Restore,
    kube: fakeCluster({ clock: new FakeClock(), objects: objects as Unstructured[] }),
    log,
    veleroNamespace: 'velero',
    mappedNamespace: (namespace: string) => (namespace === 'shop' ? 'shop-2' : namespace),
  } as unknown as RestoreActionContext;
  return { context, log };
}

describe('whether a pod waits for the data of its claims', () => {
  it.each<[string, string | undefined, string | undefined, number | undefined]>([
    ['no setting', undefined, undefined, undefined],
    ['the Restore asks', undefined, 'true', 0],
    ['the Restore asks for a duration', undefined, '2h', 7_200_000],
    ['the pod asks', 'true', undefined, 0],
    ['the pod asks for a duration', '30m', 'true', 1_800_000],
    ['the pod declines what the Restore asks for', 'false', 'true', undefined],
    ['the annotation is invalid', 'soon', undefined, undefined],
    ['a duration of zero', '0s', undefined, undefined],
  ])('%s', async (_title, onPod, onRestore, waitMs) => {
    const { context, log } = aContext([], onRestore === undefined ? {} : { [key]: onRestore });
    const pod = aPod({
      namespace: 'shop',
      annotations: onPod === undefined ? {} : { [key]: onPod },
      spec: { volumes },
    });
    const item = pod as unknown as Unstructured;
    const result = await claimsOfPodAction.execute({ item, itemFromBackup: item }, context, signal);
    expect(result.additionalItems).toEqual(items);
    expect(result.waitForAdditionalItems).toBe(waitMs === undefined ? undefined : true);
    expect(result.additionalItemsReadyTimeoutMs).toBe(waitMs);
    expect(log.messages('warn')).toHaveLength(onPod === 'soon' || onPod === '0s' ? 1 : 0);
  });

  it('is false for a pod without claims', async () => {
    const { context } = aContext([], { [key]: 'true' });
    const item = aPod({ namespace: 'shop' }) as unknown as Unstructured;
    const result = await claimsOfPodAction.execute({ item, itemFromBackup: item }, context, signal);
    expect(result.waitForAdditionalItems).toBeUndefined();
  });
});

describe('whether the claims of a pod have their data', () => {
  const download = (pvc: string, phase?: DataMovementPhase, uid = 'r-1'): DataDownload =>
    aDataDownload({
      name: `dd-${pvc}-${uid}`,
      labels: { [labels.restoreUid]: uid },
      ...(phase === undefined ? {} : { phase }),
      spec: { targetVolume: { pvc, pv: '', namespace: 'shop-2' } },
    });
  const late = (name: string) =>
    aPersistentVolumeClaim({
      namespace: 'shop-2',
      name,
      spec: { storageClassName: 'late' },
      status: { phase: 'Pending' },
    });
  const lateClass = { ...aStorageClass({ name: 'late' }), volumeBindingMode: 'WaitForFirstConsumer' };
  const failed = (pvc: string, phase: string) => `DataDownload dd-${pvc}-r-1 of PVC ${pvc} is ${phase}`;
  it.each<[string, readonly object[], { ready: boolean; error?: string }]>([
    ['no data is moved', [], { ready: true }],
    ['all of it is restored', [download('data', 'Completed'), download('logs', 'Completed')], { ready: true }],
    ['it is being restored', [download('data', 'Completed'), download('logs', 'InProgress')], { ready: false }],
    ['its movement has not begun', [download('data')], { ready: false }],
    ['it failed', [download('data', 'Failed')], { ready: false, error: failed('data', 'Failed') }],
    ['its movement was cancelled', [download('logs', 'Canceled')], { ready: false, error: failed('logs', 'Canceled') }],
    ['a movement of another restore is running', [download('data', 'InProgress', 'r-0')], { ready: true }],
    ['a movement of another claim is running', [download('other', 'InProgress')], { ready: true }],
    [
      'its movement waits for a scheduled pod',
      [download('data', 'Accepted'), late('data'), lateClass],
      { ready: true },
    ],
  ])('%s', async (_title, objects, expected) => {
    const { context } = aContext(objects);
    const asked = { items, restore: context.restore, signal };
    expect(await claimsOfPodAction.areAdditionalItemsReady?.(asked, context)).toEqual(expected);
  });
});
