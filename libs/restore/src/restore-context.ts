import type { Restore } from '@lateen/api-types';
import type { RestoreOperation } from '@lateen/backup-store';
import type { OperationFollowers, Verdicts } from '@lateen/run';
import type { RestoreOperationsKind } from './operations/restore-operations.ts';
import type { RestorePorts } from './restore-ports.ts';
import type { LocationWaits } from './run/location-waits.ts';
import type { Turns } from './turns/turns.ts';

/** The state that all restores of a process share. */
export interface RestoreContext {
  ports: RestorePorts;
  operations: RestoreOperationsKind;
  followers: OperationFollowers<Restore, RestoreOperation>;
  turns: Turns;
  verdicts: Verdicts<Restore>;
  locationWaits: LocationWaits;
}
