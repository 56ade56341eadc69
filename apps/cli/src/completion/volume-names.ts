import { dataUploadType, namespaceType, persistentVolumeClaimType, podType } from '@lateen/api-types';
import { existingPolicies } from '@lateen/item-actions';
import { listAll } from '@lateen/kube';
import { findMovements, hasEnded, type Movement, phaseOf, verbOf, volumeOf } from '@lateen/operations/volume';
import type { Candidate, FindCandidates } from './completion.ts';

/** Completes `NAMESPACE/PVC`: first the namespaces, then the claims of the typed namespace. */
export const volumeNames: FindCandidates = async ({ prefix, kube, signal }) => {
  const slash = prefix.indexOf('/');
  if (slash < 0) {
    const { items } = await listAll(await kube(), namespaceType, { signal });
    return items.map(({ metadata }): Candidate => ({ word: `${metadata.name}/`, goesOn: true }));
  }
  const namespace = prefix.slice(0, slash);
  if (namespace === '') return [];
  const { items } = await listAll(await kube(), persistentVolumeClaimType, { namespace, signal });
  return items.map(({ metadata, status }) => ({ word: `${namespace}/${metadata.name}`, about: status?.phase ?? '' }));
};

/**
 * Completes `NAMESPACE/PVC`, or `NAMESPACE/POD:VOLUME` once a pod is typed up to its colon; pods are offered together with
 * claims.
 */
export const anyVolumeNames: FindCandidates = async (asked) => {
  const { prefix, kube, signal } = asked;
  const claims = prefix.includes(':') ? [] : await volumeNames(asked);
  const [namespace = '', rest] = prefix.split('/');
  if (namespace === '' || rest === undefined) return claims;
  const { items } = await listAll(await kube(), podType, { namespace, signal });
  const [pod, volume] = rest.split(':');
  if (volume === undefined)
    return [
      ...claims,
      ...items.map(({ metadata }): Candidate => ({ word: `${namespace}/${metadata.name}:`, goesOn: true })),
    ];
  const volumes = items.find(({ metadata }) => metadata.name === pod)?.spec.volumes ?? [];
  return volumes.map(({ name }) => ({ word: `${namespace}/${pod}:${name}` }));
};

/** `NAMESPACE/PVC=POLICY` */
export const claimPolicies: FindCandidates = async (asked) => {
  const claim = asked.prefix.slice(0, asked.prefix.indexOf('=') + 1);
  if (claim !== '') return existingPolicies.map((policy) => ({ word: `${claim}${policy}` }));
  const found = await volumeNames(asked);
  return found.map((each) => (each.goesOn ? each : { ...each, word: `${each.word}=`, goesOn: true as const }));
};

/** Movements, with their kind before the name when the name is ambiguous or a kind is typed already. */
function movementNames(isMeant: (movement: Movement) => boolean): FindCandidates {
  return async ({ prefix, kube, global: { namespace }, signal }) => {
    const found = await findMovements(await kube(), namespace, {}, signal);
    const counts = new Map<string, number>();
    for (const { metadata } of found) counts.set(metadata.name ?? '', (counts.get(metadata.name ?? '') ?? 0) + 1);
    return found.filter(isMeant).map((movement): Candidate => {
      const { name = '' } = movement.metadata;
      const verb = verbOf(movement);
      const isPlain = counts.get(name) === 1 && !prefix.includes('/');
      return {
        word: isPlain ? name : `${verb}/${name}`,
        about: `${verb} of ${volumeOf(movement)}, ${phaseOf(movement)}`,
      };
    });
  };
}

export const allMovements = movementNames(() => true);
/** Movements that can be canceled. */
export const runningMovements = movementNames((movement) => !hasEnded(movement));

/** Movements that have stored a snapshot. */
export const storedVolumes = movementNames(
  (movement) => ['upload', 'pvb'].includes(verbOf(movement)) && phaseOf(movement) === 'Completed',
);

/** Movements that can be restored from. */
export const completedUploads: FindCandidates = async ({ kube, global: { namespace }, signal }) => {
  const { items } = await listAll(await kube(), dataUploadType, { namespace, signal });
  return items
    .filter((upload) => phaseOf(upload) === 'Completed')
    .map((upload) => ({
      word: upload.metadata.name ?? '',
      about: `${volumeOf(upload)}, ${upload.status?.completionTimestamp ?? ''}`,
    }));
};
