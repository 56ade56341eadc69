export type {
  ContentToWrite,
  FoundManifest,
  RepositoryParameters,
  ServerSession,
  SessionCallOptions,
  StoredManifest,
} from './client/server-session.ts';
export { sessionLost, sessionLostCode } from './client/session-errors.ts';
export { type SpliceFilesOptions, spliceFiles } from './files/splice-files.ts';
export { type HeldSession, heldSession } from './held-session.ts';
export { type OpenServerSession, openServerSession } from './open-server-session.ts';
export { type RestateRequest, restateTags } from './restate/restate-tags.ts';
export { type BaseReason, baseReasons, baseUnusableCode } from './splice/base-unusable.ts';
export { type ChangedRange, chunksMax } from './splice/changed-chunks.ts';
export { type KeeperOptions, SessionKeeper } from './splice/session-keeper.ts';
export {
  type SpliceOptions,
  type SpliceProgress,
  type SpliceRequest,
  type SpliceResult,
  spliceSnapshot,
} from './splice/splice-snapshot.ts';
export { type StoredSnapshotFacts, storedSnapshots } from './stored/stored-snapshots.ts';
