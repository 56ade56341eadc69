import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { comparableCrd } from './comparable-crd.ts';
import { type Difference, differencesBetween } from './differences.ts';

/** Unchanged CRDs of a system that we are compatible with; their files are beside the checkout, not in it. */
export interface ReferenceCrds {
  readonly isThere: boolean;
  /** For titles of tests: which tests are skipped without them, and why. */
  readonly skipped: string;
  /** File names; none when the folder does not exist. */
  readonly names: readonly string[];
  read(name: string): unknown;
}

/** `folder` is the name below ../shared/reference, relative to the checkout. */
export function referenceCrds(root: string, folder: string): ReferenceCrds {
  const path = join(root, '..', 'shared', 'reference', folder);
  const isThere = existsSync(path);
  return {
    isThere,
    skipped: isThere ? '' : ` (skipped: ../shared/reference/${folder} is not there)`,
    names: isThere ? readdirSync(path).filter((name) => name.endsWith('.yaml')) : [],
    read: (name) => load(readFileSync(join(path, name), 'utf8')),
  };
}

/** Every difference between a CRD of ours and Velero's, except descriptions. */
export function differencesFromReference(reference: unknown, ours: unknown): Difference[] {
  return differencesBetween(comparableCrd(reference), comparableCrd(ours));
}
