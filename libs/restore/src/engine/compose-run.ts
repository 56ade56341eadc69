import { restoreItem } from '../item/restore-item.ts';
import { legacyBackedUp } from '../volumes/legacy-volumes.ts';
import { RestoreVolumes } from '../volumes/restore-volumes.ts';
import type { ItemRun, RestoreOneItem, VolumeRestores } from './item-run.ts';

/** The parts that the engine delegates. */
export interface RestoreParts {
  restoreItem: RestoreOneItem;
  volumes: VolumeRestores;
}

/** The inputs of these parts. */
export type RestorePartsBase = Pick<ItemRun, 'ports' | 'request' | 'namespaces' | 'types'>;

/** Composes the parts of one run; this is the only place that does so. */
export function composeRun({ ports, request, namespaces }: RestorePartsBase): RestoreParts {
  const { nativeVolumes } = ports;
  const mapped = (namespace: string) => namespaces.mapped(namespace);
  return {
    restoreItem,
    volumes: new RestoreVolumes({ ports, request, mapped, nativeVolumes, ...legacyOf(request) }),
  };
}

const legacyOf = ({ legacyVolumes, catalog }: RestorePartsBase['request']) =>
  legacyVolumes === undefined ? {} : { legacy: legacyBackedUp(legacyVolumes, catalog) };
