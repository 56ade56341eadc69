import type { BackupRepository, BackupStorageLocation, Job, KubeObject } from '@lateen/api-types';
import { AppError, plainLine } from '@lateen/errors';

/** The facts that are checked before any password is changed. */
export interface BeforeChange {
  /** The repositories to change. */
  repositories: readonly BackupRepository[];
  locations: readonly BackupStorageLocation[];
  /** Volume movements that have not ended. */
  movements: readonly KubeObject[];
  /** Repository Jobs that have not ended. */
  jobs: readonly Job[];
  /** Whether an interrupted change continues: a repository may be NotReady just because of it. */
  resumed: boolean;
}

/** How many reasons are named; the others are counted. */
const reasonsMax = 20;

/**
 * Refuses a change that could not be completed. The error names all obstacles at once.
 * @throws AppError PASSWORD_CHANGE_REFUSED; nothing was changed then
 */
export function mayChange(before: BeforeChange): void {
  const reasons = [
    ...before.movements.map(({ kind, metadata }) => `${kind} ${metadata.name} has not ended`),
    ...before.jobs.map(({ metadata }) => `Job ${metadata.name} works on a repository`),
    ...before.repositories.flatMap((each) => whyNot(each, before)),
  ];
  if (reasons.length === 0) return;
  const shown = reasons.slice(0, reasonsMax);
  const hidden = reasons.length - shown.length;
  throw new AppError(
    'PASSWORD_CHANGE_REFUSED',
    `the password cannot be changed now: ${shown.join('; ')}${hidden > 0 ? `; and ${hidden} more` : ''}`,
    {
      nextStep:
        'All repositories share one password. Wait until this work ends, repair what is broken, or leave a repository out with --skip.',
    },
  );
}

function whyNot(repository: BackupRepository, { locations, resumed }: BeforeChange): string[] {
  const { name } = repository.metadata;
  const { backupStorageLocation: of } = repository.spec;
  const location = locations.find(({ metadata }) => metadata.name === of);
  if (location === undefined) return [`the location "${of}" of repository ${name} does not exist`];
  if (location.spec.accessMode === 'ReadOnly') return [`the location "${of}" of repository ${name} is read-only`];
  if (location.status?.phase === 'Unavailable') return [`the location "${of}" of repository ${name} is unavailable`];
  const { phase = 'New', message = '' } = repository.status ?? {};
  if (resumed || phase === 'Ready') return [];
  return [`repository ${name} is ${phase}${message === '' ? '' : ` (${plainLine(message)})`}`];
}
