import type { Pod, PodVolumeRestore } from '@lateen/api-types';
import { aPod } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { lostVolumes } from './lost-volumes.ts';
import { MadeRestores } from './made-restores.ts';

const waiter = {
  name: 'restore-wait',
  // The API server adds the last mount to every container.
  volumeMounts: [
    { name: 'data', mountPath: '/restores/data' },
    { name: 'logs', mountPath: '/restores/logs' },
    { name: 'restore-wait', mountPath: '/restore-wait' },
    { name: 'kube-api-access-x7v2l', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
  ],
};
const pod = (state: object = { running: {} }): Pod => {
  const made = aPod({
    namespace: 'shop',
    name: 'db-0',
    uid: 'p',
    spec: {
      initContainers: [waiter],
      volumes: [
        { name: 'data', persistentVolumeClaim: { claimName: 'share' } },
        { name: 'logs' },
        { name: 'tmp' },
        { name: 'restore-wait', downwardAPI: {} },
        { name: 'kube-api-access-x7v2l', projected: {} },
      ],
    },
  });
  return { ...made, status: { initContainerStatuses: [{ name: 'restore-wait', state } as never] } };
};

const made = (volume: string, phase: string | undefined, parts: object = {}): PodVolumeRestore =>
  ({
    metadata: { annotations: {} },
    spec: { volume, pod: { namespace: 'shop', uid: 'p' } },
    status: { phase, message: 'why' },
    ...parts,
  }) as unknown as PodVolumeRestore;

const ofOther = (phase: string) =>
  made('files', phase, {
    spec: { volume: 'files', pod: { namespace: 'shop', uid: 'other' } },
    metadata: { annotations: { 'velero.io/pvc-name': 'share' } },
  });

const named = (restore: PodVolumeRestore, name: string): PodVolumeRestore => ({
  ...restore,
  metadata: { ...restore.metadata, name },
});

describe('volumes of a pod that cannot be restored', () => {
  it.each<[string, Pod, PodVolumeRestore[], [string, string][] | undefined]>([
    ['none when all are restored', pod(), [made('data', 'Completed'), made('logs', 'Completed')], []],
    ['unknown while a restore is running', pod(), [made('data', 'Failed'), made('logs', 'InProgress')], undefined],
    [
      'unknown while a restore has not been accepted',
      pod(),
      [made('data', 'Failed'), made('logs', undefined)],
      undefined,
    ],
    [
      'a failed restore, with its reason',
      pod(),
      [made('data', 'Failed'), made('logs', 'Completed')],
      [['data', 'pod volume restore failed: why']],
    ],
    [
      'a restore that was cancelled before it was accepted',
      pod(),
      [
        made('data', 'Completed'),
        made('logs', undefined, { spec: { volume: 'logs', cancel: true, pod: { uid: 'p' } } }),
      ],
      [['logs', 'pod volume restore canceled: why']],
    ],
    [
      'a volume without a PodVolumeRestore',
      pod(),
      [made('data', 'Completed')],
      [['logs', 'no PodVolumeRestore could be made for it']],
    ],
    ['a claim that is restored with another pod', pod(), [ofOther('Completed'), made('logs', 'Completed')], []],
    [
      'a claim whose first pod was deleted and created again',
      pod(),
      [named(ofOther('Canceled'), 'a'), named(ofOther('Completed'), 'b'), made('logs', 'Completed')],
      [],
    ],
    [
      'unknown while the restore of another pod is running',
      pod(),
      [ofOther('Prepared'), made('logs', 'Completed')],
      undefined,
    ],
    [
      'none when the pod has started once with all of them, because it may restart',
      pod({ terminated: { exitCode: 0 } }),
      [made('data', 'Completed'), made('logs', 'Completed')],
      [],
    ],
    [
      'none when the pod has started',
      pod({ terminated: { exitCode: 0 } }),
      [made('data', 'Failed'), made('logs', 'Completed')],
      undefined,
    ],
    ['none when the pod does not wait', aPod({ name: 'x' }), [], undefined],
  ])('%s', (_title, seen, restores, expected) => {
    expect(lostVolumes(seen, { made: new MadeRestores(restores) })?.map(({ volume, why }) => [volume, why])).toEqual(
      expected,
    );
  });

  it('include volumes whose movement is no longer followed, in any phase', () => {
    const open = named(made('data', 'InProgress'), 'x');
    const canceled = named(made('logs', 'Canceling', { spec: { ...open.spec, volume: 'logs', cancel: true } }), 'y');
    const news = { made: new MadeRestores([open, canceled]), hasEnded: () => true };
    expect(lostVolumes(pod(), news)?.map(({ why }) => why)).toEqual([
      'PodVolumeRestore x was deleted',
      'PodVolumeRestore y does not end: it was cancelled',
    ]);
  });
});
