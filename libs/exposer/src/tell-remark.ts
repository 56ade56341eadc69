import { movementReasons } from '@lateen/api-types';
import type { ExposerPorts } from './exposer-ports.ts';
import type { ExposeOwner } from './owner.ts';

/** Reports an ignored setting of a workload's claim: in the log, and as an Event of the movement. */
export function tellRemark({ log, tell }: ExposerPorts, owner: ExposeOwner, remark: string | undefined): void {
  if (remark === undefined) return;
  log.warn({ owner: owner.name }, remark);
  tell?.(owner, movementReasons.podResources, remark);
}
