import type { Clock } from '@lateen/kernel';
import type { ProxyFor } from '@lateen/object-store';
import { podKeys } from './pod-keys.ts';
import type { S3Limits, S3StoreConfig } from './s3-config.ts';
import { type S3Store, s3Store } from './s3-store.ts';

/** A bucket that has keys of its own, or is asked with those of the pod. */
export type PodS3StoreConfig = Omit<S3StoreConfig, 'credentials'> & {
  credentials: S3StoreConfig['credentials'] | { identity: 'pod'; insteadOf: string };
};

export interface PodS3StoreOptions {
  clock: Clock;
  /** Ours, as the app read it: where the keys of the pod are looked for. */
  environment: Readonly<Record<string, string | undefined>>;
  proxyFor?: ProxyFor;
  limits?: Partial<S3Limits>;
}

/** {@link s3Store}, with the keys of this pod for a location that has none. */
export function podS3Store(
  { credentials, ...place }: PodS3StoreConfig,
  { clock, environment, proxyFor = () => undefined, limits = {} }: PodS3StoreOptions,
): S3Store {
  const keys =
    'identity' in credentials ? podKeys(credentials, { environment, clock, location: place, proxyFor }) : credentials;
  return s3Store({ ...place, credentials: keys }, limits, { clock, proxyFor });
}
