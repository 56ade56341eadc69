import { movementReasons } from '@lateen/api-types';
import type { ExposerPorts } from './exposer-ports.ts';
import type { ExposeOwner } from './owner.ts';

/** What was found on a workload's claim and does not count: in the log, and as an Event of the movement. */
export function tellRemark({ log, tell }: ExposerPorts, owner: ExposeOwner, remark: string | undefined): void {
  if (remark === undefined) return;
  log.warn({ owner: owner.name }, remark);
  tell?.(owner, movementReasons.podResources, remark);
}
