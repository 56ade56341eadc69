import { join } from 'node:path';
import { readYamlFiles } from './crd-folder.ts';
import { generate } from './generate.ts';
import { kindGroups } from './kind-groups.ts';

/** A folder of the checkout for generated files, and its expected content. */
export interface TargetFolder {
  /** Relative to the checkout. */
  folder: string;
  files: ReadonlyMap<string, string>;
}

/** A kind of another project, written by hand. The chart installs it too when the cluster does not have it. */
const ofOthers = 'deploy/base/snapshot-metadata';

/** The folders of all groups. @throws CRD_SOURCE */
export function targetFolders(root: string): TargetFolder[] {
  return kindGroups.flatMap((group) => {
    const files = generate(root, group);
    const copied = [...files, ...(group.copies.length > 0 ? readYamlFiles(join(root, ofOthers)) : [])];
    const definitions = new Map(copied.filter(([name]) => name !== 'kustomization.yaml'));
    return [{ folder: group.folder, files }, ...group.copies.map((folder) => ({ folder, files: definitions }))];
  });
}
