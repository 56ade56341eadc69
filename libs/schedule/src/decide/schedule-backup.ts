import { annotations, type Backup, getValidName, labels, type Schedule } from '@lateen/api-types';
import { ownerReferenceTo } from '@lateen/kube';

/** Says of a kubectl that it wrote this Schedule; on a Backup it would be untrue. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * The Backup of a schedule (backup-and-restore.md section 8): the template as spec; labels and annotations of the template, or of the
 * schedule where the template has none. How many backups are to be kept goes along, for the day on which the schedule is gone.
 * @throws OWNER_NOT_STORED
 */
export function scheduleBackup(schedule: Schedule, name: string): Backup {
  const { metadata, spec } = schedule;
  const own = spec.template.metadata;
  const keepAtLeast = metadata.annotations?.[annotations.keepAtLeast];
  const { [lastApplied]: _, ...noted } = own?.annotations ?? metadata.annotations ?? {};
  return {
    apiVersion: 'velero.io/v1',
    kind: 'Backup',
    metadata: {
      name,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      labels: { ...(own?.labels ?? metadata.labels), [labels.scheduleName]: getValidName(metadata.name ?? '') },
      annotations: {
        ...noted,
        ...(keepAtLeast === undefined ? {} : { [annotations.keepAtLeast]: keepAtLeast }),
        [annotations.scheduleUid]: metadata.uid ?? '',
      },
      ...(spec.useOwnerReferencesInBackup === true
        ? { ownerReferences: [ownerReferenceTo(schedule, { controller: true })] }
        : {}),
    },
    spec: structuredClone(spec.template),
  };
}

/** True when this very Schedule made the Backup, and not another of its name, in another cluster or before it. */
export const isMadeBy = (backup: Backup, schedule: Schedule): boolean =>
  backup.metadata.annotations?.[annotations.scheduleUid] === schedule.metadata.uid;
