import type { AppError } from '@lateen/errors';
import type { BlockTarget } from './block-target.ts';

/**
 * One connection to the export of one replica. Requests may overlap; answers come in any order.
 *
 * Requests reject with `LINK_LOST` (the connection has ended; whether the request was carried out is not known), `REPLICA_IO`
 * (the replica said so; `errnoOf`) or `BLOCK_RANGE` (outside of the export or too large: nothing was sent). A link never
 * tries again and never connects again: a replica that comes back may have old data. Disposing ends the link;
 * what is under way rejects with `LINK_LOST`.
 */
export interface ReplicaLink extends BlockTarget, AsyncDisposable {
  /** As the replica said when the link was made; it does not follow a growth. */
  readonly sizeBytes: bigint;
  /** How long the oldest request that has no answer yet has waited; undefined when there is none. For the reply timeout. */
  readonly oldestPendingMs: number | undefined;
  /** Resolves when the link has ended, with the cause (`LINK_LOST`). Never rejects. */
  readonly closed: Promise<AppError>;
}
