import { placeText, secretValuesOf } from '../location/place-of.ts';
import type { RepositoryTarget } from './kopia-session.ts';

/** What messages say of a repository, and what they never may. */
export interface Disclosure {
  /** `bucket "b", prefix "kopia/ns/", endpoint "host"`. */
  where: string;
  secrets: readonly string[];
}

/** @param prefix the repository's own, with the location's before it */
export function disclosureOf({ location, password }: RepositoryTarget, prefix: string): Disclosure {
  return { where: placeText(location, prefix), secrets: [password, ...secretValuesOf(location)] };
}
