import { durationText, parseDurationMs } from '@lateen/kernel';
import { apiTime } from '@lateen/kube';
import type { BackupTarget, BackupTargetSpec, Volume } from '@lateen/storage-types';
import { checkBackupTargetSync, checkBackupTargetUpdate, deniedByWebhook } from '@lateen/volume-decisions';
import { refused } from '../errors/error-body.ts';
import { nameOf } from '../format/given.ts';
import { onlyFields } from './only-fields.ts';
import { readInput } from './read-input.ts';

const fields = ['name', 'backupTargetURL', 'credentialSecret', 'pollInterval'];

/** What a change of a backup target is checked against. */
export interface BackupTargetsSeen {
  readonly targets: readonly BackupTarget[];
  readonly volumes: readonly Volume[];
}

/** Name and spec that a client sends for a backup target, new or changed. @throws REST_REFUSED */
export function plannedTarget(body: unknown, seen: BackupTargetsSeen): { name: string; spec: BackupTargetSpec } {
  const input = readInput('backupTarget', onlyFields(body, fields));
  const name = input.text('name');
  if (name === '') throw refused('backup target name is required');
  const spec = {
    backupTargetURL: input.text('backupTargetURL').trim(),
    credentialSecret: input.text('credentialSecret'),
    pollInterval: pollInterval(input.text('pollInterval')),
  };
  const before = seen.targets.find((target) => nameOf(target) === name);
  const refusal = checkBackupTargetUpdate({
    name,
    urlBefore: before?.spec.backupTargetURL ?? '',
    urlAfter: spec.backupTargetURL,
    urls: Object.fromEntries(seen.targets.map((target) => [nameOf(target), target.spec.backupTargetURL ?? ''])),
    standbyVolumes: seen.volumes
      .filter((volume) => volume.status?.isStandby ?? volume.spec.Standby ?? false)
      .filter((volume) => before !== undefined && (volume.spec.backupTargetName || 'default') === name)
      .map(nameOf),
  });
  if (refusal !== undefined) throw refused(deniedByWebhook(refusal));
  return { name, spec };
}

/** Whole seconds come in; what was read as a duration may be sent back, too. Empty is none. */
function pollInterval(text: string): string {
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : parseDurationMs(text === '' ? '0s' : text);
  if (ms === undefined || ms < 0 || !Number.isFinite(ms))
    throw refused(`invalid poll interval ${JSON.stringify(text)}: it is not a whole number of seconds`);
  return durationText(Math.round(ms / 1000) * 1000);
}

/** What `backupTargetSync` asks of a target; undefined when the client does not ask for it. @throws REST_REFUSED within 10 s of the last time */
export function plannedTargetSync(target: BackupTarget, body: unknown, nowMs: number): BackupTargetSpec | undefined {
  if (!readInput('syncBackupResource', body).flag('syncBackupTarget')) return undefined;
  const refusal = checkBackupTargetSync(nameOf(target), askedAtMs(target), nowMs);
  if (refusal !== undefined) throw refused(refusal);
  return { ...target.spec, syncRequestedAt: apiTime(nowMs) };
}

/** The targets that a request for all of them asks: those that were asked a moment ago are left alone. */
export function targetsToSync(targets: readonly BackupTarget[], body: unknown, nowMs: number): readonly BackupTarget[] {
  if (!readInput('syncBackupResource', body).flag('syncAllBackupTargets')) return [];
  return targets.filter((one) => checkBackupTargetSync(nameOf(one), askedAtMs(one), nowMs) === undefined);
}

const askedAtMs = ({ spec }: BackupTarget): number | undefined => {
  const at = Date.parse(spec.syncRequestedAt ?? '');
  return Number.isNaN(at) ? undefined : at;
};
