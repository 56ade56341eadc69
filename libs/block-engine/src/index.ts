export {
  type BlockErrno,
  blockErrnos,
  blockIoError,
  blockRangeError,
  errnoOf,
  linkLost,
  linkRefused,
  replicaIoError,
} from './block-errors.ts';
export type { BlockServer, UnixOrTcp } from './block-server.ts';
export { type StatusContext, type StatusExtent, type StatusLink, statusContexts } from './block-status.ts';
export { type BlockTarget, blockRequestBytesMax, type WriteOptions, type ZeroOptions } from './block-target.ts';
export type { ReplicaLink } from './replica-link.ts';
