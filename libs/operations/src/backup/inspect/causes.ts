import type { BackupOperation, Result } from '@lateen/backup-store';
import { plainLine } from '@lateen/errors';
import { hasEnded, phaseOf, volumeOf } from '../../volume/movement-facts.ts';
import { backupPhaseOf } from '../backup-noun.ts';
import type { InspectedBackup } from './inspect-backup.ts';

/** Why something of a backup failed. */
export interface Cause {
  /** What has failed: a volume, an object, several of them; "" for the backup as a whole. */
  about: string;
  why: string;
  /** A command that tells more. */
  see?: string;
}

/** Objects that are named with the cause they share. */
const namedMax = 3;

/**
 * The root causes of what failed, the one that ended the backup first, then volumes, then objects; those of the same cause are told
 * together, and nothing is told twice. Empty when nothing failed. Pure.
 */
export function causesOf(inspected: InspectedBackup): Cause[] {
  const causes = [...ofBackup(inspected), ...ofVolumes(inspected)];
  for (const cause of ofResults(inspected))
    if (!causes.some(({ why }) => cause.why.includes(why) || why.includes(cause.why))) causes.push(cause);
  return causes;
}

function ofBackup({ backup, deleteRequests }: InspectedBackup): Cause[] {
  const { failureReason, validationErrors } = backup.status ?? {};
  const isDeleting = backupPhaseOf(backup) === 'Deleting';
  const deletions = isDeleting ? deleteRequests.flatMap(({ status }) => status?.errors ?? []) : [];
  return [
    ...(failureReason ? [{ about: '', why: plainLine(failureReason) }] : []),
    ...(validationErrors ?? []).map((why) => ({ about: '', why: plainLine(why) })),
    ...deletions.map((why) => ({ about: 'deletion', why: plainLine(why) })),
  ];
}

function ofVolumes(inspected: InspectedBackup): Cause[] {
  const { uploads, operations } = inspected;
  const failedUploads = uploads.filter((each) => hasEnded(each) && phaseOf(each) !== 'Completed');
  const byUpload = failedUploads.map(
    (upload): Cause => ({
      about: volumeOf(upload),
      why: plainLine(upload.status?.message || `its DataUpload is ${phaseOf(upload)}`),
      see: `lateen volume describe upload/${upload.metadata.name}`,
    }),
  );
  const told = new Set(byUpload.map(({ about }) => about));
  const failedOperations = operations?.kind === 'read' ? operations.value.filter(isFailed) : [];
  const byOperation = failedOperations
    .map(({ spec, status }): Cause => {
      const { Namespace, Name } = spec.resourceIdentifier;
      return {
        about: [Namespace, Name].filter(Boolean).join('/'),
        why: plainLine(status.error || `its operation ${spec.operationID} failed`),
      };
    })
    .filter(({ about }) => !told.has(about));
  const byPod = inspected.podVolumeBackups
    .filter(({ status }) => status?.phase === 'Failed' || status?.phase === 'Canceled')
    .map(({ spec, status }): Cause => {
      const { namespace, name } = spec.pod;
      return {
        about: `${namespace}/${name} volume ${spec.volume}`,
        why: plainLine(status?.message || `${status?.phase}`),
      };
    });
  return [...byUpload, ...byOperation, ...byPod];
}

const isFailed = ({ status }: BackupOperation): boolean => status.phase === 'Failed';

function ofResults({ results }: InspectedBackup): Cause[] {
  if (results?.kind !== 'read') return [];
  const about = new Map<string, string[]>();
  for (const { subject, why } of entriesOf(results.value.errors)) {
    const known = about.get(why) ?? [];
    known.push(subject);
    about.set(why, known);
  }
  return [...about].map(([why, subjects]) => ({ about: some(subjects.filter(Boolean)), why }));
}

function some(subjects: readonly string[]): string {
  const named = subjects.slice(0, namedMax).join(', ');
  const more = subjects.length - namedMax;
  return more > 0 ? `${named} and ${more} more` : named;
}

interface Entry {
  subject: string;
  why: string;
}

function* entriesOf({ velero, cluster, namespaces }: Result): Generator<Entry> {
  for (const text of velero ?? []) yield readEntry(text);
  for (const text of cluster ?? []) yield readEntry(text);
  for (const [namespace, texts] of Object.entries(namespaces ?? {}))
    for (const text of texts) yield readEntry(text, namespace);
}

/** As log lines are put together (object-store-layout.md section 5.4); each part may be missing. */
const entry = /^\s*(?:resource: \/(\S+)\s*)?(?:name: \/(\S+)\s*)?(?:message: \/(.*?)\s*)?(?:error: \/(.*))?$/s;

function readEntry(text: string, namespace?: string): Entry {
  const [, resource, name, message, error] = entry.exec(text) ?? [];
  const object = name === undefined ? namespace : [namespace, name].filter(Boolean).join('/');
  const why = plainLine(error || message || text);
  return { subject: [resource, object].filter(Boolean).join(' '), why };
}
