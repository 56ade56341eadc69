import type { BackupOperation, RestoreOperation, Result, Results } from '@lateen/backup-store';
import { plainLine } from '@lateen/errors';
import { hasEnded, phaseOf, verbOf, volumeOf } from '../volume/movement-facts.ts';
import type { Movement } from '../volume/movement-kinds.ts';
import type { FileRead } from './read-file.ts';

/** Why a part of a run failed. */
export interface Cause {
  /** What has failed: a volume, an object, several of them; "" for the run as a whole. */
  about: string;
  why: string;
  /** A command that shows more. */
  see?: string;
}

/** How many objects are named with the cause that they share. */
const namedMax = 3;

/** The known facts of a run that may have failed. A file that was not requested is absent. */
export interface CauseFacts {
  status: { failureReason?: string; validationErrors?: readonly string[] | null } | undefined;
  /** Causes that only occur in this kind of run. */
  others: readonly Cause[];
  movements: readonly Movement[];
  operations: FileRead<readonly (BackupOperation | RestoreOperation)[]> | undefined;
  results: FileRead<Results> | undefined;
}

/**
 * Returns the root causes of failures: first the one that ended the run, then those of volumes, then those of objects. Failures with the
 * same cause are reported together, each only once. Empty when nothing failed. Pure.
 */
export function causesIn(facts: CauseFacts): Cause[] {
  const causes = [...ofRun(facts), ...ofVolumes(facts)];
  for (const cause of ofResults(facts))
    if (!causes.some(({ why }) => cause.why.includes(why) || why.includes(cause.why))) causes.push(cause);
  return causes;
}

function ofRun({ status, others }: CauseFacts): Cause[] {
  const { failureReason, validationErrors } = status ?? {};
  return [
    ...(failureReason ? [{ about: '', why: plainLine(failureReason) }] : []),
    ...(validationErrors ?? []).map((why) => ({ about: '', why: plainLine(why) })),
    ...others,
  ];
}

function ofVolumes({ movements, operations }: CauseFacts): Cause[] {
  const failed = movements.filter((each) => hasEnded(each) && phaseOf(each) !== 'Completed');
  const byMovement = failed.map(
    (movement): Cause => ({
      about: volumeOf(movement),
      why: plainLine(movement.status?.message || `its ${movement.kind} is ${phaseOf(movement)}`),
      see: `lateen volume describe ${verbOf(movement)}/${movement.metadata.name}`,
    }),
  );
  const told = new Set(byMovement.map(({ about }) => about));
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
  return [...byMovement, ...byOperation];
}

const isFailed = ({ status }: BackupOperation | RestoreOperation): boolean => status.phase === 'Failed';

function ofResults({ results }: CauseFacts): Cause[] {
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

/** The form of log lines (object-store-layout.md section 5.4); each part may be missing. */
const entry = /^\s*(?:resource: \/(\S+)\s*)?(?:name: \/(\S+)\s*)?(?:message: \/(.*?)\s*)?(?:error: \/(.*))?$/s;

function readEntry(text: string, namespace?: string): Entry {
  const [, resource, name, message, error] = entry.exec(text) ?? [];
  const object = name === undefined ? namespace : [namespace, name].filter(Boolean).join('/');
  const why = plainLine(error || message || text);
  return { subject: [resource, object].filter(Boolean).join(' '), why };
}
