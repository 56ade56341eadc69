import { AppError } from '@lateen/errors';
import type { ResolvedLocation } from './resolved-location.ts';

const providers: ReadonlyMap<string, ResolvedLocation['provider']> = new Map([
  ['velero.io/aws', 's3'],
  ['velero.io/azure', 'azure'],
  ['velero.io/gcp', 'gcp'],
  ['velero.io/fs', 'fs'],
]);

/** As {@link providerOf}; undefined for what is not supported. */
export function providerIfKnown(
  provider: string,
  config: Readonly<Record<string, string>>,
): ResolvedLocation['provider'] | undefined {
  const known = providers.get(provider.includes('/') ? provider : `velero.io/${provider}`);
  return known ?? (config.s3Url === undefined ? undefined : 's3');
}

/**
 * What a location's spec.provider means: `aws`, `azure`, `gcp` and `fs`, alone or after `velero.io/`, and S3 for any other
 * that gives an s3Url (data-movement.md section 9, "Backend choice"). @throws LOCATION_UNSUPPORTED
 */
export function providerOf(provider: string, config: Readonly<Record<string, string>>): ResolvedLocation['provider'] {
  const known = providerIfKnown(provider, config);
  if (known !== undefined) return known;
  throw providerUnsupported(provider);
}

/** Nothing here reaches it: no store of ours, no plugin, no engine. */
export const providerUnsupported = (provider: string, purpose = ''): AppError =>
  new AppError('LOCATION_UNSUPPORTED', `provider "${provider}" is not supported${purpose}`, {
    nextStep:
      'Use "aws", "azure", "gcp" or "velero.io/fs"; any other provider has to speak S3 at the address in config.s3Url.',
  });
