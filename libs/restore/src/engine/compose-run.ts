import { restoreItem } from '../item/restore-item.ts';
import { legacyBackedUp } from '../volumes/legacy-volumes.ts';
import { RestoreVolumes } from '../volumes/restore-volumes.ts';
import type { ItemRun, RestoreOneItem, VolumeRestores } from './item-run.ts';

/** What the engine leaves to others. */
export interface RestoreParts {
  restoreItem: RestoreOneItem;
  volumes: VolumeRestores;
}

/** What they are made of. */
export type RestorePartsBase = Pick<ItemRun, 'ports' | 'request' | 'namespaces' | 'types'>;

/** The parts of one run, put together here and nowhere else. */
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
