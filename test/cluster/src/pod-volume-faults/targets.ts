import { configMapType } from '@lateen/api-types';
import type { FaultPlace } from './fault-place.ts';
import { aFaultClaim, aFaultPod } from './workloads.ts';

/** Volumes that are restored into smaller ones. One pod starts without its data, the other waits until it is told to. */
export async function tooSmall(place: FaultPlace, { name }: { name: string }) {
  const { lateen, kubectl } = place;
  const { image } = lateen;
  await place.create();
  await place.apply(
    aFaultPod({ name: 'stays', image }),
    aFaultPod({ name: 'goes', image, annotations: { 'lateen.dev/on-failed-pod-volume': 'start' } }),
  );
  await place.ready('stays', 'goes');
  for (const pod of ['stays', 'goes'])
    await place.inPod(pod, 'cd /volumes/data; echo small > small; head -c 30000000 /dev/urandom > large; sync');
  await place.startBackup(name);
  const made = await place.backupEnd(name);
  await place.lose();
  const metadata = { namespace: lateen.veleroNamespace, name };
  const rules = {
    version: 'v1',
    resourceModifierRules: [
      {
        conditions: { groupResource: 'pods', namespaces: [place.namespace] },
        patches: [
          {
            operation: 'replace',
            path: '/spec/volumes/0/emptyDir',
            value: JSON.stringify({ medium: 'Memory', sizeLimit: '8Mi' }),
          },
        ],
      },
    ],
  };
  const data = { 'rules.yaml': JSON.stringify(rules) };
  await lateen.kube.create(configMapType, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
  await place.startRestore(name, { backupName: name, resourceModifier: { kind: 'configmap', name } });
  const { status } = await place.restoreEnd(name);
  await place.ready('goes');
  const waiting = await place.pod('stays');
  const events = await place.eventually(async () => {
    const [found] = await place.eventsOf('stays', 'VolumeNotRestored');
    return found;
  });
  const [described, logs] = [await place.described('restore', name), await place.logs('restore', name)];
  await kubectl(['annotate', 'pod', 'stays', 'lateen.dev/start-without-data=true']);
  await place.ready('stays');
  await lateen.kube.delete(configMapType, metadata);
  return {
    made: made.status,
    status,
    ends: (await place.restoresOf(name)).map(({ spec, status: its }) => [spec.pod.name, its?.phase, its?.message]),
    waiting: waiting?.status,
    event: (events as { message?: string }).message,
    described,
    logs,
  };
}

const files = `cd /volumes/data; for each in $(ls -A | grep -v -e lost+found -e .velero | sort); do echo $each=$(cat $each); done`;

/** Restores into an existing claim with other data than the backup, with each policy. */
export async function notEmpty(place: FaultPlace, { name }: { name: string }) {
  const { image, storageClass } = place.lateen;
  const volumes = { data: { persistentVolumeClaim: { claimName: 'data' } } };
  const pod = aFaultPod({ name: 'app', image, volumes });
  await place.create();
  await place.apply(aFaultClaim('data', { storageClassName: storageClass }), pod);
  await place.ready('app');
  await place.inPod('app', 'cd /volumes/data; echo stored > content; echo stored > lost; echo stored > same; sync');
  await place.startBackup(name);
  const made = await place.backupEnd(name);
  await place.inPod('app', 'cd /volumes/data; echo changed by hand > content; rm lost; echo more > extra; sync');
  const by = async (each: string, spec: object) => {
    await place.kubectl(['delete', 'pod', 'app']);
    await place.startRestore(`${name}-${each}`, { backupName: name, ...spec });
    const { status } = await place.restoreEnd(`${name}-${each}`);
    await place.ready('app');
    const described = status?.phase === 'Completed' ? '' : await place.described('restore', `${name}-${each}`);
    return {
      phase: status?.phase,
      errors: status?.errors ?? 0,
      warnings: status?.warnings ?? 0,
      described,
      files: await place.inPod('app', files),
    };
  };
  return {
    made: made.status?.phase,
    kept: await by('kept', {}),
    incremental: await by('incremental', { existingVolumeDataPolicy: 'incremental' }),
    full: await by('full', { existingVolumeDataPolicy: 'full', uploaderConfig: { deleteExtraFiles: true } }),
  };
}
