import { annotations, type PersistentVolumeClaim, type Restore } from '@lateen/api-types';

/** What a restore does with the data of a claim that is there. */
export type ExistingPolicy = 'none' | 'full' | 'incremental';

/** What the restore says for this claim, else for all; what the claim says against it wins. Pure. */
export function existingPolicy(restore: Restore, { metadata }: PersistentVolumeClaim): ExistingPolicy {
  if (metadata.annotations?.[annotations.existingVolumeData] === 'none') return 'none';
  const single = singlePolicies(restore).get(`${metadata.namespace}/${metadata.name}`);
  return policyOf(single ?? restore.spec.existingVolumeDataPolicy ?? '');
}

function singlePolicies({ metadata }: Restore): Map<string, string> {
  const text = metadata.annotations?.[annotations.existingVolumes] ?? '';
  return new Map(
    text.split(',').map((part) => {
      const [claim = '', policy = ''] = part.split('=');
      return [claim.trim(), policy.trim()];
    }),
  );
}

/** Data is never overwritten for a word that is not understood. */
const policyOf = (text: string): ExistingPolicy => (text === 'full' || text === 'incremental' ? text : 'none');
