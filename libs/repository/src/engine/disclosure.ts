import { placeText, secretValuesOf } from '@lateen/storage-location';
import type { RepositoryTarget } from './repository-target.ts';

/** What messages say of a repository, and what they never may. */
export interface Disclosure {
  /** `bucket "b", prefix "kopia/ns/", endpoint "host"`. */
  where: string;
  secrets: readonly string[];
}

/** Variables of an engine that hold keys which are the pod's own and not the location's. */
const secretVariables = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'] as const;

/**
 * @param prefix the repository's own, with the location's before it
 * @param provider what the engine reads to reach the location
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
