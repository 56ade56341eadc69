export type { ListAccountKey } from './azure/azure-account-key.ts';
export type { AzureCredentials } from './azure/azure-credentials.ts';
export { isBucketName } from './check/bucket-name.ts';
export { certificatesIn, wrongInCaBundle } from './check/ca-bundle.ts';
export { wrongPodPath } from './check/pod-path.ts';
export { environmentStores, type StoreModules, type StoreOptions } from './environment-stores.ts';
export { placeFingerprint, specFingerprint, validationSubject } from './fingerprint.ts';
export { LocationPlaces } from './location-places.ts';
export { type OpenStore, openStoreBy } from './open-store.ts';
export { askedText, directoryOf, placeText, secretValuesOf } from './place-of.ts';
export { providerIfKnown, providerUnsupported } from './provider-of.ts';
export type { ReachPorts } from './reach-ports.ts';
export { readLocation, readLocationCa, secretsOf } from './read-location.ts';
export { readSecretBytes, readSecretKey, type SecretKey } from './read-secret-key.ts';
export { checkLocation, resolveLocation } from './resolve-location.ts';
export type {
  AzureLocation,
  FsLocation,
  GcpLocation,
  PluginLocation,
  ResolvedLocation,
  S3Location,
  StoreLocation,
} from './resolved-location.ts';
export type { AwsCredentials, AwsPodIdentity, AwsRole } from './s3/aws-credentials.ts';
export { parseCustomerKeySecret } from './s3/s3-options.ts';
export {
  annotatedRates,
  kopiaPauseSeconds,
  type LocationRates,
  readTransferRate,
  transferRateForm,
} from './transfer-rate.ts';
export { withStore } from './with-store.ts';
