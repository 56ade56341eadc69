import { type BackupSpec, annotations as keys, type Schedule, type ScheduleSpec } from '@lateen/api-types';

export interface WantedSchedule {
  name: string;
  namespace: string;
  labels?: Record<string, string> | undefined;
  annotations?: Record<string, string> | undefined;
  /** A cron expression. */
  schedule: string;
  template: BackupSpec;
  useOwnerReferencesInBackup: boolean;
  paused: boolean;
  /** Absent: the server's default. */
  skipImmediately?: boolean | undefined;
  /** How many successful backups of the schedule are kept whatever their TTL. */
  keepAtLeast?: number | undefined;
  /** A Go duration over which its runs are spread. */
  jitter?: string | undefined;
}

/** Builds the Schedule object; pure. */
export function newSchedule(wanted: WantedSchedule): Schedule {
  const { name, namespace, labels, keepAtLeast, jitter } = wanted;
  const annotations = {
    ...wanted.annotations,
    ...(keepAtLeast === undefined ? {} : { [keys.keepAtLeast]: String(keepAtLeast) }),
    ...(jitter === undefined ? {} : { [keys.jitter]: jitter }),
  };
  return {
    apiVersion: 'velero.io/v1',
    kind: 'Schedule',
    metadata: {
      name,
      namespace,
      ...(labels === undefined ? {} : { labels }),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    spec: specOf(wanted),
  };
}

const specOf = (wanted: WantedSchedule): ScheduleSpec => ({
  template: wanted.template,
  schedule: wanted.schedule,
  useOwnerReferencesInBackup: wanted.useOwnerReferencesInBackup,
  ...(wanted.paused ? { paused: true } : {}),
  ...(wanted.skipImmediately === undefined ? {} : { skipImmediately: wanted.skipImmediately }),
});
