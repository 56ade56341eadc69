/** A folder of the checkout that holds generated files, and what has to be in it. */
export interface TargetFolder {
  /** From the root of the checkout. */
  folder: string;
  files: ReadonlyMap<string, string>;
}

/** helm takes every file of a chart's `crds` folder for a definition, so the kustomization is left out there. */
export function targetFolders(generated: ReadonlyMap<string, string>): TargetFolder[] {
  const definitions = new Map([...generated].filter(([name]) => name !== 'kustomization.yaml'));
  return [
    { folder: 'deploy/crds', files: generated },
    { folder: 'deploy/charts/lateen/crds', files: definitions },
  ];
}
