import type { RepositoryTarget } from './kopia-session.ts';

/** What messages say of a repository, and what they never may. */
export interface Disclosure {
  /** `bucket "b", prefix "kopia/ns/", endpoint "host"`. */
  where: string;
  secrets: readonly string[];
}

/** @param prefix the repository's own, with the location's before it */
export function disclosureOf({ location, password }: RepositoryTarget, prefix: string): Disclosure {
  const { accessKeyId, secretAccessKey, sessionToken } = location.credentials;
  return {
    where: `bucket "${location.bucket}", prefix "${prefix}", endpoint "${location.endpoint}"`,
    secrets: [password, accessKeyId, secretAccessKey, ...(sessionToken === undefined ? [] : [sessionToken])],
  };
}
