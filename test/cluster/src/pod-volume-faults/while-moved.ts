import type { FaultPlace } from './fault-place.ts';
import { largeBytes } from './fault-place.ts';
import { aFaultPod, aFaultSet } from './workloads.ts';

const fill = `head -c ${largeBytes} /dev/urandom > /volumes/data/file`;
const hooks = {
  'pre.hook.backup.velero.io/command': '["sh", "-c", "echo frozen >> /volumes/hooks/told"]',
  'post.hook.backup.velero.io/command': '["sh", "-c", "echo thawed >> /volumes/hooks/told"]',
  'backup.velero.io/backup-volumes': 'data',
};

/** A backup to a slow location. A different fault happens to each pod while its volumes are read. */
export async function leaveWhileRead(place: FaultPlace, { name, location }: { name: string; location: string }) {
  const { kubectl } = place;
  const { image } = place.lateen;
  await place.create();
  await place.apply(
    aFaultPod({ name: 'gone', image }),
    aFaultSet({ name: 'replaced', image }),
    aFaultPod({ name: 'drained', image }),
    aFaultPod({
      name: 'restarted',
      image,
      annotations: hooks,
      volumes: { data: { emptyDir: {} }, hooks: { emptyDir: {} } },
    }),
  );
  const pods = ['gone', 'replaced-0', 'drained', 'restarted'];
  await kubectl(['rollout', 'status', 'statefulset/replaced', '--timeout=200s']);
  await place.ready(...pods);
  await Promise.all(pods.map((pod) => place.inPod(pod, fill)));
  await place.startBackup(name, { storageLocation: location }, { 'velero.io/pod-volume-timeout': '45s' });
  await place.underWay('backup', name, ...pods);

  await place.inPod('restarted', 'kill 1');
  await kubectl(['delete', 'pod', 'gone', '--grace-period=0', '--force']);
  await kubectl(['delete', 'pod', 'replaced-0', '--wait=false']);
  await place.untilPod('restarted', ({ status }) => {
    const [state] = (status?.containerStatuses ?? []) as { restartCount?: number; ready?: boolean }[];
    return (state?.restartCount ?? 0) > 0 && state?.ready === true ? true : undefined;
  });
  await place.drain('drained');
  const endOf = async (pod: string) => (await place.ended('backup', name, pod)).status;
  const [gone, replaced, drained] = await Promise.all(['gone', 'replaced', 'drained'].map(endOf));
  await place.admitAgain();
  const afterRestart = (await place.backupsOf(name)).find(({ spec }) => spec.pod.name === 'restarted')?.status?.phase;
  const { status } = await place.backupEnd(name);
  return {
    gone,
    replaced,
    drained,
    afterRestart,
    restarted: await endOf('restarted'),
    hooks: await place.inPod('restarted', 'cat /volumes/hooks/told'),
    status,
    described: await place.described('backup', name),
    logs: await place.logs('backup', name),
  };
}
