export { checkStoredData, type StoredDataOptions, type StoredDataPorts } from './check-stored-data.ts';
export { contentVerifier, type DamagedContent, type VerifyContents, type VerifyTask } from './content-verifier.ts';
export {
  type ComparedVolume,
  type VerifiedSnapshot,
  type VerifySnapshotOptions,
  verifySnapshot,
} from './verify-snapshot.ts';
