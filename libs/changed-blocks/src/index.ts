export { type MetadataAnswer, MetadataChecker } from './client/metadata-checker.ts';
export {
  askLimits,
  type ChangedRangesPorts,
  type MetadataConnection,
  type MetadataQuestion,
  readChangedRanges,
} from './client/read-changed-ranges.ts';
export { requestToken } from './client/security-token.ts';
export { findMetadataService, type MetadataService } from './client/snapshot-metadata-service.ts';
export {
  type BaseSnapshot,
  decideRead,
  doesNotApply,
  type NotApplicable,
  type ReadDecision,
  type ReadFacts,
  type StoredSnapshot,
} from './decide/decide-read.ts';
export {
  type ChangedVolume,
  chunksToVerify,
  isVerified,
  readVerifySettings,
  type VerifySettings,
  verificationOf,
  verifySettingsDefault,
} from './decide/decide-verification.ts';
export { type DoubtCode, doubtReason, doubts } from './doubt.ts';
export {
  type FindChangesPorts,
  type FoundChanges,
  findChanges,
  type StoredVolume,
  type VolumeToRead,
} from './find/find-changes.ts';
export { BlockMetadataType } from './generated/snapshot-metadata.ts';
export { type ByteRange, RangeList, type RangeListLimits, rangesMaxDefault } from './ranges/range-list.ts';
