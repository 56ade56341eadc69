export { type BundleFile, type BundleGap, type BundlePart, isGap } from './bundle-file.ts';
export { redactedTail } from './bundle-logs.ts';
export { withoutSecretReads } from './no-secret-reads.ts';
export { Redactor } from './redactor.ts';
export { type SupportBundle, type SupportBundlePorts, supportBundle } from './support-bundle.ts';
