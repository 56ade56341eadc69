import { AppError } from '@lateen/errors';
import type { ResolvedLocation } from '@lateen/storage-location';
import { podKeysSource } from '../engine/aws-variables.ts';

/**
 * restic 0.14 requests credentials from an agent only on the loopback and supports no token file (its minio-go 7.0.34,
 * pkg/credentials, `IAM`), but EKS Pod Identity needs both. Without this check, restic would send requests without keys, and the
 * store would refuse them. @param own our own environment @throws LOCATION_UNSUPPORTED
 */
export function checkResticTakesRole(
  location: ResolvedLocation,
  own: Readonly<Record<string, string | undefined>>,
): void {
  if (location.provider !== 's3' || !('identity' in location.credentials) || podKeysSource(own) !== 'agent') return;
  throw new AppError('LOCATION_UNSUPPORTED', 'restic cannot get keys by EKS Pod Identity', {
    nextStep:
      'Use kopia for this location, give the service accounts their role by eks.amazonaws.com/role-arn, or name a Secret ' +
      'with keys.',
  });
}
