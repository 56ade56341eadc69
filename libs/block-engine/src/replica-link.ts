import type { AppError } from '@lateen/errors';
import type { BlockTarget } from './block-target.ts';

/**
 * One connection to the export of one replica. Requests may overlap; answers come in any order.
 *
 * Requests reject with `LINK_LOST` (the connection has ended; it is unknown whether the request was carried out), `REPLICA_IO` (the replica answered
 * with an error; see `errnoOf`) or `BLOCK_RANGE` (outside of the export or too large: nothing was sent). A link never retries and never reconnects: a
 * replica that comes back may have old data. Disposing ends the link; pending requests reject with `LINK_LOST`.
 */
export interface ReplicaLink extends BlockTarget, AsyncDisposable {
  /** The size that the replica reported when the link was made; it does not change when the volume grows. */
  readonly sizeBytes: bigint;
  /** How long the oldest unanswered request has waited; undefined when there is none. Used for the reply timeout. */
  readonly oldestPendingMs: number | undefined;
  /** Resolves when the link has ended, with the cause (`LINK_LOST`). Never rejects. */
  readonly closed: Promise<AppError>;
}
