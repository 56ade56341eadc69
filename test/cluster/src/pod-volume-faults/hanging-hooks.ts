import type { FaultPlace } from './fault-place.ts';
import { aFaultPod } from './workloads.ts';

const hook = (when: 'pre' | 'post', command: string, onError: 'Fail' | 'Continue') => ({
  [`${when}.hook.backup.velero.io/command`]: JSON.stringify(['sh', '-c', command]),
  [`${when}.hook.backup.velero.io/timeout`]: '4s',
  [`${when}.hook.backup.velero.io/on-error`]: onError,
});
const hangs = 'sleep 1000';
const data = { 'backup.velero.io/backup-volumes': 'data' };

/** Pods whose freeze or thaw hook never returns. */
export async function hangInHooks(place: FaultPlace, { name }: { name: string }) {
  const { image } = place.lateen;
  await place.create();
  await place.apply(
    aFaultPod({
      name: 'never-frozen',
      image,
      annotations: {
        ...data,
        ...hook('pre', hangs, 'Fail'),
        ...hook('post', 'echo thawed > /volumes/data/thawed', 'Fail'),
      },
    }),
    aFaultPod({ name: 'frozen-or-not', image, annotations: { ...data, ...hook('pre', hangs, 'Continue') } }),
    aFaultPod({ name: 'never-thawed', image, annotations: { ...data, ...hook('post', hangs, 'Fail') } }),
  );
  const pods = ['never-frozen', 'frozen-or-not', 'never-thawed'];
  await place.ready(...pods);
  for (const pod of pods) await place.inPod(pod, 'echo kept > /volumes/data/file; sync');
  await place.startBackup(name);
  const { status } = await place.backupEnd(name);
  return {
    status,
    ends: (await place.backupsOf(name))
      .map(({ spec, status: its }) => [spec.pod.name, its?.phase, its?.message ?? ''])
      .sort(),
    thawed: await place.inPod('never-frozen', 'ls /volumes/data'),
    described: await place.described('backup', name),
    logs: await place.logs('backup', name),
  };
}
