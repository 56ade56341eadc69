import { getValidName, labels, type Pod, type PodVolumeBackup, podVolumeBackupType } from '@lateen/api-types';
import { listIfServed } from '@lateen/kube';
import type { RestoreActionContext } from '../../contract/restore-item-action.ts';
import { perRestore } from '../../per-run.ts';

/** Names of the volumes of a pod that were backed up through the file system, in the order of the pod. */
export type PodVolumesOf = (pod: Pod, context: RestoreActionContext, signal: AbortSignal) => Promise<string[]>;

/** On pods of very old backups, with the name of a volume behind it: its snapshot. */
const legacyAnnotation = 'snapshot.velero.io/';

/** Reads the PodVolumeBackups of the backup once per restore; the names of pods are those of the backup. */
export function podVolumesOf(): PodVolumesOf {
  const read = perRestore(async ({ kube, backup, veleroNamespace: namespace }, signal) => {
    const labelSelector = `${labels.backupName}=${getValidName(backup.metadata.name ?? '')}`;
    const items = await listIfServed(kube, podVolumeBackupType, { namespace, labelSelector, signal });
    return Map.groupBy(items.filter(isOfUse), ({ spec: { pod } }) => `${pod.namespace}/${pod.name}`);
  });
  return async (pod, context, signal) => {
    const { namespace, name, annotations } = pod.metadata;
    const stored = (await read(context, signal)).get(`${namespace}/${name}`) ?? [];
    const backedUp = new Set(stored.map(({ spec }) => spec.volume));
    const names = (pod.spec.volumes ?? []).map((volume) => volume.name);
    // PodVolumeBackups say more, so the annotation counts only where there are none.
    if (backedUp.size === 0) return names.filter((each) => annotations?.[`${legacyAnnotation}${each}`] !== undefined);
    return names.filter((each) => backedUp.has(each));
  };
}

const isOfUse = ({ status }: PodVolumeBackup): boolean =>
  status?.phase === 'Completed' && (status.snapshotID ?? '') !== '';
