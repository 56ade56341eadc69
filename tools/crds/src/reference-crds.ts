import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { comparableCrd } from './comparable-crd.ts';
import { type Difference, differencesBetween } from './differences.ts';

/** Unchanged CRDs of a system that we are compatible with; they lie beside the checkout, not in it. */
export interface ReferenceCrds {
  readonly isThere: boolean;
  /** For the title of tests: what is skipped without them, and why. */
  readonly skipped: string;
  /** File names; none when the folder is not there. */
  readonly names: readonly string[];
  read(name: string): unknown;
}

/** `folder` is the name below ../shared/reference, from the root of the checkout. */
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

/** Every place where a CRD of ours is not that of Velero, but for descriptions. */
export function differencesFromReference(reference: unknown, ours: unknown): Difference[] {
  return differencesBetween(comparableCrd(reference), comparableCrd(ours));
}
