export { type KeyedLocation, type S3Server, s3Keys, startS3Server } from '@lateen/store-rig';
