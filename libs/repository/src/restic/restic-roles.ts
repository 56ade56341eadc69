import { AppError } from '@lateen/errors';
import type { ResolvedLocation } from '@lateen/storage-location';
import { podKeysSource } from '../engine/aws-variables.ts';

/**
 * restic 0.14 asks an agent of credentials only on the loopback and knows no token file (its minio-go 7.0.34,
 * pkg/credentials, `IAM`), which is not how EKS Pod Identity is. Without this check it would ask the store without keys,
 * and be refused. @param own our own environment @throws LOCATION_UNSUPPORTED
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
