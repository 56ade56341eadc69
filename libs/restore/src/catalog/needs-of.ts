import { claimNameOf, persistentVolumeClaimType, type Unstructured, type Volume } from '@lateen/api-types';
import type { ItemIdentifier } from '@lateen/item-actions';
import { type NeededType, needTable } from './need-table.ts';
import { fieldPath, valuesAt } from './values-at.ts';

/** The objects that must exist before this one, by its own references: each once, never itself, in the backup or not. Pure. */
export function needsOf(groupResource: string, object: Unstructured): ItemIdentifier[] {
  const named = new Map<string, ItemIdentifier>();
  const add = (type: NeededType, name: unknown, namespace: unknown = object.metadata.namespace) => {
    if (typeof name !== 'string' || name === '') return;
    const { group, resource } = type;
    if (!type.namespaced) return void named.set(`${resource}.${group}//${name}`, { group, resource, name });
    if (typeof namespace !== 'string' || namespace === '') return;
    named.set(`${resource}.${group}/${namespace}/${name}`, { group, resource, namespace, name });
  };
  for (const { at, of } of (Object.hasOwn(needTable, groupResource) ? needTable[groupResource] : undefined) ?? [])
    for (const value of valuesAt(object, at)) {
      if (typeof value !== 'object' || value === null) {
        if (isType(of)) add(of, value);
        continue;
      }
      const { kind, name, namespace } = value as Partial<Record<string, unknown>>;
      const type = isType(of) ? of : typeof kind === 'string' && Object.hasOwn(of, kind) ? of[kind] : undefined;
      if (type !== undefined) add(type, name, namespace);
    }
  if (groupResource === 'statefulsets.apps')
    for (const name of claimNamesOf(object)) add(persistentVolumeClaimType, name);
  if (groupResource === 'pods') for (const name of ephemeralClaimsOf(object)) add(persistentVolumeClaimType, name);
  const { name = '', namespace = '' } = object.metadata;
  const [resource = '', ...group] = groupResource.split('.');
  named.delete(`${resource}.${group.join('.')}/${namespace}/${name}`);
  return [...named.values()];
}

const isType = (of: NeededType | Readonly<Record<string, NeededType>>): of is NeededType =>
  typeof of.resource === 'string';

const templateNames = fieldPath('spec.volumeClaimTemplates.*.metadata.name');

/** How many replicas are counted at most, so that a huge number in an archive costs nothing. */
const replicasMax = 1_000;

/** The names of claims that a StatefulSet uses: when they are missing, it creates new, empty ones. */
function* claimNamesOf({ metadata, spec }: Unstructured): Generator<string> {
  const { replicas, ordinals } = (spec ?? {}) as { replicas?: unknown; ordinals?: { start?: unknown } | null };
  const start = typeof ordinals?.start === 'number' ? ordinals.start : 0;
  const count = Math.min(typeof replicas === 'number' ? replicas : 1, replicasMax);
  for (const template of valuesAt({ spec }, templateNames))
    for (let at = start; at < start + count; at++) yield `${String(template)}-${metadata.name}-${at}`;
}

const volumesPath = fieldPath('spec.volumes.*');

/** The names of claims that Kubernetes creates for the ephemeral volumes of a pod: empty ones, as soon as the pod exists without them. */
function* ephemeralClaimsOf({ metadata, spec }: Unstructured): Generator<string> {
  for (const volume of valuesAt({ spec }, volumesPath)) {
    if (typeof volume !== 'object' || volume === null) continue;
    const { name, ephemeral } = volume as Partial<Volume>;
    const claim = typeof name === 'string' ? claimNameOf(metadata.name ?? '', { name, ephemeral }) : undefined;
    if (claim !== undefined) yield claim;
  }
}
