import type { RestoreSpec } from '@lateen/api-types';
import { parseClaimPolicies } from '@lateen/item-actions';
import type { VolumeWishes } from '@lateen/operations/restore';
import { badFlag } from '../../refuse-flag.ts';
import type { RestoreFlags } from './spec-flags.ts';

/**
 * The flags about volumes that the spec has no field for. @throws AppError BAD_FLAG, also for combinations that contradict each
 * other
 */
export function readVolumeWishes(
  { existingVolumes: claims = [], scaleWorkloads, keepOldData, waitForData, onFailedPodVolume }: RestoreFlags,
  { existingVolumeDataPolicy: forAll = 'none', existingResourcePolicy }: RestoreSpec,
): VolumeWishes {
  const existingVolumes = claims.length === 0 ? undefined : claims.join(',');
  const read = parseClaimPolicies(existingVolumes ?? '');
  if ('problem' in read)
    throw badFlag(`--existing-volumes: ${read.problem}`, 'Write it as shop/data=full,shop/logs=none.');
  const isWritten = [forAll, ...read.policies.values()].some((policy) => policy !== 'none');
  if (!isWritten && (scaleWorkloads === true || keepOldData === false))
    throw badFlag(
      `--${scaleWorkloads === true ? 'scale-workloads' : 'keep-old-data=false'} is about claims whose data is replaced, and none is`,
      'Give --existing-volume-data-policy or --existing-volumes with full or incremental.',
    );
  if (scaleWorkloads === true && existingResourcePolicy === 'update')
    throw badFlag(
      '--scale-workloads cannot be given with --existing-resource-policy update, which would scale them up again while their volumes are written',
      'Restore the volumes first, without it.',
    );
  return { existingVolumes, scaleWorkloads, keepOldData, waitForData, onFailedPodVolume };
}
