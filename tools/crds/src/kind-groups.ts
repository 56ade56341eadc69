import { type KindDefinition, kindDefinitions } from '@lateen/api-types/definitions';
import { storageKindDefinitions } from '@lateen/storage-types/definitions';

/** The kinds of one API group: where their interfaces are read and where their CRDs are written. */
export interface KindGroup {
  readonly group: string;
  readonly definitions: readonly KindDefinition[];
  /** Folders that declare the interfaces, from the root of the checkout. Their names are unique over all of them. */
  readonly sourceFolders: readonly string[];
  /** Folder of the CRDs, with a kustomization. */
  readonly folder: string;
  /** Folders with the CRDs alone. */
  readonly copies: readonly string[];
}

const below = (library: string, ...folders: string[]) => folders.map((folder) => `libs/${library}/src/${folder}`);

export const veleroKinds: KindGroup = {
  group: 'velero.io',
  definitions: kindDefinitions,
  // `core` of api-types holds other people's kinds.
  sourceFolders: below('api-types', 'meta', 'phases', 'v1', 'v2alpha1'),
  folder: 'deploy/crds',
  // helm takes every file of a chart's `crds` folder for a definition, so there is no kustomization.
  copies: ['deploy/charts/lateen/crds'],
};

/** Kinds of the volume manager. Not in the chart: nothing applies them unless it is asked to. */
export const storageKinds: KindGroup = {
  group: 'longhorn.io',
  definitions: storageKindDefinitions,
  sourceFolders: below('storage-types', 'meta', 'instance', 'kinds', 'listed'),
  folder: 'deploy/crds-storage',
  copies: [],
};

export const kindGroups: readonly KindGroup[] = [veleroKinds, storageKinds];
