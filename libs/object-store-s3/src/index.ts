export { type S3Limits, type S3StoreConfig, s3LimitsDefault } from './s3-config.ts';
export { type S3Store, s3Store } from './s3-store.ts';
