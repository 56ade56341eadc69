import { AppError } from '@lateen/errors';
import { type KubeApi, listAll, readObject } from '@lateen/kube';
import { kindOf, type Movement, type MovementKind, movementKinds } from './movement-kinds.ts';

export interface MovementSelection {
  /** Absent: all. A name, or `upload/NAME`, `download/NAME`, `pvb/NAME`, `pvr/NAME` when several movements have it. */
  names?: readonly string[];
  labelSelector?: string | undefined;
}

/** All selected movements of the installation. @throws AppError NO_SUCH_MOVEMENT, AMBIGUOUS_NAME, BAD_ARGUMENT */
export async function findMovements(
  kube: KubeApi,
  namespace: string,
  { names = [], labelSelector }: MovementSelection,
  signal: AbortSignal,
): Promise<Movement[]> {
  if (names.length > 0) {
    const found = await Promise.all(names.map((name) => movementNamed(kube, namespace, name, signal)));
    return [...new Map(found.map((each) => [`${each.kind}/${each.metadata.name}`, each])).values()];
  }
  const options = { namespace, signal, ...(labelSelector === undefined ? {} : { labelSelector }) };
  const lists = await Promise.all(movementKinds.map(({ type }) => listAll(kube, type, options)));
  return lists.flatMap(({ items }) => items);
}

/** One movement by its name, or by kind and name: `upload/data-x7k2p`, `dataupload/data-x7k2p`. */
export async function movementNamed(
  kube: KubeApi,
  namespace: string,
  text: string,
  signal: AbortSignal,
): Promise<Movement> {
  const { kinds, name } = parseName(text);
  const read = await Promise.all(kinds.map(({ type }) => readObject(kube, type, { namespace, name }, signal)));
  const found = read.filter((each) => each !== undefined);
  const [only] = found;
  if (only === undefined)
    throw new AppError(
      'NO_SUCH_MOVEMENT',
      `no volume is or was moved under the name "${text}" in namespace ${namespace}`,
      {
        nextStep: 'List them with: lateen volume list',
      },
    );
  if (found.length > 1)
    throw new AppError('AMBIGUOUS_NAME', `"${text}" is ${found.map((each) => kindOf(each).about).join(' and ')}`, {
      nextStep: `Write ${found.map((each) => `${kindOf(each).verb}/${name}`).join(' or ')}.`,
    });
  return only;
}

function parseName(text: string): { kinds: readonly MovementKind[]; name: string } {
  const [first = '', name, ...rest] = text.split('/');
  if (name === undefined && first !== '') return { kinds: movementKinds, name: first };
  const kinds = movementKinds.filter(({ type, words }) => {
    const kind = type.kind.toLowerCase();
    return [...words, kind, type.resource, `${kind}.velero.io`].includes(first.toLowerCase());
  });
  if (kinds.length === 0 || name === undefined || name === '' || rest.length > 0)
    throw new AppError('BAD_ARGUMENT', `"${text}" does not name a movement`, {
      nextStep: `Write its name, or one of ${movementKinds.map(({ verb }) => `${verb}/NAME`).join(', ')}.`,
    });
  return { kinds, name };
}
