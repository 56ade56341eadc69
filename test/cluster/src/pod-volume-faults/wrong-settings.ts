import { podVolumeBackupType } from '@lateen/api-types';
import type { FaultPlace } from './fault-place.ts';
import { aFaultClaim, aFaultPod } from './workloads.ts';

/**
 * Movers with too little memory, and a wrong directory of the kubelet: with `podVolume.access` "claim" each volume meets one of these
 * faults.
 */
export const wrongSettings = {
  podResources: { memoryRequest: '32Mi', memoryLimit: '32Mi' },
  podVolume: { access: 'claim', kubeletDirectory: '/var/lib/another' },
  loadConcurrency: { globalConfig: 4 },
};

export async function moveByWrongSettings(place: FaultPlace, { name }: { name: string }) {
  const { image, storageClass } = place.lateen;
  const volumes = { data: { persistentVolumeClaim: { claimName: 'data' } } };
  await place.create();
  await place.apply(
    aFaultClaim('data', { storageClassName: storageClass }),
    aFaultPod({ name: 'killed', image, volumes, annotations: { 'backup.velero.io/backup-volumes': '' } }),
    aFaultPod({ name: 'not-found', image }),
  );
  await place.ready('killed', 'not-found');
  await place.inPod('killed', 'head -c 1000000 /dev/urandom > /volumes/data/file; sync');
  await place.startBackup(name, {}, { 'velero.io/pod-volume-timeout': '60s' });
  const upload = place.tools.cli('volume', 'upload', `${place.namespace}/killed:data`, '--name', `${name}-killed`);
  const waiting = await place.eventually(async () =>
    (await place.backupsOf(name)).find(
      ({ spec, status }) => spec.pod.name === 'not-found' && status?.message?.includes('hostPath') === true,
    ),
  );
  const { status } = await place.backupEnd(name);
  const ends = Object.fromEntries((await place.backupsOf(name)).map((each) => [each.spec.pod.name, each.status]));
  const { stdout, stderr, exitCode } = await upload;
  await place.lateen.kube.delete(podVolumeBackupType, {
    namespace: place.lateen.veleroNamespace,
    name: `${name}-killed`,
  });
  return {
    killed: { exitCode, said: `${stdout}${stderr}` },
    waiting: waiting.status?.message,
    status,
    ends,
    described: await place.described('backup', name),
    logs: await place.logs('backup', name),
  };
}
