import type { ByteRange } from '@lateen/object-store';

/** One request that has ended. */
export interface ReadRequest {
  packId: string;
  /** Undefined for a whole pack. */
  range: ByteRange | undefined;
  /** That came; fewer than were asked for when it failed. */
  bytes: number;
  /** To the first byte; undefined when none came. */
  latencyMs: number | undefined;
  durationMs: number;
  /** How fast they came once they did; undefined when too few came to tell. */
  bytesPerMs: number | undefined;
  error?: unknown;
}
