import { type KindDefinition, kindDefinitions } from '@lateen/api-types/definitions';
import { storageKindDefinitions } from '@lateen/storage-types/definitions';

/** The kinds of one API group: the folders of their interfaces and of their CRDs. */
export interface KindGroup {
  readonly group: string;
  readonly definitions: readonly KindDefinition[];
  /** Folders with the interfaces, relative to the checkout. Names are unique over all of them. */
  readonly sourceFolders: readonly string[];
  /** Folder of the CRDs and a kustomization. */
  readonly folder: string;
  /** Folders with only the CRDs. */
  readonly copies: readonly string[];
}

const below = (library: string, ...folders: string[]) => folders.map((folder) => `libs/${library}/src/${folder}`);

export const veleroKinds: KindGroup = {
  group: 'velero.io',
  definitions: kindDefinitions,
  // `core` of api-types has kinds of Kubernetes.
  sourceFolders: below('api-types', 'meta', 'phases', 'v1', 'v2alpha1'),
  folder: 'deploy/crds',
  // Helm treats every file of a chart's `crds` folder as a definition, so it has no kustomization.
  copies: ['deploy/charts/lateen/crds'],
};

/** Kinds of the volume manager. Not in the chart, because they are only installed on request. */
export const storageKinds: KindGroup = {
  group: 'longhorn.io',
  definitions: storageKindDefinitions,
  sourceFolders: below('storage-types', 'meta', 'instance', 'kinds', 'listed'),
  folder: 'deploy/crds-storage',
  copies: [],
};

export const kindGroups: readonly KindGroup[] = [veleroKinds, storageKinds];
