import { placeText, secretValuesOf } from '@lateen/storage-location';
import type { RepositoryTarget } from './repository-target.ts';

/** What messages may say of a repository, and what they must not. */
export interface Disclosure {
  /** `bucket "b", prefix "kopia/ns/", endpoint "host"`. */
  where: string;
  secrets: readonly string[];
}

/** Variables of an engine with keys that belong to the pod and not to the location. */
const secretVariables = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'] as const;

/**
 * @param prefix the repository's own, after the location's
 * @param provider the variables with which the engine accesses the location
 */
export function disclosureOf(
  { location, password }: RepositoryTarget,
  prefix: string,
  provider: Readonly<Record<string, string>>,
): Disclosure {
  const ofPod = secretVariables.flatMap((name) => provider[name] ?? []);
  return {
    where: placeText(location, prefix),
    secrets: [...new Set([password, ...secretValuesOf(location), ...ofPod])],
  };
}
