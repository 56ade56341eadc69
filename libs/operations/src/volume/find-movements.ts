import { dataDownloadType, dataUploadType, type ResourceType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type KubeApi, listAll, readObject } from '@lateen/kube';
import { type Movement, verbOf } from './movement-facts.ts';

export const movementTypes = [dataUploadType, dataDownloadType] as readonly ResourceType<Movement>[];

export interface MovementSelection {
  /** Absent: all. A name, or `upload/NAME`, `download/NAME` where both exist. */
  names?: readonly string[];
  labelSelector?: string | undefined;
}

/** Every movement of the installation that is selected. @throws AppError NO_SUCH_MOVEMENT, AMBIGUOUS_NAME, BAD_ARGUMENT */
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
  const lists = await Promise.all(movementTypes.map((type) => listAll(kube, type, options)));
  return lists.flatMap(({ items }) => items);
}

/** One movement by its name, or by kind and name: `upload/data-x7k2p`, `dataupload/data-x7k2p`. */
export async function movementNamed(
  kube: KubeApi,
  namespace: string,
  text: string,
  signal: AbortSignal,
): Promise<Movement> {
  const { types, name } = parseName(text);
  const found = (await Promise.all(types.map((type) => readObject(kube, type, { namespace, name }, signal)))).filter(
    (each) => each !== undefined,
  );
  const [only] = found;
  if (only === undefined)
    throw new AppError('NO_SUCH_MOVEMENT', `there is no upload or download "${text}" in namespace ${namespace}`, {
      nextStep: 'See what there is with: lateen volume list',
    });
  if (found.length > 1)
    throw new AppError('AMBIGUOUS_NAME', `"${text}" is an upload and a download`, {
      nextStep: `Write ${found.map((each) => `${verbOf(each)}/${name}`).join(' or ')}.`,
    });
  return only;
}

function parseName(text: string): { types: readonly ResourceType<Movement>[]; name: string } {
  const [first = '', name, ...rest] = text.split('/');
  if (name === undefined && first !== '') return { types: movementTypes, name: first };
  const types = movementTypes.filter((type) => {
    const forms = [verbOf(type), type.kind.toLowerCase(), type.resource];
    return [...forms, `${type.kind.toLowerCase()}.velero.io`].includes(first.toLowerCase());
  });
  if (types.length === 0 || name === undefined || name === '' || rest.length > 0)
    throw new AppError('BAD_ARGUMENT', `"${text}" does not name a movement`, {
      nextStep: 'Write its name, or upload/NAME or download/NAME.',
    });
  return { types, name };
}
