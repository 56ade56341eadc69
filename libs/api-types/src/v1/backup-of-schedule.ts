import { labels } from '../names/labels.ts';
import { getValidName } from '../names/valid-name.ts';
import type { Backup } from './backup.ts';
import type { Schedule } from './schedule.ts';

/** `<prefix>-YYYYMMDDhhmmss` of that moment in UTC. @param atMs since the epoch */
export function timestampedName(prefix: string, atMs: number): string {
  const digits = new Date(atMs).toISOString().replace(/\D/g, '').slice(0, 14);
  return `${prefix}-${digits}`;
}

/**
 * The Backup that a Schedule stands for (backup-and-restore.md section 8), whoever makes it: labels of the template, else of the
 * schedule, with the schedule's name; its annotations; itself as owner where it says so.
 */
export function backupOfSchedule({ metadata, spec }: Schedule, name: string): Backup {
  const { template } = spec;
  const { name: scheduleName = '', namespace, uid = '' } = metadata;
  const ownLabels = template.metadata?.labels ?? metadata.labels ?? {};
  const annotations = { ...metadata.annotations, ...template.metadata?.annotations };
  const owner = {
    apiVersion: 'velero.io/v1',
    kind: 'Schedule',
    name: scheduleName,
    uid,
    controller: true,
  };
  return {
    apiVersion: 'velero.io/v1',
    kind: 'Backup',
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...ownLabels, [labels.scheduleName]: getValidName(scheduleName) },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ...(spec.useOwnerReferencesInBackup === true ? { ownerReferences: [owner] } : {}),
    },
    spec: structuredClone(template),
  };
}
