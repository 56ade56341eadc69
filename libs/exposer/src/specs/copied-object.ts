import { isDeepStrictEqual } from 'node:util';
import { type ConfigMap, configMapType, labels, type ResourceType, type Secret, secretType } from '@lateen/api-types';
import { type ExposeOwner, ownerReferenceTo } from '../owner.ts';
import type { CopiedNames } from '../settings/copied-names.ts';

/** A Secret or a ConfigMap. */
export type Copied = Secret & ConfigMap;

/** A copy that a driver needs. */
export interface Wanted {
  type: ResourceType<Copied>;
  name: string;
}

export const wantedOf = ({ secretNames = [], configMapNames = [] }: CopiedNames): Wanted[] => [
  ...secretNames.map((name) => ({ type: secretType as ResourceType<Copied>, name })),
  ...configMapNames.map((name) => ({ type: configMapType as ResourceType<Copied>, name })),
];

/** Several movements may own one copy, so none is its controller. The copy is not immutable: the next movement may share it. */
export function copyOf(source: Copied, owner: ExposeOwner, from: string): Copied {
  return {
    apiVersion: source.apiVersion,
    kind: source.kind,
    metadata: {
      namespace: owner.namespace,
      name: source.metadata.name ?? '',
      labels: { [labels.copiedFrom]: from },
      ownerReferences: [{ ...ownerReferenceTo(owner), controller: false }],
    },
    ...contentOf(source),
  };
}

function contentOf({ type, data, binaryData }: Copied): Pick<Copied, 'type' | 'data' | 'binaryData'> {
  return {
    ...(type === undefined ? {} : { type }),
    ...(data === undefined ? {} : { data }),
    ...(binaryData === undefined ? {} : { binaryData }),
  };
}

/** What to do when an object with the name of a copy exists. */
export function stepFor(there: Copied, copy: Copied, owner: ExposeOwner): 'use' | 'share' | 'wait' | 'again' {
  if (!isCopy(there)) return 'use';
  if (there.metadata.deletionTimestamp !== undefined) return 'again';
  const isSame = isDeepStrictEqual(contentOf(there), contentOf(copy));
  if (isSame) return isOwner(there, owner) ? 'use' : 'share';
  // Only this owner uses it, from an earlier attempt: the original has changed since.
  return otherOwners(there, owner).length > 0 ? 'wait' : 'share';
}

/** The owners but this one. */
export const otherOwners = ({ metadata }: Copied, owner: ExposeOwner) =>
  metadata.ownerReferences?.filter(({ uid }) => uid !== owner.uid) ?? [];

export const isOwner = ({ metadata }: Copied, owner: ExposeOwner): boolean =>
  metadata.ownerReferences?.some(({ uid }) => uid === owner.uid) ?? false;

export const isCopy = ({ metadata }: Copied): boolean => metadata.labels?.[labels.copiedFrom] !== undefined;
