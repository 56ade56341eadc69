import { generate } from './generate.ts';
import { kindGroups } from './kind-groups.ts';

/** A folder of the checkout that holds generated files, and what has to be in it. */
export interface TargetFolder {
  /** From the root of the checkout. */
  folder: string;
  files: ReadonlyMap<string, string>;
}

/** The folders of all groups. @throws CRD_SOURCE */
export function targetFolders(root: string): TargetFolder[] {
  return kindGroups.flatMap((group) => {
    const files = generate(root, group);
    const definitions = new Map([...files].filter(([name]) => name !== 'kustomization.yaml'));
    return [{ folder: group.folder, files }, ...group.copies.map((folder) => ({ folder, files: definitions }))];
  });
}
