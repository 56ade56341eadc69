import { type BackupRepository, backupRepositoryType, isObjectName } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type KubeApi, listAll, readObject } from '@lateen/kube';

export interface RepositorySelection {
  /** Absent or empty: all. In the form of `-o name`, or just the name. */
  names?: readonly string[];
  labelSelector?: string | undefined;
}

/** The selection by names and `--selector` of a command line. @throws AppError BAD_FLAG when both are given */
export function repositorySelection(
  names: readonly string[],
  { selector }: { selector?: string | undefined },
): RepositorySelection {
  if (names.length > 0 && selector !== undefined)
    throw new AppError('BAD_FLAG', 'names and --selector cannot be combined', {
      nextStep: 'Give names or --selector, not both.',
    });
  return { names, labelSelector: selector };
}

/** BackupRepositories of the installation, sorted by name. @throws AppError NO_SUCH_REPOSITORY for a name that does not exist */
export async function findRepositories(
  kube: KubeApi,
  namespace: string,
  { names = [], labelSelector }: RepositorySelection,
  signal: AbortSignal,
): Promise<BackupRepository[]> {
  if (names.length > 0) {
    const wanted = [...new Set(names.map(repositoryName))];
    return await Promise.all(wanted.map((name) => repositoryNamed(kube, namespace, name, signal)));
  }
  const options = { namespace, signal, ...(labelSelector === undefined ? {} : { labelSelector }) };
  const { items } = await listAll(kube, backupRepositoryType, options);
  return items.toSorted((a, b) => (a.metadata.name ?? '').localeCompare(b.metadata.name ?? '', 'en'));
}

/** Returns the repository of that name. @throws AppError NO_SUCH_REPOSITORY, BAD_ARGUMENT */
export async function repositoryNamed(
  kube: KubeApi,
  namespace: string,
  text: string,
  signal: AbortSignal,
): Promise<BackupRepository> {
  const name = repositoryName(text);
  const found = await readObject(kube, backupRepositoryType, { namespace, name }, signal);
  if (found !== undefined) return found;
  throw new AppError('NO_SUCH_REPOSITORY', `there is no backup repository "${name}" in namespace ${namespace}`, {
    nextStep: 'List them with: lateen repo get',
  });
}

const kindForms = ['backuprepository', 'backuprepositories', 'backuprepository.velero.io', 'repo'];

/** The name in `NAME` or `backuprepository/NAME`. @throws AppError BAD_ARGUMENT */
function repositoryName(text: string): string {
  const [first = '', second, ...rest] = text.split('/');
  const name = second ?? first;
  const isKnownKind = second === undefined || kindForms.includes(first.toLowerCase());
  if (isKnownKind && rest.length === 0 && isObjectName(name)) return name;
  throw new AppError('BAD_ARGUMENT', `${JSON.stringify(text)} does not name a backup repository`, {
    nextStep: 'Write its name as "lateen repo get" shows it.',
  });
}
