export { type GcsLimits, type GcsStoreConfig, type GcsStoreCredentials, gcsLimitsDefault } from './gcs-config.ts';
export { type GcsStoreOptions, gcsStore } from './gcs-store.ts';
