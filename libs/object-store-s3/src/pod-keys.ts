import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import type { ProxyFor } from '@lateen/object-store';
import type { S3CredentialSource } from './credentials/credential-source.ts';
import { environmentKeys } from './credentials/environment-keys.ts';

/**
 * The keys of this pod, for a location without a Secret. Where there are none either, the error names both ways.
 * @param environment ours, as the app read it
 */
export function podKeys(
  { insteadOf }: { insteadOf: string },
  options: {
    environment: Readonly<Record<string, string | undefined>>;
    clock: Clock;
    location: { region: string };
    proxyFor: ProxyFor;
  },
): S3CredentialSource {
  const { environment, clock, location, proxyFor } = options;
  const source = environmentKeys(environment, { clock, region: location.region, proxyFor });
  return {
    forget: () => source.forget(),
    keys: async (signal) => {
      try {
        return await source.keys(signal);
      } catch (cause) {
        signal?.throwIfAborted();
        throw new AppError(
          'CREDENTIALS_UNAVAILABLE',
          `${insteadOf} does not exist, and the keys of the pod itself cannot be had`,
          {
            cause,
            retry: 'later',
            nextStep: 'Create the Secret, or give the service account or the node a role.',
          },
        );
      }
    },
  };
}
