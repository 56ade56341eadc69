import type { ReplicaLink } from './replica-link.ts';

/**
 * What can be asked about an area. `base:allocation`: flag 1 = hole, flag 2 = reads as zeros. `qemu:allocation-depth`: 0 = in no layer, 1 = in the
 * layer that is exported (written zeros included), 2 = in the one below, and so on.
 */
export const statusContexts = ['base:allocation', 'qemu:allocation-depth'] as const;
export type StatusContext = (typeof statusContexts)[number];

/** One run of bytes with the same value of the context. */
export interface StatusExtent {
  readonly lengthBytes: number;
  readonly value: number;
}

/** A link to a replica that can also report what is allocated. */
export interface StatusLink extends ReplicaLink {
  /** The requested contexts that this export supports. */
  readonly contexts: readonly StatusContext[];
  /**
   * The runs from `at` on, at least one, in order and without gaps. They may end before `lengthBytes` or reach beyond it; the caller continues from
   * their end. @throws AppError `BLOCK_RANGE`, also for a context that this link does not have
   */
  status(context: StatusContext, at: bigint, lengthBytes: number): Promise<readonly StatusExtent[]>;
}
